"""The local host as a process of its own, as `dev.py` and users run it."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.app_copy import app_copy
from tools.dev.child import Child
from tools.dev.host import ADDRESS
from tools.dev.paths import ROOT

# What a process needs to run at all; everything else a test says itself, so that no developer's own settings leak in.
KEPT = ("PATH", "HOME", "TMPDIR", "TEMP", "TMP", "LANG", "LC_ALL", "SYSTEMROOT", "USERPROFILE", "PATHEXT", "COMSPEC")


def bare_environment() -> dict[str, str]:
    """The variables that every process of a test starts from."""
    return {name: os.environ[name] for name in KEPT if name in os.environ}


class RunningHost:
    """`python -m devhost --app FOLDER --port 0` and the lines it prints.

    `env` is the whole environment of settings: nothing but the bare system's variables is added, and of this
    repository's own app a copy without local.settings.json is run. On return from the constructor every trigger listens
    (`ready=False` does not wait: for hosts that refuse to start or end by themselves). Leaving the context kills it.

    Raises:
        ChildEnded: it ended before it was ready; the message quotes its last lines.
        TimeoutError: it was not ready in `timeout` seconds.
    """

    def __init__(
        self,
        app: Path,
        env: Mapping[str, str],
        *,
        functions: Sequence[str] = (),
        options: Sequence[str] = (),
        ready: bool = True,
        timeout: float = 60,
    ) -> None:
        app = app_copy() if app.resolve() == ROOT else app
        command = [sys.executable, "-m", "devhost", "--app", str(app), "--port", "0", *options]
        if functions:
            command += ["--functions", *functions]
        ours = {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
        self._child = Child(command, cwd=app, env={**bare_environment(), **ours, **env})
        if ready:
            try:
                self._child.wait_line(ADDRESS, timeout)
            except BaseException:
                self.kill()
                raise

    @property
    def url(self) -> str:
        """Where it answers HTTP: `http://127.0.0.1:PORT`, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        return int(self._child.wait_line(ADDRESS, 60)[1])

    @property
    def pid(self) -> int:
        """Its own process id (for signals that a test sends itself)."""
        return self._child.pid

    @property
    def returncode(self) -> int | None:
        """None while it runs; 128 + n when signal n ended it."""
        return self._child.returncode

    def lines(self) -> list[str]:
        """Everything it printed so far, standard output and error together."""
        return self._child.lines()

    def wait_line(self, pattern: str, timeout: float = 30) -> re.Match[str]:
        """The first match of the pattern in any line so far or to come."""
        return self._child.wait_line(pattern, timeout)

    def wait(self, timeout: float = 60) -> int:
        """Its exit status, once it ended by itself."""
        return self._child.wait(timeout)

    def terminate(self, timeout: float = 60) -> int:
        """Ask it to drain and end (SIGTERM), and give its exit status; TimeoutError if it does not end in time."""
        self._child.terminate()
        return self._child.wait(timeout)

    def kill(self) -> None:
        """End it as a power cut would (SIGKILL). Repeating it, or on an ended host, is harmless."""
        self._child.kill()
        self._child.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
