"""What an operator asks to have done to dead letters, and what he is told became of each."""

import json
from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from shared.domain import instants
from shared.domain.letter import Letter, LetterState
from shared.domain.letter_filter import LetterFilter

CHANGED_MEANWHILE = "changed_meanwhile"
SEEN_SINCE = "seen_since"
NOT_OPEN = "not_open"

What = Literal["selected", "redriven", "discarded", "skipped", "failed"]


@dataclass(frozen=True)
class Outcome:
    """What became of one letter; `code` and `reason` say why not, or what is to be known besides."""

    letter: str
    what: What
    code: str = ""
    reason: str = ""


Act = Callable[[Letter], Awaitable[Outcome]]
"""What is done to one letter. It may raise: that is the outcome of this letter, and no other's."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """Either `ids`, or whatever fits `wanted`: letters whose message was last met before `seen_before`.

    `per_second`: at most so many letters a second (0: as many as can be). `is_dry`: nothing is done.
    """

    action: Literal["redrive", "discard"]
    ids: tuple[str, ...] = ()
    wanted: LetterFilter | None = None
    seen_before: datetime | None = None
    per_second: float = 0
    is_dry: bool = False
    by: str
    reason: str = ""

    @property
    def text(self) -> str:
        """The same text for the same letters and the same action, and for no other."""
        limit = instants.to_text(self.seen_before) if self.seen_before else None
        return json.dumps([self.action, self.ids, self.wanted.text if self.wanted else None, limit])


def why_not(letter: Letter, states: Container[LetterState], *, seen_before: datetime) -> Outcome | None:
    """Why a letter is left as it is, if it is: its state, or a message that the operator cannot have seen."""
    if letter.state not in states:
        return Outcome(letter.id, "skipped", NOT_OPEN, f"It is {letter.state} already.")
    if letter.last_seen_at >= seen_before:
        return Outcome(letter.id, "skipped", SEEN_SINCE, "Its message was met again since: look again.")
    return None
