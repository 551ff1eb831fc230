"""Tasks submitted one after the other, whatever happens meanwhile."""

import json
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from tests.support.eventually import eventually
from tests.support.fixit_client import FixItClient


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """One submit: the status (0: no answer), how long the answer took, and its body."""

    status: int
    seconds: float
    body: dict[str, Any]


class SteadyLoad:
    """Submits a task every `pause_seconds` from a thread of its own for as long as the context lasts."""

    def __init__(self, client: FixItClient, *, pause_seconds: float) -> None:
        self._client, self._pause_seconds = client, pause_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.submitted: list[Submitted] = []

    def more(self, number: int, timeout: float = 60) -> None:
        """Return once that many further tasks were submitted."""
        wanted = len(self.submitted) + number
        eventually(lambda: len(self.submitted) >= wanted, timeout, what=f"{number} submits")

    def _run(self) -> None:
        while not self._stop.wait(self._pause_seconds):
            body = json.dumps({"title": f"Task {len(self.submitted)}"}).encode()
            began = time.monotonic()
            try:
                answer = self._client.post(body)
                status, told = answer.status, answer.json
            except (OSError, ValueError) as error:
                status, told = 0, {"error": repr(error)}
            self.submitted.append(Submitted(status=status, seconds=time.monotonic() - began, body=told))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
