"""The sweeper: what nothing moves any more is found by its pointer and brought to its end, a bounded piece each run."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from shared import log
from shared.domain.errors import DependencyDown, told
from shared.storage.pointers import Pointer, Pointers
from shared.storage.table import StaleRow

PAGE, IN_FLIGHT = 100, 4
"""Pointers that are read at once, and that one list has in work at once."""

Outcome = Literal["waiting", "done", "resent", "gaveUp", "closed", "removed", "reported"]
"""What became of one pointer.

`waiting`: its time has not come. `done`: there was nothing to do any more. `resent`: its task's message was sent again.
`gaveUp`: its task was settled. `closed`: its letter was marked as redriven. `removed`: its letter was removed.
`reported`: a log line says what is wrong. All but `waiting`, `resent` and some of `reported` leave no pointer.
"""


class SweptList(Protocol):
    """One kind of pointers, and what the sweeper does for each. Everything in it may be repeated."""

    @property
    def name(self) -> str:
        """That of its bookmark."""
        ...

    async def page(self, now: datetime, *, after: Pointer | None, limit: int) -> list[Pointer]:
        """The first pointers behind a given one that are to be looked at now."""
        ...

    async def see_to(self, pointer: Pointer, now: datetime) -> Outcome:
        """Do what is to be done; StaleRow: somebody else is at it just now."""
        ...


async def sweep(lists: Sequence[SweptList], *, pointers: Pointers, now: datetime, seconds: float) -> None:
    """One run over all lists at once, ended after so many seconds. Never raises: one log line says how it went.

    What one run leaves over has its turn in the next ones, also if none ever comes through.
    """
    rounds = [_Round(swept=each, pointers=pointers, now=now, seconds=seconds) for each in lists]
    await asyncio.gather(*(each.run() for each in rounds))
    counts = sum((each.counts for each in rounds), Counter[str]())
    because = [each.because for each in rounds if each.because]
    say = log.warning if because else log.info
    say(
        "sweep done",
        lookedAt=counts.total(),
        **{name: counts[name] for name in ("resent", "gaveUp", "closed", "removed", "reported", "failed")},
        leftOver=any(each.is_cut_short for each in rounds),
        **({"because": because[0]} if because else {}),
    )


@dataclass(kw_only=True)
class _Round:
    """One run over one list: on from where the last one was cut short, and round to there again.

    A bookmark behind a page is written before that page is worked on. So whatever a pointer costs, and if it ends the
    process, those behind it get their turn first the next time.
    """

    pointers: Pointers
    now: datetime
    seconds: float
    swept: SweptList
    counts: Counter[str] = field(default_factory=Counter)
    is_cut_short: bool = False
    because: str = ""

    async def run(self) -> None:
        """Never raises."""
        try:
            async with asyncio.timeout(self.seconds):
                await self._round()
        except TimeoutError:
            self.is_cut_short = True
        except Exception as error:
            self.is_cut_short, self.because = True, told(error)

    async def _round(self) -> None:
        start = await self.pointers.bookmark(self.swept.name)
        has_bookmark = start is not None
        for begin, end in ((start, None), (None, start)) if start else ((None, None),):
            after, has_more = begin, True
            while has_more:
                found = await self.swept.page(self.now, after=after, limit=PAGE)
                page = [each for each in found if end is None or each.place <= end.place]
                has_more = len(page) == PAGE
                if page and (has_more or has_bookmark):
                    await self.pointers.set_bookmark(self.swept.name, page[-1])
                    has_bookmark, after = True, page[-1]
                await self._see_to_all(page)
        if has_bookmark:
            await self.pointers.set_bookmark(self.swept.name, None)

    async def _see_to_all(self, page: list[Pointer]) -> None:
        random.shuffle(page)  # so that of a page that is cut short not always the same ones are left
        free = asyncio.Semaphore(IN_FLIGHT)

        async def see_to(pointer: Pointer) -> None:
            async with free:
                self.counts[await self._outcome(pointer)] += 1

        await asyncio.gather(*map(see_to, page))

    async def _outcome(self, pointer: Pointer) -> str:
        """What became of it. No error of one pointer ends the run."""
        try:
            async with asyncio.timeout(self.seconds / 5):
                return await self.swept.see_to(pointer, self.now)
        except StaleRow:
            return "waiting"
        except (DependencyDown, TimeoutError) as error:
            self.because = told(error)
            return "failed"
        except Exception as error:
            log.error("a pointer cannot be dealt with", list=pointer.list, pointer=pointer.key, because=told(error))
            return "reported"
