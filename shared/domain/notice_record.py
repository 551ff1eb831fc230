"""What is kept of one notice: whether its target was told, and every try with its time and status, no body."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, get_args

from shared.domain import instants
from shared.domain.notice import Channel, Kind

NoticeState = Literal["waiting", "claimed", "repeated", "sent", "unknown", "skipped", "gone", "failed"]
"""`waiting`: for its first or next try. `claimed`: a try is under way, or was ended without its outcome being known.
`repeated`: the one repeat of such a try is. `sent`: the receiver or the provider took it. `unknown`: it was repeated,
and may have been taken twice, or not at all. `skipped`: there is no address, or the channel is off. `gone`: its
receiver wants no more. `failed`: it cannot be delivered; a dead letter says why."""

NOTICE_STATES: tuple[NoticeState, ...] = get_args(NoticeState)
ENDED: frozenset[NoticeState] = frozenset({"sent", "unknown", "skipped", "gone", "failed"})

ATTEMPTS_MAX = 40
"""The last tries that are kept: those of the schedule, and of some times that it was asked for again."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One try: when it began (UTC), what was answered (a status, or a word), and how long it took."""

    at: datetime
    status: str
    milliseconds: int

    def to_data(self) -> dict[str, Any]:
        """As JSON holds it, in the row and in answers."""
        return {"at": instants.to_text(self.at), "status": self.status, "milliseconds": self.milliseconds}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Attempt":
        """The reverse; raises what a wrong shape raises."""
        milliseconds = int(data["milliseconds"])
        return cls(at=instants.from_text(data["at"]), status=str(data["status"]), milliseconds=milliseconds)


@dataclass(frozen=True, kw_only=True)
class NoticeRecord:
    """One row of the notice table.

    `outcome` is the state of the task that it tells of. `tries` counts those of this round; a new round begins when it
    is asked for again, which `redrives` counts. `changed_at`: when the state was written. `claimed_at`: since when it
    may have been handed over. `operation` names the sending to its provider. `code`, `reason`: why it was not sent.
    """

    task_id: str
    id: str
    kind: Kind
    channel: Channel
    outcome: str
    state: NoticeState
    changed_at: datetime
    redrives: int = 0
    tries: int = 0
    attempts: tuple[Attempt, ...] = ()
    claimed_at: datetime | None = None
    operation: str = ""
    code: str = ""
    reason: str = ""
    etag: str = field(default="", compare=False)

    @property
    def is_ended(self) -> bool:
        """Whether nothing more is tried by itself."""
        return self.state in ENDED

    def tried(self, attempt: Attempt) -> "NoticeRecord":
        """With one more try."""
        return replace(self, tries=self.tries + 1, attempts=(*self.attempts, attempt)[-ATTEMPTS_MAX:])
