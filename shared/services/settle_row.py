"""Bring a task's row to an end exactly once, whoever else is at it."""

from shared.domain.record import Record
from shared.storage.table import StaleRow
from shared.storage.tasks import TaskStore


async def settle_row(settled: Record, tasks: TaskStore) -> Record:
    """Write the row if there is none; if there is an unsettled one of the same content, add the steps and settle it.

    Gives the row as it then stands. A settled row, or one of another content, is given as it is.
    """
    while True:
        created = await tasks.create(settled)
        if created:
            return created
        stored = await tasks.read(settled.id)
        if stored is None:
            continue  # it was removed between the two calls
        if stored.is_settled or stored.fingerprint != settled.fingerprint:
            return stored
        try:
            steps = (*stored.steps, *settled.steps)
            return await tasks.settle(stored, state=settled.state, steps=steps, failure=settled.failure)
        except StaleRow:
            continue  # somebody changed it meanwhile
