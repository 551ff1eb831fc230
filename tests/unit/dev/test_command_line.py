"""The commands of dev.py: wrong words, help, and problems in one line."""

import subprocess
import sys

import pytest

from tests.support.running import bare_environment
from tools.dev.paths import ROOT


def dev(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "dev.py"), *words]
    environment = {**bare_environment(), **env}
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)


@pytest.mark.parametrize("command", ["", "start", "test", "demo", "prepare"])
def test_help_says_what_there_is(command: str) -> None:
    ran = dev(*command.split(), "--help")
    assert ran.returncode == 0
    assert ran.stdout.startswith("usage: dev.py")


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["stop"],
        ["start", "--port", "x"],
        ["start", "--port", "65536"],
        ["start", "--storage-port", "65534"],
        ["start", "--host", "iis"],
        ["start", "--lanes", "2"],
        ["start", "--lanes", "0x1"],
        ["start", "--lanes", "1x5"],
        ["start", "--lanes", "2x2x2"],
        ["start", "--lanes", "1x2", "--functions", "submit"],
        ["start", "--lanes", "2x1", "--storage-port", "65524"],
        ["start", "--sign-in", ""],
        ["start", "--sign-in", "ann\n"],
        ["start", "--operator"],
        ["start", "--sign-in", "ann", "--lanes", "1x1"],
        ["demo", "x"],
        ["demo", "--host", "iis"],
        ["prepare", "--host", "func"],
    ],
)
def test_wrong_words_end_with_status_2_and_the_usage(words: list[str]) -> None:
    ran = dev(*words)
    assert ran.returncode == 2
    assert ran.stderr.startswith("usage: dev.py")


def test_sign_in_on_core_tools_is_refused_with_the_reason() -> None:
    ran = dev("start", "--sign-in", "ann", "--host", "func")
    assert ran.returncode == 2
    assert "Core Tools cannot play the platform's sign-in" in ran.stderr


@pytest.mark.parametrize("command", ["start", "test", "demo", "prepare"])
def test_no_node_is_told_in_one_line(command: str) -> None:
    ran = dev(command, *(["--port", "0", "--storage-port", "0"] if command == "start" else []), PATH="")
    assert ran.returncode == 1
    assert ran.stderr.startswith("dev.py: Node is not installed: install Node 20 or newer")
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [["start", "--port", "0", "--storage-port", "0"], ["demo"]], ids=["start", "demo"])
def test_core_tools_that_are_not_installed_are_told_in_one_line(words: list[str]) -> None:
    ran = dev(*words, "--host", "func", PATH="")
    assert ran.returncode == 1
    assert ran.stderr.startswith("dev.py: Core Tools are not installed:")
    assert len(ran.stderr.splitlines()) == 1
