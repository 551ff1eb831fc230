"""Carry out an operator's order, letter by letter, for a bounded time; then say how far it came."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import batched

from shared import log
from shared.domain.errors import CannotReopen, DependencyDown, FixItError, told
from shared.domain.letter import Letter, parse_letter_id
from shared.domain.letter_filter import LetterFilter, Place
from shared.services.order import Act, Outcome
from shared.storage.letters import LetterStore

IN_FLIGHT = 8
"""Letters in work at once; more would only make each of them slower."""

PAGES, PAGE = 100, 200
"""As many requests as one call lists letters with, and as many letters as one of them gives at most."""

LETTERS_A_CALL = 1_000
"""As many outcomes as one answer holds, and a few more: those that are in work when it is full."""

UNKNOWN_LETTER = "unknown_letter"


@dataclass(kw_only=True)
class LetterRun:
    """One call's part of an order: at most `seconds`, at most `per_second` letters in each (0: as fast as can be).

    No letter is begun in the last quarter of the time, so that one which storage is slow about comes to its end.
    """

    act: Act
    letters: LetterStore
    seconds: float
    per_second: float = 0
    outcomes: list[Outcome] = field(default_factory=list)
    _began: float = field(default_factory=lambda: asyncio.get_running_loop().time())

    async def over_ids(self, ids: Sequence[str], *, start: int = 0) -> int | None:
        """Work on these letters, from one of them on; the one to go on with, or None when all are done."""
        for batch in batched(range(start, len(ids)), self._in_flight, strict=False):
            if self._is_over:
                return batch[0]
            await self._work([ids[each] for each in batch])
        return None

    async def over_filter(self, wanted: LetterFilter, *, start: Place) -> Place | None:
        """Work on the letters that fit, from a place on; the place to go on from, or None when all are done.

        Raises:
            DependencyDown: they cannot be listed, and nothing was done yet.
        """
        place: Place | None = start
        for _ in range(PAGES):
            if place is None or self._is_over:
                break
            try:
                async with asyncio.timeout_at(self._ends):
                    found, behind = await self.letters.page(wanted, place, limit=PAGE)
            except (DependencyDown, TimeoutError) as error:
                if self.outcomes:
                    return place
                raise DependencyDown("the dead letters cannot be listed") from error
            for batch in batched(found, self._in_flight, strict=False):
                if self._is_over:
                    return place
                await self._work(batch)
                place = Place(queue=batch[-1].queue, key=batch[-1].key)
            place = behind
        return place

    @property
    def _ends(self) -> float:
        return self._began + self.seconds

    @property
    def _in_flight(self) -> int:
        return max(1, min(IN_FLIGHT, int(self.per_second or IN_FLIGHT)))

    @property
    def _is_over(self) -> bool:
        """Whether no further letter is to be begun."""
        begins = max(asyncio.get_running_loop().time(), self._turn(len(self.outcomes)))
        return begins > self._began + 0.75 * self.seconds or len(self.outcomes) >= LETTERS_A_CALL

    def _turn(self, number: int) -> float:
        """When the letter of this number may be begun."""
        return self._began + (number / self.per_second if self.per_second else 0)

    async def _work(self, batch: Sequence[Letter | str]) -> None:
        turns = [self._turn(len(self.outcomes) + number) for number in range(len(batch))]
        self.outcomes += await asyncio.gather(*map(self._outcome, batch, turns))

    async def _outcome(self, letter: Letter | str, turn: float) -> Outcome:
        """What became of one letter, given itself or by its id. Whatever goes wrong with it ends nothing else."""
        name = letter if isinstance(letter, str) else letter.id
        try:
            async with asyncio.timeout_at(self._ends):
                await asyncio.sleep(turn - asyncio.get_running_loop().time())
                known = await self._read(letter) if isinstance(letter, str) else letter
                if known is None:
                    return Outcome(name, "failed", UNKNOWN_LETTER, "There is no such letter.")
                return await self.act(known)
        except CannotReopen as error:
            return Outcome(name, "failed", error.code, error.reason)
        except TimeoutError:
            return Outcome(
                name, "failed", DependencyDown.code, "Storage did not do it in time; a repeat goes on there."
            )
        except FixItError as error:
            log.warning("a letter could not be dealt with", letter=name, because=told(error))
            return Outcome(name, "failed", error.code, "Storage cannot be used now; a repeat goes on there.")
        except Exception as error:
            log.exception("a letter could not be dealt with", error, letter=name, because=told(error))
            return Outcome(name, "failed", "internal_error", "The fault is ours and is logged.")

    async def _read(self, name: str) -> Letter | None:
        place = parse_letter_id(name)
        return await self.letters.read(*place) if place else None
