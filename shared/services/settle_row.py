"""Write what the record step makes of a task exactly once, whoever else is at it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from shared.domain.envelope import Envelope
from shared.domain.record import Failure, Record, State, Step
from shared.domain.task import Task, fingerprint
from shared.services.filters import next_filter
from shared.storage.table import StaleRow
from shared.storage.tasks import TaskStore


@dataclass(frozen=True)
class End:
    """How the record step ends a task: the state, the steps that were done for it, and why it failed if it did.

    One that succeeded is `processing` as long as it needs a filter.
    """

    state: State
    steps: tuple[Step, ...] = ()
    failure: Failure | None = None


async def settle_row(
    envelope: Envelope, task: Task, *, end_of: Callable[[Task], Awaitable[End]], tasks: TaskStore
) -> Record:
    """Write the row if there is none; if there is an unsettled one of the same submission, add what was done.

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
        state=_state(end, task, end.steps),
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
            steps = (*stored.steps, *(step for step in end.steps if not stored.has_done(step.step)))
            changed = replace(stored, state=_state(end, stored.task, steps), steps=steps, failure=end.failure)
            return stored if changed == stored else await tasks.change(changed)
        except StaleRow:
            continue  # somebody changed it meanwhile


def _state(end: End, task: Task, steps: Sequence[Step]) -> State:
    return "processing" if end.state == "succeeded" and next_filter(task, steps) else end.state
