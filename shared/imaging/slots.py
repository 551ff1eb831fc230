"""At most two decodes at a time in a process, whoever waits for them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

SLOTS = 2
"""Each decode takes up to 640 MB (see limits.py); an instance has 2,048 MB and at least one processor."""


async def in_slot[T](work: Callable[[], T]) -> T:
    """What `work` returns, run in a thread once one of the slots is free.

    A wait that is cancelled takes its work out of the line. Work that has begun cannot be stopped: it keeps its thread,
    and so its slot, until it ends, and its outcome is dropped.
    """
    return await asyncio.get_running_loop().run_in_executor(_threads(), work)


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=SLOTS, thread_name_prefix="photo")
