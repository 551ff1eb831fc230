"""Bring a task's row to an end exactly once, whoever else is at it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from shared.domain.envelope import Envelope
from shared.domain.record import Failure, Record, State, Step
from shared.domain.task import Task, fingerprint
from shared.storage.table import StaleRow
from shared.storage.tasks import TaskStore


@dataclass(frozen=True)
class End:
    """How a task ends: the state, the steps that were done for it, and why it failed if it did."""

    state: State
    steps: tuple[Step, ...] = ()
    failure: Failure | None = None


async def settle_row(
    envelope: Envelope, task: Task, *, end_of: Callable[[Task], Awaitable[End]], tasks: TaskStore
) -> Record:
    """Write the row if there is none; if there is an unsettled one of the same submission, add the steps and settle it.

    `end_of` says how a task ends by what it holds: the task of the message, or that of its row, which may have been
    edited since and then is the one that counts.

    An old copy, one from before the task was reopened, may complete it and never fails it.

    Gives the row as it then stands. A settled row, or one of another content, is given as it is; so is the tombstone of
    a task that its caller cancelled before it came. One that another caller left is overwritten: ids can be guessed.

    Raises:
        DependencyDown: the table cannot be used now. DamagedRow: there is a row that cannot be understood.
    """
    end = await end_of(task)
    settled = Record(
        id=envelope.subject,
        task=task,
        caller=envelope.caller,
        fingerprint=fingerprint(task),
        submitted_at=envelope.time,
        state=end.state,
        steps=end.steps,
        failure=end.failure,
        redrives=envelope.redrives,
        reopened_at=envelope.reopened_at,
    )
    while True:
        created = await tasks.create(settled)
        if created:
            return created
        stored = await tasks.read(settled.id)
        if stored is None:
            continue  # it was removed between the two calls
        try:
            if stored.is_tombstone and not stored.stops(envelope.caller, settled.fingerprint):
                return await tasks.overwrite(replace(settled, etag=stored.etag))
            if stored.is_settled or stored.fingerprint != settled.fingerprint:
                return stored
            end = await end_of(stored.task)
            if end.state == "failed" and envelope.redrives < stored.redrives:
                return stored
            steps = (*stored.steps, *end.steps)
            return await tasks.change(replace(stored, state=end.state, steps=steps, failure=end.failure))
        except StaleRow:
            continue  # somebody changed it meanwhile
