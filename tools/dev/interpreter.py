"""Finds Python 3.13 and goes on in it. Alone in this folder, this file must run on any Python from 3.8 on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator, Mapping  # noqa: UP035 - an older Python reads this

WANTED = (3, 13)
NAME = "python3.13"
ADVICE = "install it from https://www.python.org/downloads/ (or `pyenv install 3.13`), then run this again."


def run_in_right_python() -> int:
    """Run the command line in this interpreter, or in a Python 3.13 that takes its place. The exit status."""
    if sys.version_info[:2] == WANTED:
        from tools.dev.command_line import main

        return main(sys.argv[1:])
    python = find_python(os.environ)
    if python is None:
        mine = ".".join(map(str, sys.version_info[:3]))
        print(f"dev.py needs Python 3.13, and this is {mine}: {ADVICE}", file=sys.stderr)
        return 1
    again = [python, *sys.argv]
    if os.name != "nt":  # exec gives the console back at once there
        os.execv(python, again)  # noqa: S606
    return subprocess.call(again)


def find_python(environment: Mapping[str, str]) -> str | None:
    """The path of a Python 3.13 that runs: on PATH, else one of pyenv's, else what Windows' launcher knows."""
    for command in _candidates(environment):
        if found := _executable(command, environment):
            return found
    return None


def _candidates(environment: Mapping[str, str]) -> Iterator[list[str]]:
    if on_path := shutil.which(NAME, path=environment.get("PATH", "")):
        yield [on_path]
    home = environment.get("HOME") or environment.get("USERPROFILE") or str(Path.home())
    pyenv = Path(environment.get("PYENV_ROOT") or Path(home) / ".pyenv")
    # Newest first: 3.13.10 after 3.13.9, so by number.
    installed = sorted(pyenv.glob("versions/3.13.*/bin/" + NAME), key=_patch, reverse=True)
    yield from ([str(path)] for path in installed)
    if os.name == "nt":
        yield ["py", "-3.13"]


def _patch(python: Path) -> int:
    patch = python.parts[-3].split(".")[2]
    return int(patch) if patch.isdigit() else -1


def _executable(command: list[str], environment: Mapping[str, str]) -> str | None:
    """What really runs: pyenv puts a python3.13 on PATH that only says that no such version is chosen."""
    code = "import sys; print(*sys.version_info[:2], sys.executable)"
    try:
        said = subprocess.run(
            [*command, "-c", code], capture_output=True, text=True, timeout=30, check=False, env=dict(environment)
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    major, _, rest = said.strip().partition(" ")
    minor, _, executable = rest.partition(" ")
    return executable if (major, minor) == tuple(map(str, WANTED)) and executable else None
