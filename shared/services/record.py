"""The record step: a submitted task becomes its row, then a pointer in each list, and goes on from there."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from shared.domain.envelope import SUBMITTED, Envelope
from shared.domain.errors import HopelessMessage, InvalidTask
from shared.domain.record import RECORD_STEP, Failure, Record, Step
from shared.domain.task import Task, fingerprint, parse_task
from shared.services.filters import Compensate
from shared.services.hand_on import HandOn
from shared.services.settle_row import End, settle_row
from shared.storage.tasks import TaskStore

CONFLICT = "idempotency_conflict"
GAVE_UP = "gave_up"
OUT_OF_TIME = Failure(code=GAVE_UP, message="It could not be settled in time.", step=RECORD_STEP)


async def record(
    envelope: Envelope,
    *,
    attempt: int,
    now: datetime,
    give_up_after: timedelta,
    check_targets: Callable[[Task], None],
    check_owner: Callable[[str], Awaitable[None]],
    tasks: TaskStore,
    hand_on: HandOn,
    compensate: Compensate,
) -> None:
    """Write the task once, as succeeded if it needs no filter, and hand it on. One that may not be answered or called
    back, whose owner nobody knows, or that nobody could settle in time, is written as failed.

    Of a task that was edited since, the row's content counts, not the message's.

    A repeat costs a refused create, a read, and the same pointers and messages again; it never changes a settled task.

    A task that was cancelled meanwhile stays so. What this step has made of it is nothing to undo: the row says that it
    was cancelled, and its pointers are completed, since they show no more than the row bears out.

    Of one that was cancelled before it came, what came with it is removed: its filters undo what they would have done.

    The owner is told of the task here, and so does not wait for a filter. One who came by an edit is told by its event.

    Raises:
        HopelessMessage: the task breaks a rule, or its id already stands for another content.
        DependencyDown: the table cannot be used now; what was written is found again by the repeat.
    """
    task, done = task_of(envelope), Step(step=RECORD_STEP, at=now, attempt=attempt)

    async def end_of(task: Task) -> End:
        if now - envelope.under_way_since > give_up_after:  # looked at first: it asks for no setting that may be wrong
            return End("failed", failure=OUT_OF_TIME)
        refusal = await refusal_of(task, check_targets, check_owner)
        return End("failed", failure=refusal) if refusal else End("succeeded", steps=(done,))

    stored = await settle_row(envelope, task, end_of=end_of, tasks=tasks)
    if stored.is_tombstone:
        await compensate(_never_begun(envelope, task))
        return
    if stored.fingerprint != fingerprint(task):
        raise HopelessMessage("this id already stands for a task with another content", code=CONFLICT)
    await tasks.point(stored)
    if "owner" not in stored.submitted_fields:
        await hand_on.tell_owner(stored, traceparent=envelope.traceparent)
    await hand_on.after(stored, traceparent=envelope.traceparent)
    # Failed by another message although this one was sent to try it again: its letter was closed for that, and opens.
    is_in_vain = envelope.reopened_at is not None and envelope.redrives >= stored.redrives
    if (
        stored.failure
        and stored.state == "failed"
        and stored.failure.step == RECORD_STEP
        and (is_in_vain or stored.failure == (await end_of(stored.task)).failure)
    ):
        raise HopelessMessage(stored.failure.message, code=stored.failure.code)


def _never_begun(envelope: Envelope, task: Task) -> Record:
    """What the row of a task would say that was cancelled before it came."""
    return Record(
        id=envelope.subject,
        task=task,
        caller=envelope.caller,
        fingerprint=fingerprint(task),
        submitted_at=envelope.time,
        state="cancelled",
    )


async def refusal_of(
    task: Task, check_targets: Callable[[Task], None], check_owner: Callable[[str], Awaitable[None]]
) -> Failure | None:
    """Why a task that obeys every rule of form must fail all the same, if it must."""
    try:
        check_targets(task)
        await check_owner(task.owner)
    except InvalidTask as error:
        return Failure(code=error.code, message=error.detail, step=RECORD_STEP)
    return None


def task_if_legal(envelope: Envelope | None) -> Task | None:
    """The task of a submitted event that obeys the rules: only such a one can have a row."""
    if envelope is None or envelope.type != SUBMITTED:
        return None
    try:
        return task_of(envelope)
    except HopelessMessage:
        return None


def task_of(envelope: Envelope) -> Task:
    """The task that a submitted event carries; HopelessMessage when it breaks a rule of tasks."""
    try:
        return parse_task(envelope.data)
    except InvalidTask as error:
        raise HopelessMessage(error.detail, code=error.code) from error
