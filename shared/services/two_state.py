"""The two-state call: a task is done (or failed) in time, or it is reversed. Never "perhaps"."""

import asyncio
from collections.abc import Awaitable, Callable

from shared.domain.errors import NotKnownAccepted, NotKnownCancelled, Reversed
from shared.domain.receipt import Receipt
from shared.services.cancel import Reversal
from shared.services.status import Status, status_of_row


async def settle_or_reverse(
    expected: Receipt,
    *,
    submit: Callable[[float], Awaitable[Receipt]],
    wait: Callable[[Receipt, float], Awaitable[Status]],
    look: Callable[[Receipt, float], Awaitable[Status]],
    reverse: Callable[[float], Awaitable[Reversal]],
    key: str,
    wait_seconds: float,
    submit_seconds: float,
    read_seconds: float,
) -> tuple[Receipt, Status]:
    """Submit a task and give its receipt and status if it succeeds or fails in time; else reverse it.

    `submit`, `look` and `reverse` are told how many seconds they have: the put of the task, a read, and the table when
    the command to cancel is put; `wait` is told when (of the loop's clock) it ends. `expected` is the receipt that the
    task will have. The wait counts from now, the put of the task included; after it follow half the `read_seconds` for
    one more look, `submit_seconds` for the command, and the other half for the row. A task whose put was not
    acknowledged is reversed at once.

    Raises:
        CallerError: the task cannot be taken; nothing was queued.
        Reversed: its row says cancelled, or the command that reverses even success is on a queue.
        NotKnownCancelled: neither could be made sure. The same call again, with the same key, is safe.
    """
    clock = asyncio.get_running_loop().time
    ends, receipt = clock() + wait_seconds, expected
    try:
        receipt = await submit(min(submit_seconds, wait_seconds))
    except NotKnownAccepted:
        ends = clock()
    status = await wait(receipt, ends)
    if not status.is_settled:
        status = await look(receipt, read_seconds / 2)
    if not status.is_settled:
        reversal = await reverse(read_seconds / 2)
        if reversal.record:
            status = status_of_row(receipt, reversal.record)
        elif reversal.is_queued:
            raise Reversed(receipt.task_id, key)
        else:
            raise NotKnownCancelled(receipt.task_id, key)
    if status.state == "cancelled":
        raise Reversed(receipt.task_id, key)
    return receipt, status
