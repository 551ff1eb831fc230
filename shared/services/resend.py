"""Have callbacks made again: those of one task, or of all that were submitted in some time."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import batched
from typing import Literal

from shared import log
from shared.domain import instants
from shared.domain.cursor import place_of, sign_cursor
from shared.domain.envelope import COUNT_MAX, encode
from shared.domain.errors import DependencyDown, NoCallback, told
from shared.domain.names import CONNECTION, NOTICE_QUEUE
from shared.domain.notice import Notice, notice_event, state_notices
from shared.domain.notice_record import NoticeRecord
from shared.domain.principal import SERVICE
from shared.domain.record import Record
from shared.domain.task_filter import TaskFilter, TaskPlace
from shared.services.deadline import STORAGE, answers_within
from shared.services.find_tasks import TaskReader
from shared.storage.columns import DamagedRow
from shared.storage.notices import NoticeStore
from shared.storage.pointers import newest_first
from shared.storage.queues import Queues
from shared.storage.task_lists import TaskLists, day_of
from shared.storage.tasks import TaskStore, day_list

What = Literal["resent", "selected", "delivered", "failed"]
"""What became of one callback; `selected`: nothing was to be done but say so. `delivered`: it was before, and stays."""

PAGE, IN_FLIGHT = 100, 8
CALLBACKS_A_CALL = 1_000


@dataclass(frozen=True, kw_only=True)
class Resent:
    """One callback: its id is its `webhook-id`, `type` the event that it tells of."""

    task_id: str
    id: str
    type: str
    what: What


@dataclass(frozen=True, kw_only=True)
class Range:
    """Callbacks of tasks that were submitted from one instant up to another. `is_undelivered`: only those that their
    receiver did not take. `is_dry`: nothing is sent."""

    since: datetime
    until: datetime
    is_undelivered: bool = True
    is_dry: bool = False

    @property
    def text(self) -> str:
        """The same text for the same range, and for no other."""
        only = "undelivered" if self.is_undelivered else "all"
        return f"callbacks\n{instants.to_text(self.since)}\n{instants.to_text(self.until)}\n{only}"


@dataclass(frozen=True, kw_only=True)
class Resending:
    """The use case with its stores."""

    notices: NoticeStore
    queues: Queues
    lists: TaskLists
    tasks: TaskStore
    keys: Sequence[bytes]

    async def of_task(self, record: Record, *, traceparent: str, seconds: float) -> list[Resent]:
        """Have the callback of the state that a task is in, and of a photo that was refused, made again: at once.

        A receiver that had said that it is gone is asked again. Repeating it makes another callback, under the same id.

        Raises:
            NoCallback: the task asks for none.
            DependencyDown: a store did not do its part in time; a repeat is safe.
        """
        if not record.task.callback_url:
            raise NoCallback
        async with answers_within(seconds, STORAGE):
            return [
                await self._again(notice, record, await self._row(notice), traceparent) for notice in _callbacks(record)
            ]

    async def of_range(self, wanted: Range, *, cursor: str, seconds: float) -> tuple[list[Resent], str | None]:
        """Have the callbacks of a range made again, the newest task first, as far as one call may; with a cursor there
        are more, also where none was found.

        Raises:
            InvalidRequest: the cursor is of another range.
            DependencyDown: the tasks cannot be read now, and nothing was done yet.
        """
        texts = place_of(cursor, of=wanted.text, keys=self.keys) if cursor else ()
        run = _Run(resending=self, wanted=wanted, seconds=seconds)
        place = await run.over(TaskPlace.from_texts(texts) if texts else _start(wanted))
        log.info("callbacks are made again", dryRun=wanted.is_dry, callbacks=len(run.found), isLeft=place is not None)
        return run.found, sign_cursor(place.to_texts(), of=wanted.text, keys=self.keys) if place else None

    async def _row(self, notice: Notice) -> NoticeRecord | None:
        return await self.notices.read(notice.task_id, notice.id)

    async def _again(
        self, notice: Notice, record: Record, stored: NoticeRecord | None, traceparent: str = ""
    ) -> Resent:
        """Put it, as the first of a new round: what is left of the round before changes nothing any more. So it is also
        where the first round has no row yet, or never had a message."""
        redrives = min((stored.redrives if stored else 0) + 1, COUNT_MAX)
        event = notice_event(notice, caller=record.caller, traceparent=traceparent, redrives=redrives)
        await self.queues.put(CONNECTION, NOTICE_QUEUE, encode(event))
        return _outcome(notice, "resent")

    async def again_if_wanted(self, record: Record, wanted: Range) -> list[Resent]:
        """What becomes of the callbacks of one task of a range. Whatever goes wrong with it ends nothing else."""
        found = []
        for notice in _callbacks(record):
            try:
                stored = await self._row(notice) if wanted.is_undelivered or not wanted.is_dry else None
                if wanted.is_undelivered and stored and stored.state == "sent":
                    found.append(_outcome(notice, "delivered"))
                elif wanted.is_dry:
                    found.append(_outcome(notice, "selected"))
                else:
                    found.append(await self._again(notice, record, stored))
            except (DependencyDown, DamagedRow) as error:
                log.warning("a callback cannot be made again", task=record.id, because=told(error))
                found.append(_outcome(notice, "failed"))
        return found


@dataclass(kw_only=True)
class _Run:
    """One call's part of a range. No task is begun in the last quarter of the time."""

    resending: Resending
    wanted: Range
    seconds: float
    found: list[Resent] = field(default_factory=list)
    _began: float = field(default_factory=lambda: asyncio.get_running_loop().time())

    async def over(self, place: TaskPlace | None) -> TaskPlace | None:
        """Work from a place on; the place to go on from, None at the end."""
        start = place
        while place and not self._is_over:
            reader = TaskReader(
                wanted=TaskFilter(),
                who=SERVICE,
                limit=PAGE,
                lists=self.resending.lists,
                tasks=self.resending.tasks,
            )
            try:
                async with asyncio.timeout_at(self._began + self.seconds):
                    await reader.read(place, today=datetime.now(UTC).date())
                    due = [record for record in reader.found if record.submitted_at >= self.wanted.since]
                    for batch in batched(due, IN_FLIGHT, strict=False):
                        done = await asyncio.gather(
                            *(self.resending.again_if_wanted(each, self.wanted) for each in batch)
                        )
                        self.found += [one for each in done for one in each]
            except (DependencyDown, TimeoutError) as error:
                if place == start and not self.found:
                    raise DependencyDown("the tasks cannot be read now") from error
                return place
            place = reader.place if len(due) == len(reader.found) else None
            if place and (day := day_of(place.list)) and day < self.wanted.since.date():
                place = None
        return place

    @property
    def _is_over(self) -> bool:
        is_late = asyncio.get_running_loop().time() > self._began + 0.75 * self.seconds
        return is_late or len(self.found) >= CALLBACKS_A_CALL


def _callbacks(record: Record) -> list[Notice]:
    notices = state_notices(record, on=frozenset({"callback"}), now=datetime.now(UTC))
    return [notice for notice in notices if notice.channel == "callback"]  # whatever the task is to be answered on


def _start(wanted: Range) -> TaskPlace:
    until = wanted.until.astimezone(UTC)
    return TaskPlace(list=day_list(until), key=newest_first(until, ""))


def _outcome(notice: Notice, what: What) -> Resent:
    return Resent(task_id=notice.task_id, id=notice.id, type=notice.type, what=what)
