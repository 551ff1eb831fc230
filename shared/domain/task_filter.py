"""Which tasks a caller wants to see, and how far he has come in them."""

import json
from dataclasses import asdict, dataclass

from shared.domain.record import State


@dataclass(frozen=True, kw_only=True)
class TaskFilter:
    """Tasks that fit all that is given; an empty text fits any."""

    owner: str = ""
    created_by: str = ""
    state: State | None = None

    @property
    def text(self) -> str:
        """The same text for the same filter, and for no other."""
        return json.dumps(asdict(self))


@dataclass(frozen=True, kw_only=True)
class TaskPlace:
    """A place in the order of tasks, the newest first: in `list`, behind the pointer `key`; without one at its top.

    `mark` is the service's own, where it stopped between two pointers of what comes then.
    """

    list: str
    key: str = ""
    mark: tuple[str, str] | None = None

    def to_texts(self) -> tuple[str, ...]:
        """The place as a cursor holds it."""
        return (self.list, self.key, *(self.mark or ()))

    @classmethod
    def from_texts(cls, texts: tuple[str, ...]) -> "TaskPlace":
        name, key, *mark = texts
        return cls(list=name, key=key, mark=(mark[0], mark[1]) if mark else None)
