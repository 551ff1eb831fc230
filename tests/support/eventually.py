"""Waiting for what another process does: look again until it is so, or a deadline passes."""

import time
from collections.abc import Callable

PAUSE_SECONDS = 0.04


def eventually[T](look: Callable[[], T | None], timeout: float = 30, *, what: str = "") -> T:
    """The first true answer of `look`; AssertionError, quoting the last one, once `timeout` seconds have passed."""
    deadline = time.monotonic() + timeout
    while not (seen := look()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what or 'it'} did not come about within {timeout:g} s; last seen: {seen!r}")
        time.sleep(PAUSE_SECONDS)
    return seen
