"""`dev.py start` as a newcomer runs it: real processes on free ports, and nothing left of them."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.dev_start import CURL, await_end, descendants, only, start, submit
from tests.support.eventually import eventually
from tests.support.running import bare_environment
from tools.dev.child import Child
from tools.dev.paths import ROOT, VENV, VENV_PYTHON

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="speaks of POSIX signals and ps")


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Child]:
    child = start(tmp_path / "data")
    yield child
    child.terminate()
    child.wait(60)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_start_works_as_its_curl_says_and_leaves_nothing_after_its_stop(started: Child, number: int) -> None:
    port = started.wait_line(CURL, 90)[1]
    assert submit(port) == 202
    assert any(re.search(r"submit: \[POST\] http://localhost", line) for line in started.lines())
    running = descendants(started.pid)
    os.kill(started.pid, number)
    assert started.wait(60) == 0
    await_end(running)
    assert started.lines()[-1] == "dev.py: Stopped."


def test_start_killed_leaves_nothing(tmp_path: Path) -> None:
    # Not through a leash of the test's own, which would do what is to be shown here.
    with subprocess.Popen(
        [sys.executable, ROOT / "dev.py", "start", "--port", "0", "--storage-port", "0", "--data", tmp_path],
        env=bare_environment(), stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert any(re.search(CURL, line) for line in iter(process.stdout.readline, ""))
        running = descendants(process.pid)
        assert len(running) == 4
        process.kill()
    await_end(running)


def test_emulator_and_host_that_end_are_started_again_where_they_were(started: Child) -> None:
    port = started.wait_line(CURL, 90)[1]
    os.kill(only(descendants(started.pid), "azurite.js"), signal.SIGKILL)
    started.wait_line("dev.py: Azurite ended: exit status 137; ", 30)
    started.wait_line("dev.py: Starting it again in 1 s", 30)
    eventually(lambda: any("azurite.js" in command for command in descendants(started.pid).values()))
    os.kill(only(descendants(started.pid), "-m devhost"), signal.SIGKILL)
    started.wait_line("dev.py: The host ended: exit status 137; ", 30)
    assert started.wait_line(r"dev.py: Ready again at http://localhost:(\d+)", 60)[1] == port
    assert submit(port) == 202


@pytest.mark.parametrize("option", ["--port", "--storage-port"])
def test_start_on_a_taken_port_says_so_in_one_line_and_starts_nothing(tmp_path: Path, option: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = str(server.getsockname()[1])
        child = start(tmp_path, option, taken)
        assert child.wait(60) == 1
    (line,) = child.lines()
    assert line.startswith(f"dev.py: Port {taken} (")
    assert f"{option} N" in line


def test_core_tools_where_installed_are_run_in_the_environment_and_with_their_own_options(tmp_path: Path) -> None:
    # A stand-in for the program alone: it shows how it is called, and says what Core Tools say when they are ready.
    func = tmp_path / "bin" / "func"
    func.parent.mkdir()
    func.write_text(
        '#!/bin/sh\necho "func $@ in $VIRTUAL_ENV; $(command -v python)"\n'
        'echo "[now] Host lock lease acquired by instance ID 1."\nexec sleep 60\n'
    )
    func.chmod(0o755)
    path = f"{func.parent}{os.pathsep}{os.environ['PATH']}"
    words = ["--host", "func", "--keys", "--functions", "submit", "record"]
    child = start(tmp_path / "data", *words, PATH=path)
    called = child.wait_line(r"func start --functions submit record --enableAuth --port (\d+) in (\S+); (\S+)", 60)
    assert called[2] == str(VENV)
    assert called[3] == str(VENV_PYTHON)
    assert child.wait_line(CURL, 60)[1] == called[1]
    assert child.stop(60) == 0


def test_emulator_data_outlive_a_stop(tmp_path: Path) -> None:
    for expected in (404, 200):
        child = start(tmp_path)
        port = child.wait_line(CURL, 90)[1]
        url = f"http://127.0.0.1:{port}/api/fixits/by-key?key=once"
        try:
            assert status(url) == expected
            body = json.dumps({"title": "Once"}).encode()
            headers = {"Content-Type": "application/json", "Idempotency-Key": "once"}
            with urllib.request.urlopen(urllib.request.Request(url.partition("/by-key")[0], body, headers)):
                pass
            eventually(lambda at=url: status(at) == 200)  # type: ignore[misc]
        finally:
            assert child.stop(60) == 0


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code
