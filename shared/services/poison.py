"""Settle a message that the platform gave up: a dead letter, and its task failed."""

from contextlib import suppress
from datetime import datetime

from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import Envelope
from shared.domain.letter import GIVEN_UP
from shared.domain.record import RECORD_STEP, Failure
from shared.domain.task import Task, fingerprint
from shared.services.dead_letters import keep_row
from shared.services.record import task_if_legal
from shared.services.settle_row import End, settle_row
from shared.storage.columns import DamagedRow
from shared.storage.letters import LetterStore
from shared.storage.tasks import TaskStore

UNNOTED = "the platform gave it up; no error was noted: its worker was probably killed"


async def settle_poison(
    contents: Contents, delivery: Delivery, *, now: datetime, tasks: TaskStore, letters: LetterStore
) -> None:
    """Write the letter's row with the last noted error, fail the task if it is not settled, then keep the text.

    An old copy (its row, or else its letter, has a higher counter since a redrive) changes nothing. A repeat finds the
    letter and the failed row. A row that cannot be read stays as it is: the letter tells of it.

    Raises:
        DependencyDown: a store cannot be used now; what was written is found again by the repeat.
    """
    envelope = contents.envelope
    task = task_if_legal(envelope)
    queue = delivery.lane.queue
    if envelope and task and await _is_old_copy(envelope, task, tasks):
        await letters.drop_note(queue, contents.key)
        return
    note = await letters.read_note(queue, contents.key)
    if contents.hopeless:
        code, reason = contents.hopeless.code, contents.hopeless.reason
    else:
        code = GIVEN_UP
        reason = f"{note.error}: {note.message}" if note else UNNOTED
    count = note.dequeue_count if note else 0
    key = await keep_row(contents, delivery, code=code, reason=reason, dequeue_count=count, now=now, letters=letters)
    if key and envelope and task:
        failure = Failure(code=code, message="The task could not be recorded; an operator has it.", step=RECORD_STEP)

        async def end_of(task: Task) -> End:
            return End("failed", failure=failure)

        with suppress(DamagedRow):
            await tasks.point(await settle_row(envelope, task, end_of=end_of, tasks=tasks))
    if key:  # last, since the task can be settled while texts cannot be kept
        await letters.keep_text(queue, key, delivery.raw)
    if note:
        await letters.drop_note(queue, contents.key)


async def _is_old_copy(envelope: Envelope, task: Task, tasks: TaskStore) -> bool:
    """Whether this very task was redriven since the message was sent; another content under its id is no copy of it."""
    with suppress(DamagedRow):
        stored = await tasks.read(envelope.subject)
        return stored is not None and stored.fingerprint == fingerprint(task) and envelope.redrives < stored.redrives
    return False
