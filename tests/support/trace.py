"""A run of the queue trigger as calls in words, so that one host's can be held against another's."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

POISON_SUFFIX = "-poison"


@dataclass(kw_only=True)
class TracedCall:
    """One storage call, or one run of the function (`op` invoke). What it does not have is None.

    `parameters` are those that count: number, lease or delay in seconds, time to live, text. `status` is 0 where the
    connection was cut. `deliveries` are the dequeue counts: of what a receive returned, or of the run.
    """

    op: str
    queue: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    status: int | None = None
    code: str | None = None
    deliveries: list[int] | None = None

    def __str__(self) -> str:
        words: list[object] = [self.op]
        if self.queue:
            words.append("poison" if self.queue.endswith(POISON_SUFFIX) else "main")
        words += [f"{name}={value}" for name, value in self.parameters.items() if value is not None]
        if self.deliveries is not None:
            words.append(self.deliveries)
        if self.status is not None:
            words.append(f"-> {self.status}")
        if self.code and self.status and self.status < 500:
            words.append(self.code)
        return " ".join(map(str, words))

    @property
    def is_empty_receive(self) -> bool:
        return self.op == "get" and self.status == 200 and not self.deliveries

    @property
    def may_repeat(self) -> bool:
        """Whether a repetition of it says nothing: a client's own, or another look at a missing queue."""
        return self.status == 0 or (self.status or 0) >= 500 or self.op == "metadata"


def lines(calls: Iterable[TracedCall]) -> list[str]:
    """The calls in words, without empty receives, the looks between them, and repetitions."""
    out: list[str] = []
    idle = False
    for call in calls:
        if call.is_empty_receive or (call.op == "metadata" and call.status in (200, 404) and idle):
            idle = True
            continue
        idle = False
        if not (out and out[-1] == str(call) and call.may_repeat):
            out.append(str(call))
    return out


def empty_receives(calls: Iterable[TracedCall]) -> int:
    """How often the host looked and found nothing."""
    return sum(call.is_empty_receive for call in calls)


def differences(expected: Sequence[str], seen: Sequence[str], *, any_order: bool) -> str:
    """What is missing and what is too much, or both orders; empty where they agree."""
    if list(expected) == list(seen):
        return ""
    wanted, had = Counter(expected), Counter(seen)
    if wanted == had:
        return "" if any_order else "\n".join(("order of the real host:", *expected, "order here:", *seen))
    return "\n".join(
        [f"missing: {line}" for line in (wanted - had).elements()]
        + [f"too much: {line}" for line in (had - wanted).elements()]
    )
