"""How soon it is worth asking about a task again: what its lane has before it.

Seconds = the largest of 1, `count / 20` and `age / 10`, rounded up, and 60 at most. `count` is about how many messages
are on the queue, hidden ones too; `age` is for how many seconds the task that is next has been under way. So a queue of
300 says 15, and one whose first task has waited for five minutes says 30: it will not be over in the next second, and
who asks a tenth of it later is late by no more than that.
"""

import asyncio
import math
from collections.abc import Sequence
from contextvars import Context
from dataclasses import dataclass
from datetime import UTC, datetime

from shared import log
from shared.domain.envelope import decode_object, is_envelope, read_envelope
from shared.domain.errors import HopelessMessage, told
from shared.domain.lane import Lane, lanes_for
from shared.domain.task import PRIORITIES
from shared.storage.queues import Queues, Waiting

TASKS_A_SECOND, PART_OF_AGE = 20, 10
"""What one instance does at the least of tasks that wait for nothing; after which part of its age to ask again."""

LEAST_SECONDS, MOST_SECONDS = 1, 60

REFRESH_SECONDS = 3
"""A look serves for so long. One that failed, too: a queue that is down costs its readers one deadline in that time."""

LOOK_SECONDS = 0.5
OUTLIVED_SECONDS = 60
"""An older look says nothing any more."""


def under_way_since(message: Waiting) -> datetime:
    """When the task of a message was submitted or last reopened; of what is no event, when it was put.

    The queue alone cannot tell: a message that was deferred is a new one to it.
    """
    try:
        event = decode_object(message.text)
        return read_envelope(event).under_way_since if is_envelope(event) else message.inserted_at
    except HopelessMessage:
        return message.inserted_at


def seconds_for(count: int, age_seconds: float) -> int:
    """The formula: after how many seconds it is worth asking again."""
    wanted = max(count / TASKS_A_SECOND, age_seconds / PART_OF_AGE)
    return math.ceil(min(max(wanted, LEAST_SECONDS), MOST_SECONDS))


class Backlog:
    """One cached look at each lane. Only who reads a status refreshes it, and it never fails them."""

    def __init__(self, lanes: Sequence[Lane], *, queues: Queues) -> None:
        self._lanes = tuple(lanes)
        self._looks = {lane.name: _Look(lane, queues) for lane in lanes}

    def known_seconds(self, task_id: str, priority: str | None = None) -> int:
        """By the last look at the task's lane, without a request; 1 while there is none."""
        return max((look.seconds for look in self._concerned(task_id, priority)), default=LEAST_SECONDS)

    async def seconds(self, task_id: str, priority: str | None = None) -> int:
        """By a look at the task's lane that is no older than 3 s, if it can be had in half a second."""
        refreshing = {task for look in self._concerned(task_id, priority) if (task := look.refresh())}
        if refreshing:
            await asyncio.wait(refreshing, timeout=LOOK_SECONDS)
        return self.known_seconds(task_id, priority)

    def _concerned(self, task_id: str, priority: str | None) -> list["_Look"]:
        """The lane that takes a task first; where its priority is not known, that of each."""
        candidates = (lanes_for(task_id, each, self._lanes) for each in ((priority,) if priority else PRIORITIES))
        return [self._looks[name] for name in {lanes[0].name for lanes in candidates if lanes}]


@dataclass
class _Look:
    """The last look at one lane, and the one that is being taken."""

    lane: Lane
    queues: Queues
    _seconds: int = LEAST_SECONDS
    _taken_at: float = -math.inf
    _tried_at: float = -math.inf
    _refreshing: asyncio.Task[None] | None = None

    @property
    def seconds(self) -> int:
        is_outlived = asyncio.get_running_loop().time() - self._taken_at > OUTLIVED_SECONDS
        return LEAST_SECONDS if is_outlived else self._seconds

    def refresh(self) -> asyncio.Task[None] | None:
        """The look that is being taken, begun if it is time; None if the last one will do."""
        if self._refreshing is None and asyncio.get_running_loop().time() - self._tried_at >= REFRESH_SECONDS:
            # It is none of the request that happened to come first.
            self._refreshing = asyncio.create_task(self._take(), context=Context())
        return self._refreshing

    async def _take(self) -> None:
        """Never raises; it ends by itself, whether or not whoever wanted it is still there."""
        clock = asyncio.get_running_loop().time
        place = (self.lane.connection, self.lane.queue)
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                count = await self.queues.count(*place, try_seconds=LOOK_SECONDS)
                first = await self.queues.peek(*place, limit=1, try_seconds=LOOK_SECONDS) if count else []
            age = max(((datetime.now(UTC) - under_way_since(each)).total_seconds() for each in first), default=0)
            self._seconds, self._taken_at = seconds_for(count, age), clock()
        except Exception as error:
            log.warning("the backlog of a lane is not known", lane=self.lane.name, because=told(error))
        finally:
            self._tried_at, self._refreshing = clock(), None
