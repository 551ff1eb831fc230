"""Keep a message that will not be delivered again: one letter for each event, and its text byte for byte."""

from dataclasses import replace
from datetime import datetime

from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import CANCELLED, NOTICE, REASSIGNED, Envelope
from shared.domain.letter import Letter
from shared.domain.record import CANCEL_STEP, NOTICE_STEP, REASSIGN_STEP, RECORD_STEP
from shared.domain.task import fingerprint
from shared.services.fail_step import fingerprint_of
from shared.services.record import task_if_legal
from shared.storage.letters import LetterStore
from shared.storage.table import StaleRow

_STEPS = {CANCELLED: CANCEL_STEP, REASSIGNED: REASSIGN_STEP, NOTICE: NOTICE_STEP}
"""The step of a message that submits no task and is for no filter."""


def content_of(envelope: Envelope | None) -> str:
    """The fingerprint of the task that a message submits, or works for; nothing for any other message."""
    if envelope is None or envelope.step:
        return fingerprint_of(envelope) if envelope else ""
    task = task_if_legal(envelope)
    return fingerprint(task) if task else ""


async def keep_letter(
    contents: Contents, delivery: Delivery, *, code: str, reason: str, now: datetime, letters: LetterStore
) -> None:
    """Write the letter of one message: its row, then its text. Repeating it leaves the one letter.

    Raises:
        DependencyDown: perhaps one of the two was written; the repeat completes it.
    """
    count = delivery.dequeue_count
    key = await keep_row(contents, delivery, code=code, reason=reason, dequeue_count=count, now=now, letters=letters)
    if key:
        await letters.keep_text(delivery.lane.queue, key, delivery.raw)


async def keep_row(
    contents: Contents,
    delivery: Delivery,
    *,
    code: str,
    reason: str,
    dequeue_count: int,
    now: datetime,
    letters: LetterStore,
) -> str:
    """Write the row of the letter of one message, and give its key, under which the text is to be kept.

    The row comes first because it decides the key: a text that says something else under the same event id gets a
    letter of its own, under the SHA-256 of what it says, and hides nothing.

    A letter that was closed is opened again, and counts how often. Nothing is written, and given, for an old copy: its
    counter is lower than that of the message which was met or put since. A text without a counter is never one.

    Raises:
        DependencyDown: perhaps it was written; the repeat finds it.
    """
    envelope, queue = contents.envelope, delivery.lane.queue
    seen = Letter(
        queue=queue,
        lane=delivery.lane.name,
        key=contents.key,
        content=contents.digest,
        code=code,
        reason=reason,
        step=envelope.step or _STEPS.get(envelope.type, RECORD_STEP) if envelope else RECORD_STEP,
        task_id=envelope.subject if envelope else "",
        fingerprint=content_of(envelope),
        dequeue_count=dequeue_count,
        deferrals=envelope.deferrals if envelope else 0,
        redrives=envelope.redrives if envelope else 0,
        first_seen_at=now,
        last_seen_at=now,
    )
    while True:
        if await letters.create(seen):
            return seen.key
        stored = await letters.read(queue, seen.key)
        if stored is None:
            continue  # it was forgotten between the two calls
        if stored.content != seen.content and seen.key != contents.digest:
            seen = replace(seen, key=contents.digest)
            continue
        if envelope and seen.redrives < stored.redrives:
            return ""
        try:
            # Under the digest of what it says there is no other content, but perhaps a row that cannot be read.
            again = _met_again(stored, seen) if stored.content == seen.content else replace(seen, etag=stored.etag)
            await letters.change(again)
        except StaleRow:
            continue  # somebody changed it meanwhile
        return seen.key


def _met_again(stored: Letter, seen: Letter) -> Letter:
    """The letter of a message that is met again: the same failure once more, or a new one."""
    if stored.state == "open" and seen.redrives == stored.redrives:
        return replace(stored, last_seen_at=seen.last_seen_at)
    return replace(
        seen,
        first_seen_at=stored.first_seen_at,
        count=stored.count + 1,
        closing=stored.closing,
        etag=stored.etag,
    )
