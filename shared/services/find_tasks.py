"""What somebody finds of the tasks: the newest first, page by page, each page bounded in time, queries and rows."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from itertools import batched

from shared import log
from shared.domain.cursor import place_of, sign_cursor
from shared.domain.errors import DependencyDown, told
from shared.domain.principal import Principal
from shared.domain.record import Record
from shared.domain.task_filter import TaskFilter, TaskPlace
from shared.storage.columns import DamagedRow
from shared.storage.pointers import Pointer
from shared.storage.task_lists import TaskLists, day_of, fits, is_borne_out, start_of
from shared.storage.tasks import TaskStore, day_list

QUERIES, ROWS = 40, 300
"""As many queries of pointers as one call makes, and as many rows as it reads."""

PAGE = 100
"""As many pointers as one query gives at most."""

IN_FLIGHT = 8
"""Rows that are read at once; more would only make each of them slower."""

FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(9999, 12, 31)
"""No task is of an earlier or a later day."""

_DAY = timedelta(days=1)
_TASK_ID = re.compile("[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


async def find_tasks(
    wanted: TaskFilter,
    *,
    who: Principal,
    limit: int,
    cursor: str,
    now: datetime,
    lists: TaskLists,
    tasks: TaskStore,
    keys: Sequence[bytes],
    seconds: float,
) -> tuple[list[Record], str | None]:
    """One page of the tasks that are wanted and that this caller may see, and the cursor to go on with.

    There may be fewer than `limit`, or none, and yet more to come: without a cursor, and only then, there are no more.
    A person who asks for nobody's tasks gets those that they made.

    Raises:
        InvalidRequest: the cursor is not of this list, or not of this caller.
        DependencyDown: the table cannot be used now, and nothing was read yet.
    """
    if not (who.is_operator or wanted.owner or wanted.created_by):
        wanted = replace(wanted, created_by=who.person)
    of = f"tasks\n{who.caller}\n{wanted.text}"
    reader = TaskReader(wanted=wanted, who=who, limit=limit, lists=lists, tasks=tasks)
    place = TaskPlace.from_texts(place_of(cursor, of=of, keys=keys)) if cursor else start_of(wanted, who)
    try:
        async with asyncio.timeout(seconds):
            await reader.read(place, today=now.astimezone(UTC).date())
    except (DependencyDown, TimeoutError) as error:
        if not reader.has_moved:
            raise DependencyDown("the tasks cannot be listed now") from error
        log.warning("a list of tasks ended early", because=told(error))
    return reader.found, sign_cursor(reader.place.to_texts(), of=of, keys=keys) if reader.place else None


@dataclass(kw_only=True)
class TaskReader:
    """Reads on until the page is full, the lists end, or one call has read enough.

    `place` is where the next page begins; None at the end. Wherever reading breaks off, `found` is all before it.
    """

    wanted: TaskFilter
    who: Principal
    limit: int
    lists: TaskLists
    tasks: TaskStore
    place: TaskPlace | None = None
    found: list[Record] = field(default_factory=list)
    _start: TaskPlace | None = None
    _queries: int = 0
    _rows: int = 0
    _oldest: date | None = None

    async def read(self, place: TaskPlace | None, *, today: date) -> None:
        """Read on from a place; without one, through all days from the newest on."""
        self.place = self._start = place or await self._newest_day(today)
        while self.place and len(self.found) < self.limit and self._queries < QUERIES and self._rows < ROWS:
            await self._read_on(self.place)

    @property
    def has_moved(self) -> bool:
        """Whether anything was read that the next call need not read again."""
        return self.place != self._start

    async def _read_on(self, place: TaskPlace) -> None:
        """The next pointers of one list, and their rows."""
        self._queries += 1
        most = PAGE if self._is_choosing else self.limit - len(self.found)
        pointers, behind = await self.lists.page(place, limit=min(most, ROWS - self._rows))
        for batch in batched(pointers, IN_FLIGHT, strict=False):
            self._rows += len(batch)
            for pointer, record in zip(batch, await asyncio.gather(*map(self._row, batch)), strict=True):
                if len(self.found) == self.limit:
                    return
                self.place = TaskPlace(list=pointer.list, key=pointer.key)
                if record and is_borne_out(pointer, record) and fits(record, self.wanted) and self.who.sees(record):
                    self.found.append(record)
        if behind is None:
            await self._leave(place, is_empty=not pointers)
        elif not pointers:
            self.place = behind

    @property
    def _is_choosing(self) -> bool:
        """Whether many a row of the list may be none to show, so that more are read ahead than are wanted."""
        has_both = bool(self.wanted.owner and self.wanted.created_by)
        return has_both or self.wanted.state is not None or not self.who.is_operator

    async def _row(self, pointer: Pointer) -> Record | None:
        """The task of a pointer; None where there is none that can be shown."""
        if not _TASK_ID.fullmatch(pointer.task_id):
            log.warning("a pointer names no task", list=pointer.list)
            return None
        try:
            return await self.tasks.read(pointer.task_id)
        except DamagedRow as error:
            log.warning("a task is left out of a list", task=pointer.task_id, because=f"{error}")
            return None

    async def _leave(self, place: TaskPlace, *, is_empty: bool) -> None:
        """Go on from a list that was read to its end: one day leads to the one before."""
        day = day_of(place.list)
        if day is None or day <= FIRST_DAY:
            self.place = None
        elif is_empty and not place.key:  # a day without tasks: there may be many more
            await self._leap(day - _DAY)
        else:
            self.place = TaskPlace(list=day_list(day - _DAY))

    async def _newest_day(self, today: date) -> TaskPlace:
        """The top of today's list; of a later one where a sender's clock, or what it says, is ahead."""
        later = await self._first_day(today + _DAY, LAST_DAY)
        if later:
            await self._search(later, LAST_DAY, span=(LAST_DAY - later).days // 2)
        return self.place if later and self.place else TaskPlace(list=day_list(today))

    async def _leap(self, high: date) -> None:
        """Go to the newest day up to this one that has a task, or to the end."""
        self._oldest = self._oldest or await self._first_day(FIRST_DAY, high)
        if self._oldest is None or self._oldest > high:
            self.place = None
        else:
            await self._search(self._oldest, high)

    async def _search(self, low: date, high: date, *, span: int = 1) -> None:
        """Go to the newest day up to `high`, where `low` is one that has tasks.

        It looks at the newest `span` days, at twice as many more, and so on, never at more than half of what is left: a
        gap of thousands of days costs a handful of queries. If it breaks off, the days behind its place have no tasks.
        """
        self.place = TaskPlace(list=day_list(high))
        while low < high and self._queries < QUERIES:
            bottom = high - (span - 1) * _DAY
            found = await self._first_day(bottom, high)
            if found:
                low = found
            else:
                high = bottom - _DAY
                self.place = TaskPlace(list=day_list(high))
            half = max(1, (high - low).days // 2)
            span = half if found else min(2 * span, half)

    async def _first_day(self, low: date, high: date) -> date | None:
        """The first day between two that has a task; `low` where the call may ask no more, and so passes over none."""
        mark = None
        while True:
            self._queries += 1
            found, mark = await self.lists.first_day(low, high, mark)
            if found or mark is None:
                return found
            if self._queries >= QUERIES:
                return low
