"""Wait for news of a task: one poll for each task, however many wait for it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context

from shared.services.deadline import TABLE, late
from shared.services.status import Reading, read
from shared.storage.tasks import TaskStore

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.05, 2
"""Between two reads of one poll. The pause doubles, and begins anew with each waiter who comes or has to go."""


class Watch:
    """Every wait of this process: each task that is waited for is read once at a time, and no other is read."""

    def __init__(self, tasks: TaskStore, *, read_seconds: float) -> None:
        self._tasks = tasks
        # Half of what one read may take: where one hangs as a waiter's time ends, there is time for another.
        self._read_seconds = read_seconds / 2
        self._polls: dict[str, _Poll] = {}

    async def until(
        self, task_id: str, is_enough: Callable[[Reading], bool], *, ends: float, more_seconds: float = 0
    ) -> Reading:
        """The first reading that is enough, or at `ends` (of the loop's clock) a last one, whatever it says.

        Each was begun after this was called, the last one after `ends`. Where that does not come within `more_seconds`,
        the reading says so.
        """
        with self._waiting(task_id) as poll:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(ends):
                    reading = await poll.fresh()
                    while not is_enough(reading):
                        reading = await poll.next()
                    return reading
            with suppress(TimeoutError):
                async with asyncio.timeout(more_seconds):
                    return await poll.fresh()
        return Reading(error=late(TABLE))

    @contextmanager
    def _waiting(self, task_id: str) -> Iterator["_Poll"]:
        """The poll of a task: begun for its first waiter, ended with its last."""
        poll = self._polls.get(task_id)
        if poll is None:
            poll = self._polls[task_id] = _Poll(lambda: read(task_id, tasks=self._tasks, seconds=self._read_seconds))
        poll.waiters += 1
        try:
            yield poll
        finally:
            poll.waiters -= 1
            if not poll.waiters:
                del self._polls[task_id]
                poll.end()


class _Poll:
    """Reads one task over and over, until it is ended."""

    def __init__(self, look: Callable[[], Awaitable[Reading]]) -> None:
        self.waiters = 0
        self._look = look
        self._begun = 0
        self._done = 0
        self._reading = Reading()
        self._news = asyncio.Event()
        self._wanted = asyncio.Event()
        # It is none of the request that happened to come first.
        self._task = asyncio.create_task(self._run(), context=Context())

    async def fresh(self) -> Reading:
        """One that is begun from now on, and soon."""
        begun = self._begun
        self._wanted.set()
        while self._done <= begun:
            await self._news.wait()
        return self._reading

    async def next(self) -> Reading:
        """The one after the last."""
        await self._news.wait()
        return self._reading

    def end(self) -> None:
        """Read no more."""
        self._task.cancel()

    async def _run(self) -> None:
        pause: float = FIRST_PAUSE_SECONDS
        while True:
            self._wanted.clear()
            self._begun += 1
            self._reading = await self._look()
            self._done = self._begun
            self._news.set()
            self._news = asyncio.Event()
            await asyncio.sleep(FIRST_PAUSE_SECONDS)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause - FIRST_PAUSE_SECONDS):
                    await self._wanted.wait()
            pause = FIRST_PAUSE_SECONDS if self._wanted.is_set() else min(2 * pause, LONGEST_PAUSE_SECONDS)
