"""One message from receipt to end: run its function, then delete it, release it or move it to the poison queue."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Literal

from devhost.console import log
from devhost.queues.client import QueueClient
from devhost.queues.lease import Lease
from devhost.queues.message import ReceivedMessage, encode_body
from devhost.queues.storage_failure import StorageFailure
from devhost.queues.watchers import QueueWatchers
from devhost.settings.queue_options import QueueOptions

PoisonLimit = Literal["new", "old"]


class QueueProcessor:
    """The rules of Queues/QueueProcessor.cs in the WebJobs storage extension.

    `poison` is None for a queue that has no poison queue of its own (`*-poison`): what fails there stays hidden until
    its lease ends. Methods raise StorageFailure where the real host would end.
    """

    def __init__(
        self,
        queue: QueueClient,
        poison: QueueClient | None,
        options: QueueOptions,
        watchers: QueueWatchers,
        *,
        lease: timedelta,
        poison_limit: PoisonLimit,
        stopping: asyncio.Event,
    ) -> None:
        """`poison_limit` "old", as up to 5.3.7: without a poison queue, what exceeds the limit is never run.

        Once `stopping` is set, a call for a message that never ran is not tried again; one that ran is seen to its end.
        """
        self._queue = queue
        self._poison = poison
        self._options = options
        self._watchers = watchers
        self._lease = lease
        self._poison_limit = poison_limit
        self._stopping = stopping

    async def process(
        self,
        message: ReceivedMessage,
        body: bytes,
        run: Callable[[], Awaitable[bool]],
        on_renewal_failure: Callable[[StorageFailure], None],
    ) -> None:
        """The message was run, unless it exceeds the limit, and is deleted, released, moved or left hidden."""
        if self._exceeds_limit(message):
            await self._move_to_poison(message, body, until=self._stopping)
            return
        async with Lease(self._queue, message, self._lease, on_renewal_failure) as lease:
            ok = await run()
        if ok:
            await self._delete(lease.message)
        elif self._poison is None:
            return
        elif message.dequeue_count >= self._options.max_dequeue_count:
            await self._move_to_poison(lease.message, body)
        else:
            await self._release(lease.message)

    async def set_aside(self, message: ReceivedMessage) -> None:
        """A message whose text cannot be decoded is in the poison queue as it came, at its first delivery."""
        log(
            f"The message with id '{message.id}' in queue '{self._queue.name}' could not be decoded. "
            "Check extensions.queues.messageEncoding in host.json.",
            logging.ERROR,
        )
        if self._poison is not None:
            await self._send_to_poison(self._poison, message, message.text, until=self._stopping)

    def _exceeds_limit(self, message: ReceivedMessage) -> bool:
        limited = self._poison is not None or self._poison_limit == "old"
        return limited and message.dequeue_count > self._options.max_dequeue_count

    async def _move_to_poison(
        self, message: ReceivedMessage, body: bytes, *, until: asyncio.Event | None = None
    ) -> None:
        if self._poison is None:
            return
        log(
            f"Message has reached MaxDequeueCount of {self._options.max_dequeue_count}. "
            f"Moving message to queue '{self._poison.name}'.",
            logging.WARNING,
        )
        text = encode_body(body, self._options.message_encoding)
        await self._send_to_poison(self._poison, message, text, until=until)

    async def _send_to_poison(
        self, poison: QueueClient, message: ReceivedMessage, text: str, *, until: asyncio.Event | None
    ) -> None:
        # Copy first, delete second: a host that dies in between leaves a message twice, never none.
        await poison.send(text, until=until)
        self._watchers.notify(poison.name)
        await self._delete(message, until=until)

    async def _delete(self, message: ReceivedMessage, *, until: asyncio.Event | None = None) -> None:
        try:
            await self._queue.delete(message, until=until)
        except StorageFailure as failure:
            if not failure.is_message_lost:
                raise

    async def _release(self, message: ReceivedMessage) -> None:
        try:
            await self._queue.hide(message, self._options.visibility_timeout)
        except StorageFailure as failure:
            if not failure.is_message_lost:
                raise
