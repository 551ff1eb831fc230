"""Polls one queue for one function."""

import asyncio
import contextlib
from collections.abc import Callable
from datetime import timedelta

from devhost.backoff import PollingBackoff
from devhost.errors import HostEnded
from devhost.functions import Function
from devhost.invocation import Invoke
from devhost.queues.call import call_for_message
from devhost.queues.client import QueueAccounts
from devhost.queues.message import ReceivedMessage, decode_text
from devhost.queues.name import poison_name, queue_name
from devhost.queues.processor import PoisonLimit, QueueProcessor
from devhost.queues.storage_failure import StorageFailure, TriesEnded
from devhost.queues.watchers import QueueWatchers
from devhost.settings.queue_options import QueueOptions

LEASE = timedelta(seconds=600)
HEAD_START = timedelta(milliseconds=4)  # of each message over the next one: runs begin in the order of receipt
LAST_ANSWER = timedelta(seconds=5)  # how long a stop waits for a receive that is on the wire


class QueueListener:
    """Receives batches and runs each message at once, at most `new_batch_threshold + batch_size` at a time.

    The queue is never created: while it is missing, a poll counts as empty. A failure that the real listener does not
    survive is reported to `on_end`.
    Source: WebJobs storage extension, Queues/QueueListener.cs.
    """

    def __init__(
        self,
        function: Function,
        queue: str,
        accounts: QueueAccounts,
        options: QueueOptions,
        watchers: QueueWatchers,
        invoke: Invoke,
        *,
        on_end: Callable[[HostEnded], None],
        lease: timedelta = LEASE,
        poison_limit: PoisonLimit = "new",
    ) -> None:
        """`queue` is the name with its settings expanded.

        Raises:
            FunctionError: the name is not a queue's, or the connection is not there.
        """
        name, connection = queue_name(queue), function.trigger.properties.get("connection")
        self._function = function
        self._queue = accounts.queue(connection, name)
        self._options = options
        self._lease = lease
        self._invoke = invoke
        self._on_end = on_end
        self._stopping = asyncio.Event()
        poison = poison_name(name)
        self._processor = QueueProcessor(
            self._queue,
            accounts.queue(connection, poison) if poison else None,
            options,
            watchers,
            lease=lease,
            poison_limit=poison_limit,
            stopping=self._stopping,
        )
        self._notified = watchers.watch(name)
        self._backoff = PollingBackoff(options.max_polling_interval)
        self._running: set[asyncio.Task[None]] = set()
        self._polling: asyncio.Task[None] | None = None
        self._exists = False
        self._found = False

    async def start(self) -> None:
        """The first poll is on its way. A listener that was stopped can be started again."""
        self._stopping.clear()
        self._polling = asyncio.create_task(self._poll())

    async def stop(self) -> None:
        """No message is received any more, and every one that was is dealt with to its end."""
        self._stopping.set()
        if self._polling is None:
            return
        await asyncio.wait({self._polling}, timeout=LAST_ANSWER.total_seconds())
        self._polling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._polling
        while self._running:
            await asyncio.wait(self._running)

    async def _poll(self) -> None:
        try:
            while not self._stopping.is_set():
                self._notified.clear()
                batch = await self._receive()
                for message, body in batch:
                    task = asyncio.create_task(self._process(message, body))
                    self._running.add(task)
                    task.add_done_callback(self._running.discard)
                    await asyncio.sleep(HEAD_START.total_seconds())
                if batch:
                    self._found = True
                    await self._wait_for_room()
                else:
                    await self._wait_for_news()
        except TriesEnded:
            pass  # as it should: the host stops
        except Exception as failure:  # whatever it is: a host that does not listen must not seem to
            self._end(failure)

    async def _receive(self) -> list[tuple[ReceivedMessage, bytes]]:
        """One poll: nothing where the queue is missing, on its way out, or the server is in trouble."""
        try:
            if not self._exists:
                self._exists = await self._queue.exists(until=self._stopping)
            if not self._exists:
                return []
            messages = await self._queue.receive(self._options.batch_size, self._lease, until=self._stopping)
        except StorageFailure as failure:
            self._exists = False
            if failure.is_queue_missing or failure.is_queue_being_deleted or failure.is_server_side:
                return []
            raise
        return [pair for message in messages if (pair := await self._decoded(message))]

    async def _decoded(self, message: ReceivedMessage) -> tuple[ReceivedMessage, bytes] | None:
        try:
            return message, decode_text(message.text, self._options.message_encoding)
        except ValueError:
            await self._processor.set_aside(message)
            return None

    async def _process(self, message: ReceivedMessage, body: bytes) -> None:
        async def run() -> bool:
            return (await self._invoke(call_for_message(self._function, self._queue.name, message, body))).ok

        try:
            await self._processor.process(message, body, run, self._end)
        except TriesEnded:
            pass  # it never ran, and comes again once its lease ends
        except Exception as failure:
            self._end(failure)

    async def _wait_for_room(self) -> None:
        stopping = asyncio.ensure_future(self._stopping.wait())
        while len(self._running) > self._options.new_batch_threshold and not self._stopping.is_set():
            await asyncio.wait({stopping, *self._running}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()

    async def _wait_for_news(self) -> None:
        delay = self._backoff.next_delay(found=self._found).total_seconds()
        self._found = False
        waits = {asyncio.ensure_future(event.wait()) for event in (self._stopping, self._notified)}
        await asyncio.wait(waits, timeout=delay, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    def _end(self, failure: Exception) -> None:
        where = f"function '{self._function.name}' on queue '{self._queue.name}'"
        self._on_end(HostEnded(f"The listener of {where} cannot go on: {failure}"))
