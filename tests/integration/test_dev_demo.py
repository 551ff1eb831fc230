"""`dev.py demo` comes true, for people and for programs."""

import json
import os
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
def test_demo_on_core_tools_starts_them_and_passes_on_their_last_words(tmp_path: Path) -> None:
    stand_in = tmp_path / "func"
    stand_in.write_text('#!/bin/sh\necho "$@"\necho "no worker for Python" >&2\nexit 3\n', "utf-8")
    stand_in.chmod(0o755)
    environment = bare_environment()
    environment["PATH"] = f"{tmp_path}{os.pathsep}{environment['PATH']}"
    command = [sys.executable, str(ROOT / "dev.py"), "demo", "--host", "func"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    assert ran.returncode == 1
    assert "The host does not start" in ran.stderr
    assert "no worker for Python" in ran.stderr
    assert (ROOT / ".dev" / "demo.log").read_text("utf-8").startswith("start --port ")
