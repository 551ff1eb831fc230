"""Runs one command that shares our terminal."""

import contextlib
import signal
import subprocess
import sys
from types import FrameType

from tools.dev.paths import ROOT, VENV_PYTHON

PATIENCE_SECONDS = 20


def run_module(name: str, *arguments: str) -> int:
    """`python -m name arguments` in the virtual environment, at the root of the repository. Its exit status.

    Ctrl-C reaches it too, and it has PATIENCE_SECONDS to end; SIGTERM is passed on, and then ends us.
    """
    signal.signal(signal.SIGTERM, _end)
    with subprocess.Popen([VENV_PYTHON, "-m", name, *arguments], cwd=ROOT) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE_SECONDS)
            raise
        finally:
            if process.poll() is None:
                process.terminate()


def _end(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)
