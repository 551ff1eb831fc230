"""Tell a caller where a task stands."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from shared.domain.errors import DependencyDown, NotFound, told
from shared.domain.receipt import Receipt
from shared.domain.record import RECORD_STEP, SETTLED, Failure, Record, State, Step
from shared.services.record import CONFLICT
from shared.storage.tasks import TaskStore

NEVER_RECORDED = "never_recorded"


@dataclass(frozen=True, kw_only=True)
class Status:
    """Where an accepted task stands. `accepted`: that is proven, and more cannot be read now; `unreadable` says why."""

    id: str
    state: State | Literal["accepted"]
    accepted_at: datetime
    steps: tuple[Step, ...] = ()
    failure: Failure | None = None
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
    try:
        async with asyncio.timeout(deadline_seconds):
            return await tasks.read(task_id)
    except TimeoutError as error:
        raise DependencyDown("the table did not answer in time") from error


async def found(task_id: str, *, tasks: TaskStore, deadline_seconds: float) -> Record:
    """The row of a task, as `find`; NotFound if there is none."""
    record = await find(task_id, tasks=tasks, deadline_seconds=deadline_seconds)
    if record is None:
        raise NotFound(
            "No such task is recorded (yet). Submitting it again with the same key is safe.", code="unknown_task"
        )
    return record


async def status_of(
    receipt: Receipt,
    *,
    now: datetime,
    never_recorded_days: float,
    tasks: TaskStore,
    deadline_seconds: float,
) -> Status:
    """What became of the task that a genuine receipt stands for; answers whatever the table does."""
    try:
        record = await find(receipt.task_id, tasks=tasks, deadline_seconds=deadline_seconds)
    except Exception as error:
        # What the receipt proves is true all the same.
        return replace(_status(receipt, "accepted"), unreadable=told(error))
    if record is None or (record.is_tombstone and not record.stops_receipt(receipt.caller_digest, receipt.fingerprint)):
        if now - receipt.accepted_at <= timedelta(days=never_recorded_days):
            return _status(receipt, "queued")
        return _failed(receipt, NEVER_RECORDED, "The task was accepted and never recorded; submit it again.")
    return status_of_row(receipt, record)


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
