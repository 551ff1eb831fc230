"""What the trigger of a task queue does with one message: record, cancel, edit, adopt a bare task, refuse the rest."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import CANCELLED, REASSIGNED
from shared.services.adopt import adopted
from shared.services.cancel import cancel
from shared.services.record import record
from shared.storage.queues import Queues
from shared.storage.tasks import TaskStore


async def receive(
    contents: Contents,
    delivery: Delivery,
    *,
    now: datetime,
    give_up_after: timedelta,
    may_reply_to: Callable[[str], bool],
    check_owner: Callable[[str], Awaitable[None]],
    queues: Queues,
    tasks: TaskStore,
) -> None:
    """Settle one message of a task queue.

    Raises:
        HopelessMessage: it can never be settled.
        DependencyDown: a store cannot be used now.
    """
    if contents.hopeless:
        raise contents.hopeless
    if contents.envelope and contents.envelope.type == CANCELLED:
        await cancel(contents.envelope, attempt=delivery.dequeue_count, now=now, tasks=tasks)
    elif contents.envelope and contents.envelope.type == REASSIGNED:
        from shared.services.reassign import reassign  # seldom

        await reassign(contents.envelope, now=now, check_owner=check_owner, tasks=tasks)
    elif contents.envelope:
        await record(
            contents.envelope,
            attempt=delivery.dequeue_count,
            now=now,
            give_up_after=give_up_after,
            may_reply_to=may_reply_to,
            check_owner=check_owner,
            tasks=tasks,
        )
    else:
        await queues.put(delivery.lane.connection, delivery.queue, adopted(contents, delivery))
