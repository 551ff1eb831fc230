"""Keeps a service running: whenever it ends by itself, says why and starts it again, ever more slowly."""

import threading
import time
from collections.abc import Callable
from typing import Protocol

from tools.dev.problem import Problem


class Service(Protocol):
    """Something that runs until it is stopped, or ends by itself."""

    def start(self) -> object:
        """It runs. Problem if it cannot."""

    def wait(self) -> str:
        """Once it has ended: why."""

    def stop(self) -> object:
        """It has ended. Harmless at any time, from any thread."""


class Kept:
    """One service and the thread that watches it.

    The first restart waits `first` seconds, each further one twice as long as the one before, up to `longest`; after
    `settled` seconds of running it is `first` again.
    """

    def __init__(
        self,
        name: str,
        service: Service,
        *,
        say: Callable[[str], None],
        first: float = 1,
        longest: float = 30,
        settled: float = 60,
    ) -> None:
        self._name, self._service, self._say = name, service, say
        self._first, self._longest, self._settled = first, longest, settled
        self._stopping = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        """It runs, and will. Problem if not even the first start works; nothing is then left running."""
        self._service.start()
        self._began = time.monotonic()
        self._watcher.start()

    def stop(self) -> None:
        """It has ended, and is not started again."""
        self._stopping.set()
        while self._watcher.is_alive():
            self._service.stop()  # again, in case it was just being started
            self._watcher.join(0.1)

    def _watch(self) -> None:
        delay = self._first
        reason = self._service.wait()
        while not self._stopping.is_set():
            if time.monotonic() - self._began >= self._settled:
                delay = self._first
            self._say(f"dev.py: {self._name} ended: {reason}")
            self._say(f"dev.py: Starting it again in {delay:g} s.")
            if self._stopping.wait(delay):
                return
            delay = min(2 * delay, self._longest)
            reason = self._run_once()

    def _run_once(self) -> str:
        self._began = time.monotonic()
        try:
            self._service.start()
        except Problem as problem:
            return str(problem)
        return self._service.wait()
