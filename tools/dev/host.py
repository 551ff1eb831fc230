"""The process that runs the functions: the local host of this repository, or Core Tools."""

import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence

from tools.dev.child import Child
from tools.dev.paths import ROOT, VENV, VENV_PROGRAMS, VENV_PYTHON
from tools.dev.ports import free_port
from tools.dev.problem import Problem

GRACE_SECONDS = 30
ADDRESS = r"Host ready: https?://\S+:(\d+)"
"""What the local host prints once every trigger listens."""
FUNC_READY = "Host lock lease acquired"
"""What Core Tools print then."""


class Host:
    """One host. Started again, it takes the port that it had. `on_ready` gets the port, each time its triggers listen.

    `extra` are environment variables for the next start; they win over local.settings.json.
    """

    def __init__(
        self,
        kind: str,
        *,
        port: int,
        functions: Sequence[str] = (),
        keys: bool = False,
        on_line: Callable[[str], None],
        on_ready: Callable[[int], None],
    ) -> None:
        self._command = _func(functions, keys) if kind == "func" else _devhost(functions, keys)
        self.port = port or (free_port() if kind == "func" else 0)  # Core Tools do not choose one themselves
        self.extra: Mapping[str, str] = {}
        self._on_line, self._on_ready = on_line, on_ready
        self._child: Child | None = None

    def start(self) -> None:
        """It is starting; `on_ready` tells when it is ready."""
        path = f"{VENV_PROGRAMS}{os.pathsep}{os.environ.get('PATH', '')}"
        # As an activated environment: that is how Core Tools finds its Python.
        ours = {"PATH": path, "VIRTUAL_ENV": str(VENV), "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
        env = {**os.environ, **ours, **self.extra}
        command = [*self._command, "--port", str(self.port)]
        # If we are killed, storage goes with us, and there is no point in a long drain.
        self._child = Child(command, cwd=ROOT, env=env, grace=5, on_line=self._relay, keep=50)

    @property
    def has_ended(self) -> bool:
        """Whether it was started and runs no more."""
        return self._child is not None and self._child.returncode is not None

    @property
    def pid(self) -> int:
        """Its process id. An error before `start`."""
        assert self._child is not None
        return self._child.pid

    def wait(self) -> str:
        """Once it has ended: its status and its last words."""
        assert self._child is not None
        return self._child.wait_reason()

    def stop(self) -> None:
        """It has ended; running functions had GRACE_SECONDS to finish."""
        if self._child is not None:
            self._child.stop(GRACE_SECONDS)

    def kill(self) -> None:
        """It ends at once, running functions or not. Fit for signal handlers."""
        if self._child is not None:
            self._child.kill()

    def _relay(self, line: str) -> None:
        self._on_line(line)
        if address := re.search(ADDRESS, line):
            self.port = int(address[1])
        if address or FUNC_READY in line:
            self._on_ready(self.port)


def _devhost(functions: Sequence[str], keys: bool) -> list[str]:
    command = [str(VENV_PYTHON), "-m", "devhost", "--app", str(ROOT)]
    if functions:
        command += ["--functions", *functions]
    return [*command, *(["--keys"] if keys else [])]


def find_core_tools() -> str:
    """The path of `func`. Problem if there is none."""
    func = shutil.which("func")
    if func is None:
        raise Problem(
            "Core Tools are not installed: `npm install -g azure-functions-core-tools@4`, "
            "or leave out `--host func` for the host that comes with this repository."
        )
    return func


def _func(functions: Sequence[str], keys: bool) -> list[str]:
    command = [find_core_tools(), "start"]
    if functions:
        command += ["--functions", *functions]
    return [*command, *(["--enableAuth"] if keys else [])]
