"""What waits: each lane's queue and each queue behind them, what the platform gave up on it, and open dead letters."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shared import log
from shared.domain.errors import told
from shared.domain.lane import Lane
from shared.domain.names import POISON_SUFFIX
from shared.services.backlog import under_way_since
from shared.services.deadline import STORAGE, answers_within
from shared.storage.letters import LetterStore
from shared.storage.queues import PEEK_MAX, Queues

LETTERS_MAX = 1_000
"""As many open dead letters are counted."""


@dataclass(frozen=True, kw_only=True)
class QueueState:
    """One lane's queue, or one behind the lanes (`is_step`): about how many messages are on it, hidden ones too, and on
    its poison queue.

    `oldest_seconds`: for how long the task has been under way that has been so longest, of the first 32 messages that a
    worker could take now; None if there is none of them: all there are wait for their time, or are being worked on.
    What could not be read is None, and `unreadable` says why.
    """

    lane: Lane
    is_step: bool
    count: int | None
    oldest_seconds: float | None
    poison: int | None
    unreadable: str

    def to_data(self) -> dict[str, Any]:
        """As JSON holds it, in an answer and in a log line."""
        visible = "some" if self.oldest_seconds is not None else "none"
        return {
            "lane": self.lane.name,
            "use": "step" if self.is_step else self.lane.use,
            "queue": self.lane.queue,
            "count": self.count,
            "visible": None if self.count is None else visible,
            "oldestVisibleSeconds": self.oldest_seconds,
            "poison": self.poison,
            **({"unreadable": self.unreadable} if self.unreadable else {}),
        }


@dataclass(frozen=True, kw_only=True)
class OpenLetters:
    """How many dead letters are open, 1,000 at most, and whether there may be more; None where that is not known."""

    count: int | None
    has_more: bool
    unreadable: str

    def to_data(self) -> dict[str, Any]:
        """As JSON holds it, in an answer and in a log line."""
        return {
            "open": self.count,
            "more": self.has_more,
            **({"unreadable": self.unreadable} if self.unreadable else {}),
        }


@dataclass(frozen=True, kw_only=True)
class Stats:
    """What waited at one time (UTC)."""

    at: datetime
    queues: list[QueueState]
    steps: list[QueueState]
    letters: OpenLetters

    def write(self) -> None:
        """One log line for each queue, and one for the dead letters."""
        for queue in (*self.queues, *self.steps):
            (log.warning if queue.unreadable else log.info)("queue state", **queue.to_data())
        (log.warning if self.letters.unreadable else log.info)("dead letters", **self.letters.to_data())


async def look(
    lanes: Sequence[Lane],
    steps: Sequence[Lane],
    *,
    queues: Queues,
    letters: LetterStore,
    now: datetime,
    seconds: float,
) -> Stats:
    """What waits now, on the lanes and on the queues behind them; each part has so many seconds. Never raises: what
    cannot be read is told in its place."""
    of_lanes = asyncio.gather(*(_look_at(lane, queues, now, seconds) for lane in lanes))
    of_steps = asyncio.gather(*(_look_at(lane, queues, now, seconds, is_step=True) for lane in steps))
    found, behind, count = await asyncio.gather(of_lanes, of_steps, _count(letters, seconds))
    return Stats(at=now, queues=found, steps=behind, letters=count)


async def _look_at(lane: Lane, queues: Queues, now: datetime, seconds: float, *, is_step: bool = False) -> QueueState:
    async def waiting() -> tuple[int, float | None]:
        count = await queues.count(lane.connection, lane.queue, try_seconds=seconds)
        first = await queues.peek(lane.connection, lane.queue, limit=PEEK_MAX, try_seconds=seconds)
        ages = [(now - under_way_since(message)).total_seconds() for message in first]
        return max(count, len(ages)), round(max(*ages, 0), 3) if ages else None

    own, poison = await asyncio.gather(
        _read(waiting(), seconds),
        _read(queues.count(lane.connection, lane.queue + POISON_SUFFIX, try_seconds=seconds), seconds),
    )
    return QueueState(
        lane=lane,
        is_step=is_step,
        count=own.found[0] if own.found else None,
        oldest_seconds=own.found[1] if own.found else None,
        poison=poison.found,
        unreadable=own.unreadable or poison.unreadable,
    )


async def _count(letters: LetterStore, seconds: float) -> OpenLetters:
    read = await _read(letters.count_open(limit=LETTERS_MAX), seconds)
    count, has_more = read.found or (None, False)
    return OpenLetters(count=count, has_more=has_more, unreadable=read.unreadable)


@dataclass(frozen=True)
class _Part[T]:
    """What one part says, or why it says nothing."""

    found: T | None = None
    unreadable: str = ""


async def _read[T](look: Awaitable[T], seconds: float) -> _Part[T]:
    try:
        async with answers_within(seconds, STORAGE):
            return _Part(await look)
    except Exception as error:
        return _Part(unreadable=told(error))
