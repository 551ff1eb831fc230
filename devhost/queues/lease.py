"""Keeps a message hidden from others while its function runs."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from types import TracebackType
from typing import Self

from devhost.queues.client import QueueClient
from devhost.queues.message import ReceivedMessage
from devhost.queues.storage_failure import StorageFailure


class Lease:
    """Asks for the full lease again each time half of it is over, for as long as the context lasts.

    `message` always carries the newest pop receipt. A message that is no longer ours is not renewed again, and its
    function goes on; any other failure of a renewal is reported to `on_failure`, which ends the host.
    Source: WebJobs storage extension, UpdateQueueMessageVisibilityCommand.cs.
    """

    def __init__(
        self,
        queue: QueueClient,
        message: ReceivedMessage,
        duration: timedelta,
        on_failure: Callable[[StorageFailure], None],
    ) -> None:
        self.message = message
        self._queue = queue
        self._duration = duration
        self._on_failure = on_failure
        self._over = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._renewing = asyncio.create_task(self._renew())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A renewal under way is let finish: cutting it would leave us with a receipt that is no longer valid.
        self._over.set()
        await self._renewing

    async def _renew(self) -> None:
        while not await self._is_over_within(self._duration / 2):
            try:
                receipt = await self._queue.hide(self.message, self._duration)
            except StorageFailure as failure:
                if not failure.is_message_lost:
                    self._on_failure(failure)
                return
            self.message = replace(self.message, pop_receipt=receipt)

    async def _is_over_within(self, duration: timedelta) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), duration.total_seconds())
        return self._over.is_set()
