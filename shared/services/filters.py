"""The pipeline: its filters in their order, once, as data. Adding one touches this list and the file of its work.

A filter has a queue with its poison queue, a function, and a stamp in the row. A task goes to the first filter of the
list that it needs and has not completed. So the order is free to change with messages in flight. To remove a filter,
let it be needed by no task first: whatever waits on its queue is passed on. Then, once that queue is empty, remove it.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from shared.domain.delivery import Delivery
from shared.domain.envelope import Envelope
from shared.domain.names import NOTICE_QUEUE, PHOTO_QUEUE
from shared.domain.record import Record, Step
from shared.domain.task import Task
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
    public_blob_url: str
    upload_time: timedelta
    photo_wait_seconds: float
    step_seconds: float


@dataclass(frozen=True, kw_only=True)
class Filter:
    """One step behind the record step.

    `name` is that of the step, of its function and of its event type. `open` makes the work, with whatever that
    imports. `deliveries`: after how many failed ones the app gives up (None: when the platform does). `repeat_costs`
    says what a delivery costs whose work was already done.
    """

    name: str
    queue: str
    is_needed: Callable[[Task], bool]
    open: Callable[[Parts], Work]
    deliveries: int | None = None
    repeat_costs: str = "a read, and what was handed on once more"


def _photo(parts: Parts) -> Work:
    from shared.services.photo import open_photo

    return open_photo(parts)


PHOTO = Filter(
    name="photo",
    queue=PHOTO_QUEUE,
    is_needed=lambda task: bool(task.photo_id),
    open=_photo,
    deliveries=3,
)

FILTERS: tuple[Filter, ...] = (PHOTO,)


STEP_QUEUES = (*dict.fromkeys(each.queue for each in FILTERS), NOTICE_QUEUE)
"""The queues behind the task queues."""


def filter_of(step: str) -> Filter | None:
    """The filter of this name, if there is one."""
    return next((each for each in FILTERS if each.name == step), None)


def next_filter(task: Task, steps: Collection[Step]) -> Filter | None:
    """The filter that a task needs next after these steps; None if nothing is left to do."""
    done = {step.step for step in steps}
    return next((each for each in FILTERS if each.is_needed(task) and each.name not in done), None)


Compensate = Callable[[Record], Awaitable[None]]
