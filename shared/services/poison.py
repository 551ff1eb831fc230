"""Settle a message that the platform gave up: a dead letter, and its task failed."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import NOTICE, Envelope
from shared.domain.letter import GIVEN_UP
from shared.domain.record import RECORD_STEP, Failure, Record
from shared.domain.task import Task, fingerprint
from shared.services.dead_letters import content_of, keep_row
from shared.services.fail_step import fail_step
from shared.services.hand_on import HandOn
from shared.services.record import task_of
from shared.services.settle_row import End, settle_row
from shared.storage.columns import DamagedRow
from shared.storage.letters import LetterStore
from shared.storage.tasks import TaskStore

if TYPE_CHECKING:
    from shared.storage.notices import NoticeStore

UNNOTED = "the platform gave it up; no error was noted: its worker was probably killed"


async def settle_poison(
    contents: Contents,
    delivery: Delivery,
    *,
    now: datetime,
    tasks: TaskStore,
    letters: LetterStore,
    notices: "Callable[[], NoticeStore]",
    hand_on: HandOn,
) -> None:
    """Write the letter's row with the last noted error, fail the task if it is not settled, then keep the text. Of a
    notice, its row fails, and no task.

    An old copy (its row, or else its letter, has a higher counter since a redrive) changes nothing. A repeat finds the
    letter and the failed row. A row that cannot be read stays as it is: the letter tells of it.

    Raises:
        DependencyDown: a store cannot be used now; what was written is found again by the repeat.
    """
    envelope = contents.envelope
    queue = delivery.lane.queue
    content = content_of(envelope)
    if envelope and content and await _is_old_copy(envelope, content, tasks):
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
    stored = await _fail(envelope, code, tasks) if key and envelope and content else None
    if key and envelope and envelope.type == NOTICE:
        from shared.services.fail_notice import fail_notice  # a task needs no table of notices

        await fail_notice(envelope, code, notices=notices(), now=now)
    if envelope and stored:
        await hand_on.after(stored, traceparent=envelope.traceparent)
    if key:  # last, since the task can be settled while texts cannot be kept
        await letters.keep_text(queue, key, delivery.raw)
    if note:
        await letters.drop_note(queue, contents.key)


async def _fail(envelope: Envelope, code: str, tasks: TaskStore) -> Record | None:
    """Fail the task of a message that submits it or works for it; its row as it then stands, if it can be read."""
    if envelope.step:
        message = "A step of the task could not be done; an operator has it."
        return await fail_step(envelope, Failure(code=code, message=message, step=envelope.step), tasks=tasks)
    failure = Failure(code=code, message="The task could not be recorded; an operator has it.", step=RECORD_STEP)

    async def end_of(task: Task) -> End:
        return End("failed", failure=failure)

    try:
        stored = await settle_row(envelope, task_of(envelope), end_of=end_of, tasks=tasks)
    except DamagedRow:
        return None
    await tasks.point(stored)
    return stored if stored.fingerprint == fingerprint(task_of(envelope)) else None


async def _is_old_copy(envelope: Envelope, content: str, tasks: TaskStore) -> bool:
    """Whether this very task was redriven since the message was sent; another content under its id is no copy of it."""
    with suppress(DamagedRow):
        stored = await tasks.read(envelope.subject)
        return stored is not None and stored.fingerprint == content and envelope.redrives < stored.redrives
    return False
