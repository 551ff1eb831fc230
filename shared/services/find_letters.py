"""What an operator looks at: dead letters one by one, or grouped by their cause. Looking changes nothing."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime

from shared.domain.errors import DependencyDown
from shared.domain.letter import Letter
from shared.domain.letter_filter import LetterFilter, Place
from shared.storage.letters import LetterStore

PAGES, PAGE = 20, 1_000
"""As many requests as one call makes, and as many letters as one of them gives at most."""


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Letters that ended alike: how many, and when the message of the oldest and of the newest was met last."""

    queue: str
    code: str
    step: str
    cause: str
    count: int
    oldest: datetime
    newest: datetime


@dataclass(kw_only=True)
class Reader:
    """Reads the letters that fit, page by page, as far as one call may: `seconds`, and a number of requests.

    `place` is where the next page begins; None at the end.
    """

    wanted: LetterFilter
    place: Place | None
    letters: LetterStore
    seconds: float
    _requests: int = 0
    _began: float = field(default_factory=lambda: asyncio.get_running_loop().time())

    async def page(self, limit: int) -> list[Letter] | None:
        """The next letters, perhaps none; None when there are no more, or this call has read enough.

        Raises:
            DependencyDown: not even the first page can be read.
        """
        if self.place is None or self._requests == PAGES:
            return None
        try:
            async with asyncio.timeout_at(self._began + self.seconds):
                found, self.place = await self.letters.page(self.wanted, self.place, limit=limit)
        except (DependencyDown, TimeoutError) as error:
            if self._requests:
                return None
            raise DependencyDown("the dead letters cannot be read now") from error
        self._requests += 1
        return found


async def find_letters(reader: Reader, *, limit: int) -> list[Letter]:
    """The letters that come next. There may be fewer than `limit`, or none, and yet more to come."""
    found: list[Letter] = []
    while len(found) < limit and (page := await reader.page(limit - len(found))) is not None:
        found += page
    return found


async def find_causes(reader: Reader, *, limit: int) -> list[Cause]:
    """The causes of the letters that come next, the most frequent first, and at most so many.

    Where there would be one more, the counting ends before the letter that has it.
    """
    causes: dict[tuple[str, str, str, str], Cause] = {}
    place = reader.place
    while (page := await reader.page(PAGE)) is not None:
        for letter in page:
            key = (letter.queue, letter.code, letter.step, letter.cause)
            if key not in causes and len(causes) == limit:
                reader.place = place
                return _frequent_first(causes)
            causes[key] = _counted(letter, causes.get(key))
            place = Place(queue=letter.queue, key=letter.key)
        place = reader.place
    return _frequent_first(causes)


def _counted(letter: Letter, cause: Cause | None) -> Cause:
    seen = letter.last_seen_at
    if cause:
        oldest, newest = min(cause.oldest, seen), max(cause.newest, seen)
        return replace(cause, count=cause.count + 1, oldest=oldest, newest=newest)
    return Cause(
        queue=letter.queue,
        code=letter.code,
        step=letter.step,
        cause=letter.cause,
        count=1,
        oldest=seen,
        newest=seen,
    )


def _frequent_first(causes: dict[tuple[str, str, str, str], Cause]) -> list[Cause]:
    return sorted(causes.values(), key=lambda cause: -cause.count)
