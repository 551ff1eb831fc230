"""`dev.py demo` comes true, for people and for programs."""

import json
import subprocess
import sys

import pytest

from tests.support.running import bare_environment
from tools.dev.paths import ROOT


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_demo_shows_a_task_that_is_done_and_a_message_that_nobody_can_do(words: list[str]) -> None:
    command = [sys.executable, str(ROOT / "dev.py"), "demo", *words]
    ran = subprocess.run(command, env=bare_environment(), capture_output=True, text=True, timeout=100)
    assert ran.returncode == 0, ran.stderr
    shown = ran.stderr if words else ran.stdout
    assert max(map(len, shown.splitlines())) <= 100
    assert "202 Accepted" in shown
    assert "a dead letter: malformed_message" in shown
    assert "byte for byte: not json at all" in shown
    if words:
        told = json.loads(ran.stdout)
        assert told["states"][-1] == "succeeded"
        assert told["task"]["id"] == told["accepted"]["id"]
        assert told["deadLetter"]["text"] == "not json at all"
        assert len(told["rows"]["fixits"]) == len(told["rows"]["fixitdeadletters"]) == 1
