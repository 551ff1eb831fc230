"""What an operator's discard does to one letter."""

from dataclasses import replace
from datetime import datetime, timedelta

from shared.domain.letter import Closing, Letter
from shared.services.letter_end import end_letter
from shared.services.order import CHANGED_MEANWHILE, Act, Order, Outcome, why_not
from shared.storage.letters import LetterStore


def discarding(
    order: Order, *, seen_before: datetime, now: datetime, keep_letters: timedelta, letters: LetterStore
) -> Act:
    """Close it, if it is open; its message is not put, and its task stays as it is."""

    async def discard(letter: Letter) -> Outcome:
        refusal = why_not(letter, ("open",), seen_before=seen_before)
        if refusal:
            return refusal
        if order.is_dry:
            return Outcome(letter.id, "selected")
        closing = Closing(by=order.by, at=now, kept_until=now + keep_letters, reason=order.reason)
        if await end_letter(replace(letter, state="discarded", closing=closing), letters=letters):
            return Outcome(letter.id, "discarded")
        return Outcome(letter.id, "skipped", CHANGED_MEANWHILE, "Somebody changed the letter meanwhile: look again.")

    return discard
