"""Accept a task: put it on the queue, and nothing else."""

import logging
from datetime import datetime

from shared.domain import identity
from shared.domain.envelope import SUBMITTED, Envelope, encode
from shared.domain.errors import NotKnownAccepted, told
from shared.domain.receipt import Receipt
from shared.domain.task import Task, fingerprint, task_fields
from shared.services.lanes import Lanes

log = logging.getLogger("fixit")


async def submit(
    task: Task, *, caller: str, key: str, traceparent: str, now: datetime, lanes: Lanes, deadline_seconds: float
) -> Receipt:
    """Put one task on the queue and give the receipt for it: one storage request, made before this returns.

    Raises:
        TaskTooLarge: it does not fit in a message; nothing was sent.
        NotKnownAccepted: the put was not acknowledged within the deadline; it may have landed.
    """
    task_id, digest = identity.task_id(caller, key), fingerprint(task)
    text = encode(submitted(task, task_id=task_id, caller=caller, time=now, traceparent=traceparent))
    try:
        await lanes.put(task_id, text, priority=task.priority, deadline_seconds=deadline_seconds)
    except Exception as error:
        # Whatever went wrong, the put may have landed; the caller gets the one honest answer, and the key to try again.
        log.warning("not known to be accepted: task=%s %s", task_id, told(error))
        raise NotKnownAccepted(task_id, key) from error
    return Receipt(task_id=task_id, fingerprint=digest, accepted_at=now)


def submitted(task: Task, *, task_id: str, caller: str, time: datetime, traceparent: str = "") -> Envelope:
    """The event that says that a task was submitted."""
    return Envelope(
        id=identity.submitted_event_id(task_id, fingerprint(task)),
        type=SUBMITTED,
        subject=task_id,
        time=time,
        caller=caller,
        data=task_fields(task),
        traceparent=traceparent,
    )
