"""What becomes of a message whose step did not succeed: three kinds of failure, one policy, this place.

- hopeless: a dead letter at once, and the message is done: no delivery is burned on it;
- a dependency is down: the message is put back with a growing, jittered delay, and this delivery is done: deliveries
  are not burned, so an outage of hours poisons nothing;
- anything else: the error is noted and raised. The platform delivers again, and after `maxDequeueCount` deliveries
  moves the message to `<queue>-poison`, whose trigger makes the dead letter from the note. Behind that queue there is
  no other: raising there hides the message for ten minutes, and some versions of the platform never try it again. So a
  poison message is put back whatever went wrong.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from shared.domain.contents import Contents, read_contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import deferred
from shared.domain.errors import DependencyDown, HopelessMessage, SettingsError, told
from shared.domain.letter import Note
from shared.services.adopt import adopted
from shared.services.dead_letters import keep_letter
from shared.storage.letters import LetterStore
from shared.storage.queues import Queues

log = logging.getLogger("fixit")

Handle = Callable[[Contents, Delivery], Awaitable[None]]
"""A step: does its work or raises. Returning means that the message is done."""

_ERROR_TEXT = 1_000

_UNCOUNTED = 4
"""As how many deferrals a text without a counter counts: its waits cannot grow, so they are middling at once."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The policy with what it needs: where to put back, where to keep, how long a step may take, a deferral wait."""

    queues: Queues
    letters: LetterStore
    step_seconds: float
    defer_base_seconds: float
    defer_cap_seconds: float

    async def settle(self, delivery: Delivery, handle: Handle) -> None:
        """Run a step on one delivery. On return the platform may delete the message; raising has it deliver again."""
        contents = read_contents(delivery)
        try:
            async with asyncio.timeout(self.step_seconds):
                await self._handle(contents, delivery, handle)
        except (DependencyDown, SettingsError, TimeoutError) as error:
            await self._defer(contents, delivery, error)
        except Exception as error:
            if delivery.is_poison:
                log.exception("a poison message could not be settled: %s", _about(contents, delivery))
                await self._defer(contents, delivery, error)
                return
            await self._note(contents, delivery, error)
            raise
        else:
            await self._forget_note(contents, delivery)

    async def _handle(self, contents: Contents, delivery: Delivery, handle: Handle) -> None:
        try:
            await handle(contents, delivery)
        except HopelessMessage as error:
            log.warning("dead letter: %s %s", error.code, _about(contents, delivery))
            await keep_letter(
                contents, delivery, code=error.code, reason=error.reason, now=datetime.now(UTC), letters=self.letters
            )

    async def _forget_note(self, contents: Contents, delivery: Delivery) -> None:
        """Drop the noted error of a message that is settled. Only a repeat can have left one.

        Best effort, since the work is done: a note that stays costs a row until the next error of the event.
        """
        deferrals = contents.envelope.deferrals if contents.envelope else 0
        if (delivery.dequeue_count > 1 or deferrals) and not delivery.is_poison:
            with suppress(Exception):
                async with asyncio.timeout(self.step_seconds):
                    await self.letters.drop_note(delivery.queue, contents.key)

    async def _defer(self, contents: Contents, delivery: Delivery, error: Exception) -> None:
        """Put the message back for later; raises DependencyDown only if that cannot be done either.

        A poison message goes back as it came.
        """
        delay = self._delay(contents, delivery)
        log.warning("deferred for %d s: %s %s", delay, told(error), _about(contents, delivery))
        text = delivery.text if delivery.is_poison else _text_to_put_back(contents, delivery)
        await self.queues.put(delivery.lane.connection, delivery.queue, text, delay_seconds=delay)

    def _delay(self, contents: Contents, delivery: Delivery) -> int:
        """Seconds to wait: exponential with full jitter; for a poison message a fifth of the cap up to the cap."""
        if delivery.is_poison:
            return round(random.uniform(self.defer_cap_seconds / 5, self.defer_cap_seconds))  # noqa: S311 - no secret
        deferrals = contents.envelope.deferrals if contents.envelope else _UNCOUNTED
        limit = min(self.defer_cap_seconds, self.defer_base_seconds * 2.0 ** min(deferrals, 40))
        return round(random.uniform(0, limit))  # noqa: S311 - no secret

    async def _note(self, contents: Contents, delivery: Delivery, error: Exception) -> None:
        """Keep the error for the letter that may follow. Best effort: the error itself is raised in any case."""
        note = Note(error=type(error).__name__, message=str(error)[:_ERROR_TEXT], dequeue_count=delivery.dequeue_count)
        with suppress(Exception):
            await self.letters.note(delivery.queue, contents.key, note)


def _text_to_put_back(contents: Contents, delivery: Delivery) -> str:
    """An event with one deferral more; of a bare task its envelope, which keeps the id that this message gave it.

    As it came, a bare task would be a new message with another id, and a put of its envelope that was not acknowledged
    may have landed: it would be done twice. What is neither goes back as it came.
    """
    if contents.envelope:
        return deferred(delivery.text)
    if contents.fields is not None:
        with suppress(HopelessMessage):
            return adopted(contents, delivery)
    return delivery.text


def _about(contents: Contents, delivery: Delivery) -> str:
    """What a log line says about a message: ids and counts, never its body."""
    envelope = contents.envelope
    return (
        f"queue={delivery.queue} event={contents.key} task={envelope.subject if envelope else '-'} "
        f"dequeueCount={delivery.dequeue_count} deferrals={envelope.deferrals if envelope else 0}"
    )
