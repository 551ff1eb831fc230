"""Accept many tasks at once: each by itself, all within one deadline."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from shared.domain import identity
from shared.domain.errors import CallerError, KeyReused, NotSent
from shared.domain.principal import Principal
from shared.domain.receipt import Receipt
from shared.domain.task import Task, fingerprint
from shared.services.submissions import Submissions

IN_FLIGHT = 8
"""Tasks in work at once; more would only make each of them slower."""


@dataclass(frozen=True, kw_only=True)
class BatchItem:
    """One task with its key, or why it cannot be taken; then the key may be empty.

    `is_new_key`: no other submit can have used it.
    """

    task: Task | CallerError
    key: str
    is_new_key: bool = False


@dataclass(frozen=True)
class Accepted:
    """A task that is on the queue: its receipt, and the token of it."""

    receipt: Receipt
    token: str


@dataclass(frozen=True)
class Outcome:
    """What became of one item."""

    item: BatchItem
    answer: Accepted | Exception

    @property
    def has_taken_key(self) -> bool:
        """Whether the key stands for this item's task now, or may."""
        return not isinstance(self.answer, CallerError | NotSent)


async def submit_batch(
    items: Sequence[BatchItem], *, who: Principal, traceparent: str, submissions: Submissions, seconds: float
) -> list[Outcome]:
    """Submit each task, and tell in the order of the items what became of it; whatever does, it ends no other's.

    Those of one key go one after the other: the same task again is answered as the first was, another is refused. What
    was not begun within so many seconds is not sent, and said to be so.
    """
    run = _Run(
        who=who,
        traceparent=traceparent,
        submissions=submissions,
        ends=asyncio.get_running_loop().time() + seconds,
        slots=asyncio.Semaphore(IN_FLIGHT),
    )
    groups: dict[str, list[int]] = {}
    for number, item in enumerate(items):
        groups.setdefault(item.key or f"\n{number}", []).append(number)  # no key holds a line feed
    done = await asyncio.gather(*(run.submit([items[each] for each in group]) for group in groups.values()))
    outcomes = dict(
        zip((each for group in groups.values() for each in group), (o for d in done for o in d), strict=True)
    )
    return [outcomes[number] for number in range(len(items))]


@dataclass(frozen=True, kw_only=True)
class _Run:
    """`ends` is of the loop's clock."""

    who: Principal
    traceparent: str
    submissions: Submissions
    ends: float
    slots: asyncio.Semaphore

    async def submit(self, items: Sequence[BatchItem]) -> list[Outcome]:
        """What became of the items of one key."""
        outcomes: list[Outcome] = []
        first: Outcome | None = None
        async with self.slots:
            for item in items:
                outcome = await self._outcome(item, first)
                if first is None and outcome.has_taken_key:
                    first = outcome
                outcomes.append(outcome)
        return outcomes

    async def _outcome(self, item: BatchItem, first: Outcome | None) -> Outcome:
        if isinstance(item.task, CallerError):
            return Outcome(item, item.task)
        try:
            if first is None:
                return Outcome(item, await self._accepted(item, item.task))
            if self._digest(item) != self._digest(first.item):
                raise KeyReused
        except Exception as error:
            return Outcome(item, error)
        return Outcome(item, first.answer)

    async def _accepted(self, item: BatchItem, task: Task) -> Accepted:
        left = self.ends - asyncio.get_running_loop().time()
        if left <= 0:
            raise NotSent(identity.task_id(self.who.caller, item.key), item.key)
        bounded = replace(self.submissions, submit_seconds=min(left, self.submissions.submit_seconds))
        receipt, token, _ = await bounded.submit(
            task, who=self.who, key=item.key, is_new_key=item.is_new_key, traceparent=self.traceparent
        )
        return Accepted(receipt, token)

    def _digest(self, item: BatchItem) -> str:
        """Which content the item submits."""
        assert isinstance(item.task, Task)
        return fingerprint(self.who.signed(item.task))
