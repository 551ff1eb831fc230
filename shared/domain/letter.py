"""The dead letter: our record of a message that will not be delivered again."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from shared.domain.text_rules import QUEUE_NAME, matches

LetterState = Literal["open", "redriven", "discarded"]

DAMAGED_ROW = "damaged_row"
"""The class under which a letter is shown whose row cannot be read. It can be discarded, which writes its row anew."""

GIVEN_UP = "given_up"
"""The class of a letter whose message the platform gave up after its deliveries."""

_DIFFERS = re.compile(
    r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9:]+)?"
    r"|\b[0-9a-f]{16,}\b|[0-9]{4,}",
    re.IGNORECASE,
)
_CAUSE_MAX = 300

_KEY = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class Closing:
    """Who closed a letter, when, and why if that was asked; after `kept_until` it is forgotten."""

    by: str
    at: datetime
    kept_until: datetime
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Letter:
    """One dead letter.

    `queue` is the queue that the message worked for (never a `-poison` name), `lane` that queue with its account as
    `connection/queue`, `key` its event id, or the SHA-256 of a text without one; `content` the SHA-256 of what the
    message says apart from its counters; `code` the class, `reason` a sentence; `dequeue_count` the deliveries where it
    ended.

    `redrives` is the counter of the message that was met or put last: one with a lower counter is an old copy.
    `fingerprint` is there only where the message is a task's, and then its task has a row or may have one. `count` says
    how often it was opened, `closing` how it was closed last; `etag` is the store's version of it.
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
    first_seen_at: datetime
    last_seen_at: datetime
    count: int = 1
    state: LetterState = "open"
    closing: Closing | None = None
    etag: str = field(default="", compare=False)

    @property
    def id(self) -> str:
        """Its name in addresses and in pointers."""
        return letter_id(self.queue, self.key)

    @property
    def cause(self) -> str:
        """Its reason without what differs from one letter to the next: ids, times and long numbers are a `…`.

        It is one line that can be asked for: what cannot be shown is a `…` too.
        """
        shown = "".join(each if each.isprintable() else "…" for each in " ".join(self.reason.split()))
        return _DIFFERS.sub("…", shown)[:_CAUSE_MAX]


def letter_id(queue: str, key: str) -> str:
    """`<queue>~<key>`: neither can hold a tilde."""
    return f"{queue}~{key}"


def parse_letter_id(text: str) -> tuple[str, str] | None:
    """Queue and key of a letter's id; None for what cannot be one."""
    queue, _, key = text.partition("~")
    return (queue, key) if matches(QUEUE_NAME, queue) and _KEY.fullmatch(key) else None


@dataclass(frozen=True, kw_only=True)
class Note:
    """The last error of an event that is being retried: what a letter will tell if the retries do not help."""

    error: str
    message: str
    dequeue_count: int
