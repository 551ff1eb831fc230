"""One delivery of one queue message, as the trigger hands it over."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from shared.domain.lane import Lane
from shared.domain.names import POISON_SUFFIX


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """`raw` is the message text in UTF-8, `dequeue_count` counts deliveries by the platform (first is 1).

    `is_poison`: it came from the lane's poison queue, where the platform puts what it gives up.
    """

    lane: Lane
    is_poison: bool = False
    raw: bytes
    message_id: str
    dequeue_count: int
    inserted_at: datetime

    @property
    def text(self) -> str:
        """The message text; bytes that are not UTF-8 (never the case with `messageEncoding: none`) stay visible."""
        return self.raw.decode("utf-8", "backslashreplace")

    @property
    def queue(self) -> str:
        """The queue that it came from, and that a deferral puts it back on."""
        return self.lane.queue + (POISON_SUFFIX if self.is_poison else "")

    @property
    def digest(self) -> str:
        """SHA-256 of the text, in hex."""
        return hashlib.sha256(self.raw).hexdigest()
