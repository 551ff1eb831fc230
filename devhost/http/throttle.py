"""`maxOutstandingRequests` and `maxConcurrentRequests`: how many requests are let in, and how many run at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class TooManyRequests(Exception):
    """As many requests as may be are waiting and running already."""


class Throttle:
    """Requests beyond `concurrent` wait in order; beyond `outstanding` (waiting and running) they are refused.

    A limit of -1 is none. Source: the host's HttpRequestQueue.
    """

    def __init__(self, *, outstanding: int, concurrent: int) -> None:
        self._limit = outstanding
        self._running = asyncio.Semaphore(concurrent) if concurrent > 0 else None
        self._outstanding = 0

    @asynccontextmanager
    async def admitted(self) -> AsyncIterator[None]:
        """Inside, the request runs.

        Raises:
            TooManyRequests: at once.
        """
        if 0 <= self._limit <= self._outstanding:
            raise TooManyRequests
        self._outstanding += 1
        try:
            if self._running is None:
                yield
            else:
                async with self._running:  # wakes those that wait in the order in which they came
                    yield
        finally:
            self._outstanding -= 1
