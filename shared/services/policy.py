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
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from shared import log
from shared.domain.contents import Contents, read_contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import deferred
from shared.domain.errors import DependencyDown, HopelessMessage, SettingsError, StepFailed, told
from shared.domain.letter import Note
from shared.domain.names import POISON_SUFFIX
from shared.services.adopt import adopted
from shared.services.dead_letters import keep_letter
from shared.services.kinds import Kind, kind_of
from shared.services.tracing import continued
from shared.storage.letters import LetterStore
from shared.storage.queues import Queues

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
        """Let the step handle one delivery and do what its outcome asks for.

        Raises:
            StepFailed: the platform is to count the delivery.
            DependencyDown: so it is, since the message could not even be put back.
        """
        contents = read_contents(delivery)
        kind = kind_of(contents, delivery)
        traceparent = contents.envelope.traceparent if contents.envelope else ""
        fields = _about(contents, delivery)
        attributes = {f"fixit.{name}": value for name, value in fields.items()}
        with log.about(**fields), continued(traceparent, f"{kind.name} {delivery.queue}", attributes):
            await self._settle(kind, contents, delivery, handle)

    async def _settle(self, kind: Kind, contents: Contents, delivery: Delivery, handle: Handle) -> None:
        """One log line says how it ended, and how old the message is."""
        ended = {"kind": kind.name, "ageSeconds": _age(contents, delivery)}
        try:
            async with asyncio.timeout(min(kind.seconds, self.step_seconds)):
                hopeless = await self._hopeless(kind, contents, delivery, handle)
        except (DependencyDown, SettingsError, TimeoutError) as error:
            delay = await self._defer(contents, delivery)
            log.warning("message deferred", **ended, delaySeconds=delay, because=told(error))
        except Exception as error:
            if delivery.is_poison:
                delay = await self._defer(contents, delivery)
                log.exception("message deferred", error, **ended, delaySeconds=delay, because=told(error))
                return
            await self._note(contents, delivery, error)
            if kind.deliveries is None or delivery.dequeue_count < kind.deliveries:
                log.exception("message failed", error, **ended, because=told(error))
                # The platform logs what is raised: the text stays in the note, since it may quote anything.
                raise StepFailed(told(error)) from None
            await self.queues.put(delivery.lane.connection, delivery.lane.queue + POISON_SUFFIX, delivery.text)
            log.warning("message given up", **ended, because=told(error))
        else:
            await self._forget_note(contents, delivery)
            if hopeless:
                log.warning("message refused", **ended, code=hopeless.code)
            else:
                log.info("message done", **ended)

    async def _hopeless(
        self, kind: Kind, contents: Contents, delivery: Delivery, handle: Handle
    ) -> HopelessMessage | None:
        """Handle it. What no delivery can do is kept as a dead letter, unless its kind is not worth one."""
        try:
            await handle(contents, delivery)
        except HopelessMessage as error:
            if kind.keeps_letters:
                now = datetime.now(UTC)
                await keep_letter(
                    contents, delivery, code=error.code, reason=error.reason, now=now, letters=self.letters
                )
            return error
        return None

    async def _forget_note(self, contents: Contents, delivery: Delivery) -> None:
        """Drop the noted error of a message that is settled. Only a repeat can have left one.

        Best effort, since the work is done: a note that stays costs a row until the next error of the event.
        """
        deferrals = contents.envelope.deferrals if contents.envelope else 0
        if (delivery.dequeue_count > 1 or deferrals) and not delivery.is_poison:
            with suppress(Exception):
                async with asyncio.timeout(self.step_seconds):
                    await self.letters.drop_note(delivery.queue, contents.key)

    async def _defer(self, contents: Contents, delivery: Delivery) -> int:
        """Put the message back for later, and give the seconds; raises DependencyDown only if that cannot be done.

        A poison message goes back as it came.
        """
        delay = self._delay(contents, delivery)
        text = delivery.text if delivery.is_poison else _text_to_put_back(contents, delivery)
        await self.queues.put(delivery.lane.connection, delivery.queue, text, delay_seconds=delay)
        return delay

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


def _about(contents: Contents, delivery: Delivery) -> dict[str, str | int]:
    """What a log line says about a message: ids and counts, never its body."""
    envelope = contents.envelope
    return {
        "lane": delivery.lane.name,
        "queue": delivery.queue,
        "event": contents.key,
        "task": envelope.subject if envelope else "",
        "message": delivery.message_id,
        "dequeueCount": delivery.dequeue_count,
        "deferrals": envelope.deferrals if envelope else 0,
        "redrives": envelope.redrives if envelope else 0,
    }


def _age(contents: Contents, delivery: Delivery) -> float:
    """Seconds since the task was submitted or reopened; of what is no event, since the message was put."""
    since = contents.envelope.under_way_since if contents.envelope else delivery.inserted_at
    return round((datetime.now(UTC) - since).total_seconds(), 3)
