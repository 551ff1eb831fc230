"""Wait until a task is settled."""

import asyncio
from collections.abc import Awaitable, Callable

from shared.domain.receipt import Receipt
from shared.services.status import Status

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.05, 1

Look = Callable[[Receipt, float], Awaitable[Status]]
"""Reads where a receipt's task stands, within so many seconds; says `accepted` where that cannot be read now."""


async def wait_until_settled(receipt: Receipt, look: Look, *, ends: float, look_seconds: float) -> Status:
    """Where the task stands once it is settled, or else at `ends` (of the loop's clock), when it is looked at last.

    One look takes `look_seconds` at most, so this takes no longer than until then after `ends`.
    """
    now = asyncio.get_running_loop().time
    pause: float = FIRST_PAUSE_SECONDS
    while True:
        await asyncio.sleep(max(0, min(pause, ends - now())))
        left = ends - now()
        status = await look(receipt, look_seconds if left <= 0 else min(left, look_seconds))
        if status.is_settled or left <= 0:
            return status
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
