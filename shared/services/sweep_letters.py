"""Dead letters that were closed and have been kept long enough: the sweeper forgets them."""

from dataclasses import dataclass
from datetime import datetime

from shared.domain.letter import parse_letter_id
from shared.services.sweep import Outcome
from shared.storage.letters import LetterStore
from shared.storage.pointers import Pointer, Pointers


@dataclass(frozen=True, kw_only=True)
class ClosedLetters:
    """The lists `keep:<day>` of the days that are over."""

    pointers: Pointers
    letters: LetterStore
    name: str = "letters"

    async def page(self, now: datetime, *, after: Pointer | None, limit: int) -> list[Pointer]:
        """The letters whose keeping ended before today, the longest ago first."""
        return await self.pointers.over(now.date(), after=after, limit=limit)

    async def see_to(self, pointer: Pointer, now: datetime) -> Outcome:
        """Remove row and text of the letter, unless it was opened again; what closes it later points to it again."""
        place = parse_letter_id(pointer.key)
        if place is None:
            raise ValueError("no letter's id")
        is_gone = await self.letters.forget(*place, today=now.date())
        await self.pointers.drop(pointer)
        return "removed" if is_gone else "done"
