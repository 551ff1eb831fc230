"""Ctrl-C and its relatives, as one request to stop."""

import signal
import threading
from collections.abc import Callable
from types import FrameType

NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # the last two are one system's each


def on_stop_signal(stop: threading.Event, hurry: Callable[[], None]) -> None:
    """From now on the first such signal sets `stop`, and each further one calls `hurry`, in the main thread."""

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            hurry()
        stop.set()

    for name in NAMES:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handle)
