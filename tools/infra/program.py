"""Finds programs that need not be there, and runs them."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.infra.result import Failed

PATIENCE_SECONDS = 300


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a program left behind. `text` is both of its streams, the errors first."""

    status: int
    output: str
    errors: str

    @property
    def text(self) -> str:
        return "\n".join(part.strip() for part in (self.errors, self.output) if part.strip())


def find(name: str, *, variable: str = "", places: Sequence[Path] = ()) -> Path | None:
    """The program that the variable names, else that on PATH, else the first of the places where there is one."""
    if variable and (named := os.environ.get(variable)):
        return Path(named)
    if on_path := shutil.which(name):
        return Path(on_path)
    return next((place for place in places if place.is_file()), None)


def run(*command: str | Path, folder: Path, more: Mapping[str, str] | None = None) -> Said:
    """Run it to its end in the folder, with `more` in its environment. Failed if it cannot be run, or does not end."""
    try:
        ran = subprocess.run(
            [*map(str, command)],
            cwd=folder,
            env={**os.environ, **(more or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE_SECONDS,
            check=False,
        )
    except OSError as error:
        raise Failed(f"{command[0]} cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise Failed(f"{command[0]} had not ended after {PATIENCE_SECONDS} s") from None
    return Said(status=ran.returncode, output=ran.stdout, errors=ran.stderr)
