"""Tell a caller where a task stands."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from shared.domain.errors import DependencyDown, UnknownTask, told
from shared.domain.principal import Principal
from shared.domain.receipt import Receipt
from shared.domain.record import RECORD_STEP, SETTLED, Failure, Record, State, Step
from shared.services.deadline import answers_within
from shared.services.record import CONFLICT
from shared.storage.tasks import TaskStore

NEVER_RECORDED = "never_recorded"


@dataclass(frozen=True, kw_only=True)
class Status:
    """Where an accepted task stands. `accepted`: that is proven, and more cannot be read now; `unreadable` says why.

    `is_overdue`: it is known not to be settled, and has been under way for longer than the target.
    """

    id: str
    state: State | Literal["accepted"]
    accepted_at: datetime
    steps: tuple[Step, ...] = ()
    failure: Failure | None = None
    is_overdue: bool = False
    unreadable: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether asking again is pointless."""
        return self.state in SETTLED


async def find(task_id: str, *, tasks: TaskStore, deadline_seconds: float) -> Record | None:
    """The row of a task, for somebody who waits for it; None if there is none.

    Raises:
        DependencyDown: the table cannot be used now, or did not answer within the deadline.
    """
    async with answers_within(deadline_seconds):
        return await tasks.read(task_id)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What one read of a task's row found: the row, that there is none, or the error because of which nobody knows."""

    record: Record | None = None
    error: Exception | None = None


async def read(task_id: str, *, tasks: TaskStore, seconds: float) -> Reading:
    """As `find`, within so many seconds; never raises."""
    try:
        return Reading(record=await find(task_id, tasks=tasks, deadline_seconds=seconds))
    except Exception as error:
        return Reading(error=error)


def seen_by(who: Principal, reading: Reading) -> Record | None:
    """The row that was read, if this caller may see it: any other is not there for them."""
    record = reading.record
    return record if record and who.sees(record) else None


def found(who: Principal, reading: Reading) -> Record:
    """As `seen_by`; UnknownTask if there is none, DependencyDown or another error if it could not be read."""
    if reading.error:
        raise _own(reading.error) from reading.error
    record = seen_by(who, reading)
    if record is None:
        raise UnknownTask
    return record


def _own(error: Exception) -> Exception:
    """One that can be raised: a reading is shared, and each raise of its error would keep another request's frames."""
    return DependencyDown(f"{error}") if isinstance(error, DependencyDown) else RuntimeError("the row cannot be read")


def status_of(
    receipt: Receipt, reading: Reading, *, now: datetime, never_recorded_days: float, target_seconds: float
) -> Status:
    """What became of the task that a genuine receipt stands for; what it proves is true whatever the table does."""
    record = reading.record
    if reading.error:
        return replace(_status(receipt, "accepted"), unreadable=told(reading.error))
    if record is None or (record.is_tombstone and not record.stops_receipt(receipt.caller_digest, receipt.fingerprint)):
        if now - receipt.accepted_at > timedelta(days=never_recorded_days):
            return _failed(receipt, NEVER_RECORDED, "The task was accepted and never recorded; submit it again.")
        status, since = _status(receipt, "queued"), receipt.accepted_at
    else:
        status, since = status_of_row(receipt, record), record.under_way_since
    return replace(status, is_overdue=is_overdue(status.state, since, now=now, target_seconds=target_seconds))


def is_overdue(state: str, since: datetime, *, now: datetime, target_seconds: float) -> bool:
    """Whether a task that is under way since then is not settled, though the target has passed."""
    return state not in SETTLED and (now - since).total_seconds() > target_seconds


def status_of_row(receipt: Receipt, record: Record) -> Status:
    """What a row says of the task of a receipt. A tombstone stands for whichever content would have come."""
    if not record.is_tombstone and record.fingerprint != receipt.fingerprint:
        return _failed(receipt, CONFLICT, "Its idempotency key already stood for another task; use a new key.")
    return Status(
        id=record.id,
        state=record.state,
        accepted_at=receipt.accepted_at,
        steps=record.steps,
        failure=record.failure,
    )


def _status(receipt: Receipt, state: State | Literal["accepted"], failure: Failure | None = None) -> Status:
    return Status(id=receipt.task_id, state=state, accepted_at=receipt.accepted_at, failure=failure)


def _failed(receipt: Receipt, code: str, message: str) -> Status:
    return _status(receipt, "failed", Failure(code=code, message=message, step=RECORD_STEP))
