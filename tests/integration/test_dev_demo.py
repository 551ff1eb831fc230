"""`dev.py demo` comes true, for people and for programs."""

import json
import subprocess
import sys

import pytest

from tests.support.running import bare_environment
from tools.dev.paths import ROOT


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_demo_shows_a_task_that_is_done_a_hopeless_message_and_a_poison_task(words: list[str]) -> None:
    command = [sys.executable, str(ROOT / "dev.py"), "demo", *words]
    ran = subprocess.run(command, env=bare_environment(), capture_output=True, text=True, timeout=100)
    assert ran.returncode == 0, ran.stderr
    shown = ran.stderr if words else ran.stdout
    assert max(map(len, shown.splitlines())) <= 100
    assert "202 Accepted" in shown
    assert "its photo is ready: 1200 x 900, the thumbnail (320, 240)" in shown
    assert "a mail to ann@example.com: Recorded: The tap in room 7 drips" in shown
    assert "a callback, whose signature is right: fixit.task.succeeded" in shown
    assert "a dead letter after 1 delivery: malformed_message" in shown
    assert "byte for byte: not json at all" in shown
    assert "a dead letter after 5 deliveries: given_up" in shown
    if words:
        told = json.loads(ran.stdout)
        assert told["states"][-1] == "succeeded"
        assert told["task"]["id"] == told["accepted"]["id"]
        hopeless, poisoned = told["deadLetters"]
        assert hopeless["text"] == "not json at all"
        assert poisoned["taskId"] == told["accepted"]["id"]
        assert len(told["rows"]["fixits"]) == 2
        assert told["pictured"]["callback"]["data"]["id"] == told["pictured"]["task"]["id"]
