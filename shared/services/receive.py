"""What the trigger of a task queue does with one message: record, cancel, edit, adopt a bare task, refuse the rest."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import CANCELLED, REASSIGNED, SUBMITTED, UNKNOWN_TYPE
from shared.domain.errors import HopelessMessage
from shared.domain.task import Task
from shared.services.adopt import adopted
from shared.services.cancel import cancel
from shared.services.filters import Compensate
from shared.services.hand_on import HandOn
from shared.services.record import record
from shared.storage.queues import Queues
from shared.storage.tasks import TaskStore


async def receive(
    contents: Contents,
    delivery: Delivery,
    *,
    now: datetime,
    give_up_after: timedelta,
    check_targets: Callable[[Task], None],
    check_owner: Callable[[str], Awaitable[None]],
    queues: Queues,
    tasks: TaskStore,
    hand_on: HandOn,
    compensate: Compensate,
) -> None:
    """Settle one message of a task queue.

    Raises:
        HopelessMessage: it can never be settled.
        DependencyDown: a store cannot be used now.
    """
    if contents.hopeless:
        raise contents.hopeless
    if contents.envelope and contents.envelope.type == CANCELLED:
        command = contents.envelope
        stored = await cancel(command, attempt=delivery.dequeue_count, now=now, tasks=tasks)
        if stored.state == "cancelled" and not stored.is_tombstone:
            await compensate(stored)
            await hand_on.after(stored, traceparent=command.traceparent)
    elif contents.envelope and contents.envelope.type == REASSIGNED:
        from shared.services.reassign import reassign  # seldom

        await reassign(contents.envelope, now=now, check_owner=check_owner, tasks=tasks, hand_on=hand_on)
    elif contents.envelope and contents.envelope.type != SUBMITTED:
        raise HopelessMessage("the event is for another queue: this one takes tasks", code=UNKNOWN_TYPE)
    elif contents.envelope:
        await record(
            contents.envelope,
            attempt=delivery.dequeue_count,
            now=now,
            give_up_after=give_up_after,
            check_targets=check_targets,
            check_owner=check_owner,
            tasks=tasks,
            hand_on=hand_on,
            compensate=compensate,
        )
    else:
        await queues.put(delivery.lane.connection, delivery.queue, adopted(contents, delivery))
