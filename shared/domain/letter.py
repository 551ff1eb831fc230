"""The dead letter: our record of a message that will not be delivered again."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

LetterState = Literal["open", "redriven", "discarded"]

GIVEN_UP = "given_up"
"""The class of a letter whose message the platform gave up after its deliveries."""


@dataclass(frozen=True, kw_only=True)
class Letter:
    """One dead letter.

    `queue` is the queue that the message worked for (never a `-poison` name), `lane` that queue with its account as
    `connection/queue`, `key` its event id, or the SHA-256 of a text without one; `content` the SHA-256 of what the
    message says apart from its counters; `code` the class, `reason` a sentence; `dequeue_count` the deliveries where it
    ended.
    """

    queue: str
    lane: str
    key: str
    content: str
    code: str
    reason: str
    step: str = ""
    task_id: str = ""
    fingerprint: str = ""
    dequeue_count: int
    deferrals: int = 0
    redrives: int = 0
    seen_at: datetime
    state: LetterState = "open"


@dataclass(frozen=True, kw_only=True)
class Note:
    """The last error of an event that is being retried: what a letter will tell if the retries do not help."""

    error: str
    message: str
    dequeue_count: int
