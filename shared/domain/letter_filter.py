"""Which dead letters an operator means, and how far he has come in them."""

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from shared.domain import instants
from shared.domain.letter import LetterState


@dataclass(frozen=True, kw_only=True)
class LetterFilter:
    """Letters in one state that fit all that is given; an empty text fits any.

    `code` is the class, `cause` what is left of the reason when letters are grouped. `seen_before` and `seen_after` say
    when the message was last met: before the one, or at the other or later.
    """

    state: LetterState = "open"
    queue: str = ""
    code: str = ""
    step: str = ""
    cause: str = ""
    task_id: str = ""
    seen_before: datetime | None = None
    seen_after: datetime | None = None

    @property
    def text(self) -> str:
        """The same text for the same filter, and for no other."""
        return json.dumps(asdict(self), default=instants.to_text)

    def up_to(self, limit: datetime) -> "LetterFilter":
        """The same, but only letters whose message was met last before this limit."""
        return replace(self, seen_before=min(limit, self.seen_before or limit))


@dataclass(frozen=True, kw_only=True)
class Place:
    """A place in the order of letters: by queue, then by key.

    It is behind the letter `key` of `queue`; without a key behind all of `queue`. `mark` is the service's own, where it
    stopped between two letters of what comes then.
    """

    queue: str = ""
    key: str = ""
    mark: tuple[str, str] | None = None

    def to_texts(self) -> tuple[str, ...]:
        """The place as a cursor holds it."""
        return (self.queue, self.key, *(self.mark or ()))

    @classmethod
    def from_texts(cls, texts: tuple[str, ...]) -> "Place":
        queue, key, *mark = texts
        return cls(queue=queue, key=key, mark=(mark[0], mark[1]) if mark else None)
