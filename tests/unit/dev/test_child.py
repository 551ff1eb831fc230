"""A child ends when told to, when its starter is gone, and takes its own children along."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.eventually import eventually
from tools.dev.child import Child, ChildEnded
from tools.dev.paths import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="speaks of POSIX signals")

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); time.sleep(60)"
)
# Prints its own id and that of a child which outlives it if nobody looks after that one.
PARENT = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print("pids", os.getpid(), child.pid, flush=True)
time.sleep(60 if len(sys.argv) == 1 else 0)
"""


def python(code: str, *arguments: str, **options: object) -> Child:
    return Child([sys.executable, "-c", code, *arguments], **options)  # type: ignore[arg-type]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_child_that_ends_gives_its_lines_and_status() -> None:
    heard: list[str] = []
    child = python(
        "import sys; print('one'); print('two', file=sys.stderr); print('drei ü'); sys.exit(7)", on_line=heard.append
    )
    assert child.wait(30) == 7
    assert sorted(child.lines()) == ["drei ü", "one", "two"]
    assert heard == child.lines()


def test_child_keeps_no_more_lines_than_asked_for() -> None:
    child = python("for n in range(1000): print(n)", keep=3)
    child.wait(30)
    assert child.lines() == ["997", "998", "999"]


def test_wait_line_finds_lines_before_and_after_the_call() -> None:
    child = python("import time; print('a 1', flush=True); time.sleep(0.2); print('b 2', flush=True); time.sleep(60)")
    try:
        assert child.wait_line(r"b (\d)", 30)[1] == "2"
        assert child.wait_line(r"a (\d)", 30)[1] == "1"
        with pytest.raises(TimeoutError, match="b 2"):
            child.wait_line("c", 0.1)
    finally:
        child.stop()


def test_wait_line_on_a_child_that_ended_quotes_its_last_lines() -> None:
    child = python("print('the reason')")
    with pytest.raises(ChildEnded, match="the reason"):
        child.wait_line("ready", 30)
    child.close()


def test_command_that_does_not_exist_ends_with_its_name() -> None:
    child = Child(["/nowhere/at/all"])
    assert child.wait(30) == 127
    assert child.lines() == ["/nowhere/at/all: No such file or directory"]
    with pytest.raises(ChildEnded):
        _ = child.pid
    child.close()


def test_stop_asks_and_gives_the_status_of_the_signal() -> None:
    child = python("import time; print('here', flush=True); time.sleep(60)")
    child.wait_line("here", 30)
    assert child.stop() == 128 + signal.SIGTERM
    assert child.stop() == 128 + signal.SIGTERM


def test_stop_kills_what_does_not_end() -> None:
    child = python(STUBBORN)
    child.wait_line("here", 30)
    assert child.stop(timeout=0.2) == 128 + signal.SIGKILL


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_child_of_a_child_ends_with_it(how: str) -> None:
    child = python(PARENT)
    pids = [int(pid) for pid in child.wait_line(r"pids (\d+) (\d+)", 30).groups()]
    assert child.pid == pids[0]
    getattr(child, how)()
    child.close()
    eventually(lambda: not any(map(is_running, pids)), what="the end of both")


def test_child_of_a_child_that_ended_by_itself_ends() -> None:
    child = python(PARENT, "end")
    pids = [int(pid) for pid in child.wait_line(r"pids (\d+) (\d+)", 30).groups()]
    child.wait(30)
    eventually(lambda: not any(map(is_running, pids)), what="the end of both")


def test_child_whose_starter_is_killed_ends_even_if_it_is_stubborn() -> None:
    code = f"from tools.dev.child import Child; import sys; c = Child([sys.executable, '-c', {STUBBORN!r}], grace=0.2)"
    starter = subprocess.Popen(
        [sys.executable, "-c", f"{code}; c.wait_line('here', 30); print(c.pid, flush=True); c.wait()"],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        assert is_running(pid)
        starter.kill()
    eventually(lambda: not is_running(pid), what="its end")


def test_leash_asked_to_end_asks_its_command(tmp_path: Path) -> None:
    leash = [sys.executable, str(ROOT / "tools/dev/leash.py"), "10"]
    with subprocess.Popen(
        [*leash, sys.executable, "-c", "import time; print('here', flush=True); time.sleep(60)"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        said = process.stdout.readline() + process.stdout.readline()
        assert re.search("here", said)
        process.terminate()
        assert process.wait(30) == 128 + signal.SIGTERM
