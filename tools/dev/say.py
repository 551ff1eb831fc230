"""Prints lines from several threads, each whole."""

import os
import sys
import threading
from collections.abc import Callable

_turn = threading.Lock()


class Say:
    """Call it with a line. When nobody can read any more (a closed pipe or terminal), `on_closed` is called instead."""

    def __init__(self, on_closed: Callable[[], None]) -> None:
        self._on_closed = on_closed

    def __call__(self, line: str = "") -> None:
        try:
            with _turn:
                print(line, flush=True)
        except OSError:
            # Python would try to flush what is left at its end, and complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self._on_closed()
