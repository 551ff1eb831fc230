"""What is kept about a task: the task, where it stands, and how it came there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from shared.domain import identity, instants
from shared.domain.photo import Photo
from shared.domain.task import Task, with_fields

State = Literal["queued", "processing", "succeeded", "failed", "cancelled"]

SETTLED: frozenset[State] = frozenset({"succeeded", "failed", "cancelled"})

RECORD_STEP = "record"
CANCEL_STEP = "cancel"
REASSIGN_STEP = "reassign"
NOTICE_STEP = "notice"

ANYBODY = "*"
"""In a tombstone: whoever's task it is, an operator stopped it."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One entry of the timeline: which step was done, when (UTC), at which delivery of its message."""

    step: str
    at: datetime
    attempt: int

    def to_data(self) -> dict[str, Any]:
        """The entry as JSON holds it, in the row and in answers."""
        return {"step": self.step, "at": instants.to_text(self.at), "attempt": self.attempt}


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a task failed: a stable code, a sentence, and the step at which it did."""

    code: str
    message: str
    step: str


@dataclass(frozen=True, kw_only=True)
class Record:
    """One row of the task table. `etag` is the store's version of it, empty before it is written.

    `task` is the task as it is now. `submitted_fields` holds, by their names in JSON, what was submitted for the fields
    that were edited since; `fingerprint` stays that of the submission. `edit_id` names the last edit, `edited_from` the
    version that it was made for (a tag), `edited_at` says when that was.

    `photo` says what became of the photo that the task names, once that is known.

    `redrives` counts how often it was reopened, `reopened_at` says when that was last. A row without fingerprint is the
    tombstone of a task that was cancelled before it came; its `caller` is who cancelled: all of them, each on a line,
    with a tab and a fingerprint behind it where only that content is stopped. The line `*` stops whoever's task.
    """

    id: str
    task: Task
    caller: str
    fingerprint: str
    submitted_at: datetime
    state: State
    steps: tuple[Step, ...] = ()
    failure: Failure | None = None
    redrives: int = 0
    reopened_at: datetime | None = None
    submitted_fields: Mapping[str, Any] = field(default_factory=dict)
    edit_id: str = ""
    edited_from: str = ""
    edited_at: datetime | None = None
    photo: Photo | None = None
    etag: str = field(default="", compare=False)

    @property
    def submitted_task(self) -> Task:
        """The task as it was submitted, which is what its messages carry."""
        return with_fields(self.task, self.submitted_fields)

    @property
    def is_settled(self) -> bool:
        """Whether nothing moves the task any more by itself."""
        return self.state in SETTLED

    @property
    def is_tombstone(self) -> bool:
        """Whether the task itself never came."""
        return not self.fingerprint

    def stops(self, caller: str, fingerprint: str) -> bool:
        """Whether it is a tombstone that stops this content of this caller. Ids can be guessed: others' go on."""
        return any(who in (caller, ANYBODY) for who in self._stopped(fingerprint))

    def stops_receipt(self, caller_digest: bytes, fingerprint: str) -> bool:
        """As `stops`, of the caller of whom a receipt holds the digest."""
        stopped = self._stopped(fingerprint)
        return any(who == ANYBODY or identity.caller_digest(who) == caller_digest for who in stopped)

    def _stopped(self, fingerprint: str) -> Iterator[str]:
        """Whose task of this content a tombstone stops."""
        for line in self.caller.split("\n") if self.is_tombstone else ():
            who, _, content = line.partition("\t")
            if content in ("", fingerprint):
                yield who

    def is_of(self, caller: str) -> bool:
        """Whether the task is this caller's; a tombstone is so for whoever it stops, be it one content alone."""
        if not self.is_tombstone:
            return self.caller == caller
        return any(line.partition("\t")[0] in (caller, ANYBODY) for line in self.caller.split("\n"))

    @property
    def under_way_since(self) -> datetime:
        """When it was submitted, or last reopened."""
        return self.reopened_at or self.submitted_at

    def has_done(self, step: str) -> bool:
        """Whether this step was completed."""
        return any(each.step == step for each in self.steps)

    @property
    def last_completed_step(self) -> str:
        return self.steps[-1].step if self.steps else ""
