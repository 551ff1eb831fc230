"""What an operator's redrive does to one letter."""

from datetime import datetime

from shared.domain.letter import DAMAGED_ROW, Letter
from shared.services.order import CHANGED_MEANWHILE, Act, Order, Outcome, why_not
from shared.services.reopen import Reopening


def redriving(order: Order, *, seen_before: datetime, now: datetime, reopening: Reopening) -> Act:
    """Put its message again, if it is open or discarded: an operator may change his mind while it is kept."""

    async def redrive(letter: Letter) -> Outcome:
        if letter.code == DAMAGED_ROW:
            return Outcome(letter.id, "skipped", DAMAGED_ROW, f"Its own row is damaged: {letter.reason}.")
        refusal = why_not(letter, ("open", "discarded"), seen_before=seen_before)
        if refusal:
            return refusal
        if order.is_dry:
            return Outcome(letter.id, "selected")
        reopened = await reopening.letter(letter, by=order.by, now=now)
        if reopened.is_marked:
            return Outcome(letter.id, "redriven")
        told = "Its message was put, and somebody changed the letter meanwhile: perhaps it failed again already."
        return Outcome(letter.id, "redriven", CHANGED_MEANWHILE, told)

    return redrive
