"""All stories by name: those of every module `stories_<flow>.py` beside this one."""

from importlib import import_module
from pathlib import Path
from typing import Any

from tests.faults.story import Story
from tests.faults.telling import Tale


def _collected(name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for file in sorted(Path(__file__).parent.glob("stories_*.py")):
        stories: dict[str, Any] = getattr(import_module(f"tests.faults.{file.stem}"), name, {})
        assert not found.keys() & stories.keys(), file.name
        found |= stories
    return found


STORIES: dict[str, Story] = _collected("STORIES")
TALES: dict[str, Tale] = _collected("TALES")
"""Those of the product with every channel on."""
