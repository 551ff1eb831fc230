"""Give a dead letter's message, and with it its task, another chance: one use case for operators and submitters.

    open pointer → row failed → queued, redrives+1 → notices → put → keep pointer → letter redriven
                   (If-Match)                                           (If-Match, of what was read before the put)

Whatever ends it in between, it goes on from there when it is repeated: a row that is queued already goes on from the
put, and a put twice is one task. The sweeper, led by the open pointer, ends what nobody repeats.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from shared.domain.envelope import COUNT_MAX
from shared.domain.errors import CannotReopen
from shared.domain.letter import Closing, Letter
from shared.domain.names import CONNECTION
from shared.domain.record import RECORD_STEP, Record
from shared.services.deadline import STORAGE, answers_within
from shared.services.filters import STEP_QUEUES, filter_of
from shared.services.hand_on import HandOn
from shared.services.lanes import Lanes
from shared.services.letter_end import end_letter
from shared.services.message_again import again_from_letter, again_from_row
from shared.storage.columns import DamagedRow
from shared.storage.letters import LetterStore
from shared.storage.pointers import Pointers
from shared.storage.queues import Queues
from shared.storage.table import StaleRow
from shared.storage.tasks import TaskStore


@dataclass(frozen=True)
class Reopened:
    """`record` is the row of the letter's own task, if it has one. `is_marked`: whether the letter says so too; if not,
    somebody changed it meanwhile: perhaps its message failed again already."""

    record: Record | None
    is_marked: bool


@dataclass(frozen=True, kw_only=True)
class Reopening:
    """The use case with its stores. `keep_letters`: how long a letter is kept after it was closed."""

    tasks: TaskStore
    letters: LetterStore
    pointers: Pointers
    lanes: Lanes
    queues: Queues
    hand_on: HandOn
    keep_letters: timedelta
    put_seconds: float

    async def letter(self, letter: Letter, *, by: str, now: datetime, own_row: Record | None = None) -> Reopened:
        """Put a letter's message again; a task that failed with it is queued again.

        A letter of anything but its own task's submission touches no row. `own_row`: that row, if it was just read.

        Raises:
            CannotReopen: it never can be, as it is; nothing was changed.
            DependencyDown: a store cannot be used now. A repeat goes on where this ended.
        """
        raw = await self.letters.read_text(letter.queue, letter.key)
        if raw is None:
            raise CannotReopen("Its text is not there.", code="text_missing")
        while True:
            stored = own_row or await self._own_row(letter)
            own_row = None
            record = _reopened(stored, now) if stored else None
            again = again_from_letter(letter, raw, record, now=now)
            try:
                if stored and record:
                    record = await self._write(stored, record, letter.id)
                break
            except StaleRow:
                continue  # somebody changed it meanwhile
        if record:
            await self._tell(record)
        is_of_no_step = record is not None and letter.step != RECORD_STEP and filter_of(letter.step) is None
        # Nobody listens to the queue of a filter that was removed: the task goes by its row, from the record step on.
        await self._put(letter, again_from_row(record) if record and is_of_no_step else again.text)
        closing = Closing(by=by, at=now, kept_until=now + self.keep_letters)
        closed = replace(letter, state="redriven", redrives=again.redrives, closing=closing)
        return Reopened(record, is_marked=await end_letter(closed, letters=self.letters))

    async def row(self, stored: Record, *, now: datetime) -> Record:
        """Queue a task again that left no letter; its message is made from its row.

        Raises:
            StaleRow: the row was changed since it was read. CannotReopen, DependencyDown: as above.
        """
        record = _reopened(stored, now)
        text = again_from_row(record)
        record = await self._write(stored, record, "")
        await self._tell(record)
        await self.lanes.put(record.id, text, priority=record.task.priority, deadline_seconds=self.put_seconds)
        return record

    async def _put(self, letter: Letter, text: str) -> None:
        """Back on the queue that the message worked for; of a task's lane any other does as well, if it fails."""
        if letter.queue in STEP_QUEUES:
            async with answers_within(self.put_seconds, STORAGE):
                await self.queues.put(CONNECTION, letter.queue, text)
            return
        subject = letter.task_id or letter.key
        await self.lanes.put(subject, text, rather=letter.lane, deadline_seconds=self.put_seconds)

    async def _tell(self, record: Record) -> None:
        """Have it told that the task is queued again; once its message is there the row may say something else."""
        if not record.is_settled:
            await self.hand_on.tell(record)

    async def _own_row(self, letter: Letter) -> Record | None:
        """The row of the task that this letter's message submitted; another content under its id is another task."""
        if not letter.fingerprint:
            return None
        try:
            record = await self.tasks.read(letter.task_id)
        except DamagedRow as error:
            raise CannotReopen("The row of its task cannot be read.", code="damaged_row") from error
        return record if record and record.fingerprint == letter.fingerprint else None

    async def _write(self, stored: Record, record: Record, letter: str) -> Record:
        """Queue a failed task again; any other stays as it is."""
        if record is stored:
            return stored
        await self.pointers.open(record.id, at=record.under_way_since, letter=letter)
        return await self.tasks.change(record)


def _reopened(stored: Record, now: datetime) -> Record:
    """The row as it is to be: a failed one is queued again, any other goes on as it is."""
    if stored.state != "failed":
        return stored
    return replace(stored, state="queued", failure=None, redrives=min(stored.redrives + 1, COUNT_MAX), reopened_at=now)
