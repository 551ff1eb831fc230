"""The sweeper in the test's own process, at any hour that the test likes."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from shared.domain import identity
from shared.domain.lane import Lane
from shared.domain.letter import Closing, Letter, LetterState
from shared.domain.names import TASK_QUEUE
from shared.domain.record import Failure, Record, State
from shared.domain.task import Task, fingerprint
from shared.services.hand_on import HandOn
from shared.services.lanes import Lanes
from shared.services.sweep import sweep
from shared.services.sweep_letters import ClosedLetters
from shared.services.sweep_tasks import OpenTasks
from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from shared.storage.letters import LetterStore
from shared.storage.pointers import Pointers
from shared.storage.queues import Queues
from shared.storage.tasks import TaskStore

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
REOPENED = datetime(2026, 3, 5, 12, 0, 0, 123_456, tzinfo=UTC)

TASK = Task(title="Tap drips", notes="since Monday", priority="high")


def _event_id(key: str) -> str:
    return identity.submitted_event_id(identity.task_id("key", key), fingerprint(TASK))


KEY = _event_id("k-1")
"""Of the letter of the task `k-1`."""


@dataclass(kw_only=True)
class Sweeper:
    """One sweeper with settings as they are by default, and its view of the account."""

    tasks: TaskStore
    letters: LetterStore
    pointers: Pointers
    lanes: Lanes
    hand_on: HandOn
    lines: list[str] = field(default_factory=list)

    async def sweep(self, now: datetime, *, seconds: float = 30) -> dict[str, Any]:
        """One run; what its log line says. `lines` are then all that it said before."""
        open_tasks = OpenTasks(
            pointers=self.pointers,
            tasks=self.tasks,
            letters=self.letters,
            lanes=self.lanes,
            hand_on=self.hand_on,
            resend_after=HOUR,
            give_up_after=7 * DAY,
            keep_letters=90 * DAY,
            put_seconds=5,
        )
        lists = (open_tasks, ClosedLetters(pointers=self.pointers, letters=self.letters))
        with _listening() as said:
            await sweep(lists, pointers=self.pointers, now=now, seconds=seconds)
        *self.lines, end = said
        counts: dict[str, Any] = json.loads(end.removeprefix("sweep done "))
        return counts


@asynccontextmanager
async def sweeper(connection_string: str) -> AsyncIterator[Sweeper]:
    """A sweeper of an account, reached over a wire or straight."""
    account = Account(StorageConnections.resolve({"FixItStorage": connection_string}, "FixItStorage"))
    queues = Queues(lambda connection: account)
    try:
        pointers = Pointers(account)
        yield Sweeper(
            tasks=TaskStore(account),
            letters=LetterStore(account),
            pointers=pointers,
            hand_on=HandOn(queues=queues, pointers=pointers, on=frozenset()),
            lanes=Lanes((Lane(),), queues=queues, pause_seconds=0.001),
        )
    finally:
        await account.close()


def straight(connection_string: str, work: Callable[[Sweeper], Awaitable[object]]) -> None:
    """Do something with a sweeper or its stores, where the test itself is not asynchronous."""

    async def do() -> None:
        async with sweeper(connection_string) as made:
            await work(made)

    asyncio.run(do())


def task(key: str = "k-1", state: State = "queued", **changes: Any) -> Record:
    """A task that was submitted a month before it was reopened."""
    record = Record(
        id=identity.task_id("key", key),
        task=TASK,
        caller="key",
        fingerprint=fingerprint(TASK),
        submitted_at=REOPENED - 30 * DAY,
        state=state,
        failure=Failure(code="given_up", message="it failed", step="record") if state == "failed" else None,
        redrives=2,
        reopened_at=REOPENED,
    )
    return replace(record, **changes)


def letter(state: LetterState = "open", key: str = "k-1", **changes: Any) -> Letter:
    """That of a task, as it was before the task was reopened."""
    made = Letter(
        queue=TASK_QUEUE,
        lane=Lane().name,
        key=_event_id(key),
        content="c" * 64,
        code="given_up",
        reason="it failed",
        task_id=identity.task_id("key", key),
        fingerprint=fingerprint(TASK),
        dequeue_count=5,
        redrives=1,
        first_seen_at=REOPENED - DAY,
        last_seen_at=REOPENED - DAY,
        state=state,
        closing=None if state == "open" else Closing(by="ann", at=REOPENED, kept_until=REOPENED + 90 * DAY),
    )
    return replace(made, **changes)


async def reopen(sweeping: Sweeper, record: Record, *, at: datetime = REOPENED, redriven: Letter | None = None) -> None:
    """The pointer and the row of a task that was reopened, and the letter if it has one."""
    await sweeping.pointers.open(record.id, at=at, letter=redriven.id if redriven else "")
    await sweeping.tasks.create(record)
    if redriven:
        await keep(sweeping, redriven)


async def keep(sweeping: Sweeper, kept: Letter) -> None:
    """A letter with its text."""
    await sweeping.letters.create(kept)
    await sweeping.letters.keep_text(kept.queue, kept.key, b"the text")


@contextmanager
def _listening() -> Iterator[list[str]]:
    """What the app logs meanwhile."""
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("fixit")
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield said
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
