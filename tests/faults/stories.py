"""All stories by name: those of every module `stories_<flow>.py` beside this one."""

from importlib import import_module
from pathlib import Path

from tests.faults.story import Story


def _collected() -> dict[str, Story]:
    found: dict[str, Story] = {}
    for file in sorted(Path(__file__).parent.glob("stories_*.py")):
        stories: dict[str, Story] = import_module(f"tests.faults.{file.stem}").STORIES
        assert not found.keys() & stories.keys(), file.name
        found |= stories
    return found


STORIES = _collected()
