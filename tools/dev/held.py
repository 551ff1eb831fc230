"""A folder that one process uses at a time."""

import sys
from pathlib import Path
from typing import IO

from tools.dev.problem import Problem

FILE = ".in-use"


class Held:
    """The use of a folder, from `take` until `leave` or the end of this process, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[str] | None = None

    def take(self) -> None:
        """Use the folder, which is made if need be. Harmless if this is done already.

        Raises:
            Problem: another process uses it.
        """
        if self._file is not None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        file = (self._folder / FILE).open("a")
        try:
            _lock(file)
        except OSError:
            file.close()
            raise Problem(
                f"The data in {self._folder} are in use by another emulator: two would overwrite each other's. "
                "End that one (another `dev.py start`?), or choose another folder with --data."
            ) from None
        self._file = file

    def leave(self) -> None:
        """Use it no more. Harmless if it is not used."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _lock(file: IO[str]) -> None:
    """Raises OSError where another process has it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
