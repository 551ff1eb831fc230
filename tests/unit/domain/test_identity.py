"""Ids are derived by the published recipe, so that clients can compute them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from shared.domain import identity
from tools.dev.node import find_node

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "idempotency.md").read_text("utf-8")
KEY = "2026-11-30-lamp-4"


def code(language: str) -> str:
    """The one block of this language on the page."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.mark.parametrize("language", ["python", "js"])
def test_published_recipe_makes_the_id_of_the_task(language: str) -> None:
    command = {"python": [sys.executable, "-c"], "js": [find_node(), "-e"]}[language]
    run = subprocess.run([*command, code(language)], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout == code("text") == identity.task_id(identity.KEY_CALLER, KEY) + "\n"


def test_callers_have_namespaces_of_their_own() -> None:
    callers = (identity.KEY_CALLER, identity.queue_caller("fixits"), identity.queue_caller("fixits-2"))
    assert len({identity.task_id(caller, KEY) for caller in callers}) == 3
