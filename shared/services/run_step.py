"""What the trigger of a filter's queue does with one message: work, stamp the row, hand on, tidy up."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import (
    MALFORMED,
    SERVICE_MAX_BYTES,
    UNKNOWN_TYPE,
    Envelope,
    encode,
    with_next_attempt,
)
from shared.domain.errors import HopelessMessage, InvalidTask
from shared.domain.names import CONNECTION
from shared.domain.record import Failure, Record, Step
from shared.domain.task import Task, parse_task
from shared.services.fail_step import fail_step, fingerprint_of
from shared.services.filter_work import Done, Later, Work
from shared.services.filters import Filter, filter_of, next_filter
from shared.services.hand_on import HandOn
from shared.services.record import CONFLICT, GAVE_UP, OUT_OF_TIME, refusal_of
from shared.services.settle_row import End, settle_row
from shared.storage.queues import Queues
from shared.storage.table import StaleRow
from shared.storage.tasks import TaskStore

NO_TASK = "no_task"


@dataclass(frozen=True, kw_only=True)
class StepRun:
    """The use case with its stores. `work_of` gives the work of a filter, opened once."""

    work_of: Callable[[Filter], Work]
    tasks: TaskStore
    queues: Queues
    hand_on: HandOn
    give_up_after: timedelta
    check_targets: Callable[[Task], None]
    check_owner: Callable[[str], Awaitable[None]]

    async def run(self, contents: Contents, delivery: Delivery, *, now: datetime) -> None:
        """Settle one message of a filter's queue.

        A message for a filter that is gone, or that the task does not need, goes on to the next one. A task that is
        not there is made from the message, where it brings one: so another source enters in the middle.

        A repeat finds the stamp, and hands on again. A filter that meets a cancelled task undoes its own work.

        Raises:
            HopelessMessage: it can never be settled; its task, if it is not settled, is failed and says so.
            DependencyDown: a store cannot be used now. DamagedRow: there is a row that cannot be understood.
        """
        event = _event(contents)
        record = await self._row(event)
        if record.is_tombstone:
            return
        step = filter_of(event.step)
        is_due = step is not None and step.is_needed(record.task) and not record.has_done(step.name)
        if step is None or not is_due or record.is_settled:
            await self._pass_on(step, record, event)
            return
        if now - record.under_way_since > self.give_up_after:
            failure = replace(OUT_OF_TIME, step=step.name)
            await self._fail(event, failure)
            raise HopelessMessage(failure.message, code=GAVE_UP)
        try:
            outcome = await self.work_of(step).do(record, event, delivery, now=now)
        except HopelessMessage as error:
            await self._fail(event, Failure(code=error.code, message=error.reason, step=step.name))
            raise
        if isinstance(outcome, Later):
            text = encode(with_next_attempt(event), limit=SERVICE_MAX_BYTES)  # another source's may be as large
            await self.queues.put(CONNECTION, delivery.queue, text, delay_seconds=outcome.seconds)
            return
        done = Step(step=step.name, at=now, attempt=delivery.dequeue_count)
        await self._pass_on(step, await self._stamp(record, done, outcome), event)

    async def _row(self, event: Envelope) -> Record:
        """The task's row; made where there is none and the message brings the task."""
        if "task" in event.data:
            record = await self._brought(event)
        else:
            stored = await self.tasks.read(event.subject)
            if stored is None:
                raise HopelessMessage("there is no task with this id", code=NO_TASK)
            record = stored
        if not record.is_tombstone and fingerprint_of(event) not in ("", record.fingerprint):
            raise HopelessMessage("this id already stands for a task with another content", code=CONFLICT)
        return record

    async def _brought(self, event: Envelope) -> Record:
        """The row of a task that comes with the message of a filter: checked, listed, and its owner told, as if it was
        recorded. Nothing is done for it yet."""
        brought = _task_in(event)

        async def end_of(task: Task) -> End:
            refusal = await refusal_of(task, self.check_targets, self.check_owner) if task is brought else None
            return End("failed", failure=replace(refusal, step=event.step)) if refusal else End("succeeded")

        record = await settle_row(event, brought, end_of=end_of, tasks=self.tasks)
        if record.fingerprint == fingerprint_of(event):
            await self.tasks.point(record)
            if "owner" not in record.submitted_fields:
                await self.hand_on.tell_owner(record, traceparent=event.traceparent)
        return record

    async def _stamp(self, record: Record, done: Step, outcome: Done) -> Record:
        """Write that the step was done, and give the row as it then stands: perhaps somebody settled it meanwhile."""
        while not (record.is_settled or record.has_done(done.step)):
            try:
                return await self.tasks.change(_stamped(record, done, outcome.changes))
            except StaleRow:
                record = await self._again(record)
        return record

    async def _pass_on(self, step: Filter | None, record: Record, event: Envelope) -> None:
        if record.state == "cancelled":
            if step is not None:
                await self.work_of(step).undo(record)
            return
        record = await self._ended(record)
        await self.hand_on.after(record, traceparent=event.traceparent)
        if step is not None and record.has_done(step.name):
            await self.work_of(step).tidy(record)
        if failure := _failure_of(record, event):
            raise HopelessMessage(failure.message, code=failure.code)

    async def _ended(self, record: Record) -> Record:
        """The row; as succeeded, if there is nothing left to do: the last filter that it needed was taken out."""
        while not record.is_settled and next_filter(record.task, record.steps) is None:
            try:
                return await self.tasks.change(replace(record, state="succeeded"))
            except StaleRow:
                record = await self._again(record)
        return record

    async def _fail(self, event: Envelope, failure: Failure) -> None:
        record = await fail_step(event, failure, tasks=self.tasks)
        if record and record.is_settled:  # one that was reopened since has a message of its own
            await self.hand_on.after(record, traceparent=event.traceparent)

    async def _again(self, record: Record) -> Record:
        again = await self.tasks.read(record.id)
        if again is None:
            raise HopelessMessage("the row of the task was removed", code=NO_TASK)
        return again


def _failure_of(record: Record, event: Envelope) -> Failure | None:
    """Why the task failed with this very event, whose letter may not be written yet; or otherwise, although the event
    was sent to try it again: its letter was closed for that, and opens."""
    failure = record.failure
    if record.state != "failed" or failure is None or event.redrives < record.redrives:
        return None
    return failure if failure.step == event.step or event.reopened_at else None


def _event(contents: Contents) -> Envelope:
    if contents.hopeless:
        raise contents.hopeless
    if contents.envelope is None:
        raise HopelessMessage("a message of this queue must be an event; tasks go on the task queue", code=MALFORMED)
    if not contents.envelope.step:
        raise HopelessMessage("the event is for another queue: this one takes those of steps", code=UNKNOWN_TYPE)
    return contents.envelope


def _task_in(event: Envelope) -> Task:
    fields = event.data["task"]
    if not isinstance(fields, dict):
        raise HopelessMessage("the event's task must be an object", code=MALFORMED)
    try:
        return parse_task(fields)
    except InvalidTask as error:
        raise HopelessMessage(error.detail, code=error.code) from error


def _stamped(record: Record, done: Step, changes: Mapping[str, Any]) -> Record:
    steps = (*record.steps, done)
    state = "processing" if next_filter(record.task, steps) else "succeeded"
    return replace(record, **{**changes, "steps": steps, "state": state})
