"""One dead letter with all that is known of it. Looking changes nothing."""

from contextlib import suppress
from dataclasses import dataclass

from shared.domain.letter import Letter, parse_letter_id
from shared.domain.record import Record
from shared.services.deadline import STORAGE, answers_within
from shared.storage.columns import DamagedRow
from shared.storage.letters import LetterStore
from shared.storage.tasks import TaskStore


@dataclass(frozen=True, kw_only=True)
class LetterDetails:
    """The letter, its text (None where it has none yet), and the row of its task (None where there is none, or it
    cannot be understood)."""

    letter: Letter
    text: bytes | None
    record: Record | None


async def letter_details(
    name: str, *, letters: LetterStore, tasks: TaskStore, deadline_seconds: float
) -> LetterDetails | None:
    """The letter with an id; None if there is none.

    Raises:
        DependencyDown: a store cannot be used now, or did not answer within the deadline.
    """
    place = parse_letter_id(name)
    if place is None:
        return None
    async with answers_within(deadline_seconds, STORAGE):
        letter = await letters.read(*place)
        if letter is None:
            return None
        record = None
        with suppress(DamagedRow):
            record = await tasks.read(letter.task_id) if letter.task_id else None
        return LetterDetails(letter=letter, text=await letters.read_text(*place), record=record)
