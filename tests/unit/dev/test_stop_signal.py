"""The first request to stop is polite, the second is not."""

import os
import signal
import sys

import pytest

from tools.dev.child import Child
from tools.dev.paths import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="speaks of POSIX signals")

CODE = """
import threading
from tools.dev.stop_signal import on_stop_signal
stop, hurried = threading.Event(), threading.Event()
on_stop_signal(stop, lambda: (print("hurry", flush=True), hurried.set()))
print("ready", flush=True)
stop.wait()
print("stopping", flush=True)
hurried.wait()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_first_signal_stops_and_the_second_hurries(number: int) -> None:
    child = Child([sys.executable, "-c", CODE], cwd=ROOT)
    child.wait_line("ready", 30)
    os.kill(child.pid, number)
    child.wait_line("stopping", 30)
    os.kill(child.pid, number)
    assert child.wait(30) == 0
    assert child.lines() == ["ready", "stopping", "hurry"]
