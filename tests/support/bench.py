"""One recorded scenario while it is run: its queues, its host, and what happened so far."""

import base64
from dataclasses import dataclass

from azure.storage.queue import QueueClient

from tests.support.queue_app import waiting
from tests.support.recorder import Recording
from tests.support.running import RunningHost


@dataclass(kw_only=True)
class Bench:
    """The queues are for the test's own use, past the wire."""

    queue: QueueClient
    poison: QueueClient
    recording: Recording
    host: RunningHost | None = None

    def close(self) -> None:
        self.queue.close()
        self.poison.close()

    def put(self, text: str, *, ttl: int = -1) -> None:
        self.queue.send_message(text, time_to_live=ttl)

    def encoded(self, text: str) -> None:
        self.put(base64.b64encode(text.encode()).decode())

    def is_done(self) -> bool:
        return waiting(self.queue) == 0

    def is_poisoned(self) -> bool:
        return self.is_done() and waiting(self.poison) > 0

    def has_ended(self) -> bool:
        return self.host is not None and self.host.returncode is not None

    def has_run(self, times: int = 1) -> bool:
        return len(self.recording.deliveries) >= times and self.recording.running == 0

    def has_begun(self, times: int = 1) -> bool:
        return len(self.recording.deliveries) >= times

    def called(self, op: str, times: int = 1) -> bool:
        """Whether that many calls of a kind were answered."""
        journal = self.recording.wire.journal
        return sum(call.op == op and call.status is not None for call in journal) >= times
