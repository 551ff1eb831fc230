"""What the work of a filter is: its protocol, what it may answer, and what it is made from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from shared.domain.delivery import Delivery
from shared.domain.envelope import Envelope
from shared.domain.record import Record
from shared.storage.account import Account


@dataclass(frozen=True, kw_only=True)
class Done:
    """A filter did its work. `changes` are what the row is to say: fields of a Record."""

    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Later:
    """A filter waits, by its own schedule, and wants its message back after so many seconds."""

    seconds: int


class Work(Protocol):
    """What a filter does. All of it may be repeated, and may be ended anywhere."""

    async def do(self, record: Record, event: Envelope, delivery: Delivery, *, now: datetime) -> Done | Later:
        """Work for the task, and write nothing of its row.

        Raises:
            HopelessMessage: the task fails with this reason. DependencyDown: the message is put back.
        """
        ...

    async def tidy(self, record: Record) -> None:
        """Remove what nobody needs once the row is stamped and the task handed on."""
        ...

    async def undo(self, record: Record) -> None:
        """The task was cancelled: undo whatever there is of the work, also if it was never begun."""
        ...


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What the work of a filter is made from. `keys` raises SettingsError while the keys cannot be used."""

    account: Account
    keys: Callable[[], Sequence[bytes]]
    upload_time: timedelta
    photo_wait_seconds: float
    step_seconds: float
