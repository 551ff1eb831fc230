"""The app in this process, and the platform's part in the test's hands: what is received, in which order, who dies."""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Self

from azure.core.exceptions import ResourceNotFoundError
from azure.storage.queue import QueueClient, QueueMessage

from shared.app import App
from shared.domain.delivery import Delivery
from tests.faults.breaks import Break
from tests.support.fault import Fault
from tests.support.stores import POISON, TASKS, Stores
from tests.support.tally import count
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

MAX_DEQUEUE_COUNT = 5
LEASE_SECONDS = 600
PAUSE_SECONDS = 0.002


class Died(Exception):
    """The app ended in the middle of its work; nobody got an answer."""


class MachineHost:
    """A host that does one thing at a time. Its app reaches storage by the wire, it itself and the test go past it.

    The environment names the app's storage. `burned` counts deliveries that came to nothing. `ahead` is how far the
    clock of the app is ahead of the real one.
    """

    def __init__(self, azurite: Azurite, wire: Wire) -> None:
        self._account, self._wire = azurite.connection_string, wire
        self._stack = ExitStack()
        self.app = App()
        self.burned = 0
        self.ahead = timedelta(0)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.stores = stack.enter_context(Stores(self._account))
            self._queues = {
                name: stack.enter_context(QueueClient.from_connection_string(self._account, name))
                for name in (TASKS, POISON)
            }
            self._runner = stack.enter_context(asyncio.Runner())
            stack.callback(lambda: self.run(self._close_app()))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def fresh(self) -> None:
        """Nothing is stored, nothing is broken, and the app has only just started."""
        self._wire.heal()
        self._wire.clear()
        self.stores.make_all()
        self.stores.clear()
        self.start_again()
        self.burned = 0

    def start_again(self) -> None:
        """The app forgets all that a process remembers."""
        self.run(self._close_app())
        self.app = App()

    def run[T](self, work: Coroutine[Any, Any, T], how: Break | None = None, nth: int = 1) -> T:
        """What the app's work comes to, while the nth of its requests is broken like this.

        Raises:
            Died: the request is one that is never answered. The app ends in it, or after its work, before it tells.
        """
        try:
            if how and how.damage.silent:
                self._runner.run(self._die(self._wire.damage(how.damage, nth=nth), work))
                self.start_again()
                raise Died
            if how:
                self._wire.damage(how.damage, nth=nth, times=how.times)
            return self._runner.run(work)
        finally:
            self._wire.heal()

    def sweep(self, later: timedelta, how: Break | None = None, nth: int = 1) -> None:
        """Let the sweeper come by so much later."""
        self.ahead = later
        try:
            self.run(self.app.sweep(), how, nth)
        finally:
            self.ahead = timedelta(0)

    def receive(self, queue: str, limit: int) -> list[QueueMessage]:
        """At most so many messages, which nobody else gets for now."""
        pages = self._queues[queue].receive_messages(messages_per_page=limit, visibility_timeout=LEASE_SECONDS)
        return list(next(pages.by_page(), []))

    def deliver(
        self, queue: str, messages: Sequence[QueueMessage], *, at_once: bool, how: Break | None = None, nth: int = 1
    ) -> None:
        """Hand these over, in their order or all at once, and do with each what the platform does then.

        Where the app dies over one of them, all come again: at once, instead of when their lease is over.
        """
        if how and how.damage.silent:
            handed = [message for message in messages if not self._is_beyond_limit(queue, message)]
            with suppress(Died):
                self.run(_together([self._hand_over(queue, message) for message in handed]), how, nth)
            self.burned += len(messages)
            for message in messages:
                self._let_go(queue, message)
            return
        handled = [self._deliver(queue, message) for message in messages]
        for error in self.run(_together(handled) if at_once else _one_by_one(handled), how, nth):
            raise error

    async def _deliver(self, queue: str, message: QueueMessage) -> None:
        count("deliveries")
        if self._is_beyond_limit(queue, message):
            self._move_to_poison(message)
            return
        try:
            await self._hand_over(queue, message)
        except Exception:
            self.burned += 1
            if queue == TASKS and (message.dequeue_count or 0) >= MAX_DEQUEUE_COUNT:
                self._move_to_poison(message)
            else:
                self._let_go(queue, message)
        else:
            self._delete(queue, message)

    def give_up(self, message: QueueMessage) -> None:
        """What the platform does after the last delivery, as if all had come to nothing."""
        self.burned += MAX_DEQUEUE_COUNT
        self._move_to_poison(message)

    async def _die(self, fault: Fault, work: Coroutine[Any, Any, Any]) -> None:
        count("crashes")
        working = asyncio.ensure_future(work)
        while not fault.hits and not working.done():
            await asyncio.sleep(PAUSE_SECONDS)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        while not all(hit.seconds for hit in fault.hits):  # a request that arrives late has arrived
            await asyncio.sleep(PAUSE_SECONDS)

    async def _hand_over(self, queue: str, message: QueueMessage) -> None:
        (lane,) = self.app.lanes
        handle = self.app.handle_poison if queue == POISON else self.app.handle_task
        await handle(
            Delivery(
                lane=lane,
                is_poison=queue == POISON,
                raw=(message.content or "").encode(),
                message_id=message.id,
                dequeue_count=message.dequeue_count or 1,
                inserted_at=message.inserted_on or datetime.now(UTC),
            )
        )

    def _is_beyond_limit(self, queue: str, message: QueueMessage) -> bool:
        return queue == TASKS and (message.dequeue_count or 0) > MAX_DEQUEUE_COUNT

    def _move_to_poison(self, message: QueueMessage) -> None:
        self._queues[POISON].send_message(message.content, time_to_live=-1)
        self._delete(TASKS, message)

    def _delete(self, queue: str, message: QueueMessage) -> None:
        with suppress(ResourceNotFoundError):
            self._queues[queue].delete_message(message)

    def _let_go(self, queue: str, message: QueueMessage) -> None:
        self._queues[queue].update_message(message, visibility_timeout=0)

    async def _close_app(self) -> None:
        # The platform gives a function app no chance to close anything; here many live in one process.
        for account in self.app._accounts.values():
            await account.close()


async def _together(work: Sequence[Coroutine[Any, Any, None]]) -> list[BaseException]:
    """What went wrong."""
    return [error for error in await asyncio.gather(*work, return_exceptions=True) if error]


async def _one_by_one(work: Sequence[Coroutine[Any, Any, None]]) -> list[BaseException]:
    return [error for each in work for error in await _together([each])]
