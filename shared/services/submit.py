"""Accept a task: put it on the queue, and nothing else."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from shared import log
from shared.domain import identity
from shared.domain.envelope import SUBMITTED, Envelope, encode
from shared.domain.errors import NotKnownAccepted, told
from shared.domain.receipt import Receipt
from shared.domain.task import Task, fingerprint, task_fields
from shared.services.lanes import Lanes
from shared.services.replay import Replays


async def submit(
    task: Task,
    *,
    caller: str,
    key: str,
    traceparent: str,
    now: datetime,
    lanes: Lanes,
    replays: Replays | None,
    deadline_seconds: float,
    check_new: Callable[[], None],
    put_photo: Callable[[], Awaitable[object]] | None = None,
) -> Receipt:
    """Put one task on the queue and give the receipt for it: one storage request, made before this returns.

    `replays`, for a key that may have been used before, are asked first; a task that is recorded is not put again.
    `check_new` refuses what may be sent again and yet not anew. `put_photo` keeps a photo that came with the task,
    before the task is put; a repeat of it is harmless.

    Raises:
        TaskTooLarge: it does not fit in a message; nothing was sent.
        KeyReused: the key stands for another task; nothing was sent.
        NotKnownAccepted: the put was not acknowledged within the deadline, it may have landed; or the photo could not
            be kept in time, and nothing was put.
    """
    task_id, digest = identity.task_id(caller, key), fingerprint(task)
    text = encode(submitted(task, task_id=task_id, caller=caller, time=now, traceparent=traceparent))
    ends = asyncio.get_running_loop().time() + deadline_seconds
    if replays and (first := await replays.first_receipt(task_id, digest, deadline_seconds=deadline_seconds / 2)):
        return first
    check_new()
    try:
        if put_photo:
            async with asyncio.timeout_at(ends):
                await put_photo()
        left = ends - asyncio.get_running_loop().time()
        await lanes.put(task_id, text, priority=task.priority, deadline_seconds=left)
    except Exception as error:
        # Whatever went wrong, the put may have landed; the caller gets the one honest answer, and the key to try again.
        log.warning("not known to be accepted", task=task_id, because=told(error))
        raise NotKnownAccepted(task_id, key) from error
    return Receipt(task_id=task_id, fingerprint=digest, accepted_at=now, caller_digest=identity.caller_digest(caller))


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
