"""Keep a message that will not be delivered again: one letter for each event, and its text byte for byte."""

from dataclasses import replace
from datetime import datetime

from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import CANCELLED
from shared.domain.letter import Letter
from shared.domain.record import CANCEL_STEP, RECORD_STEP
from shared.domain.task import fingerprint
from shared.services.record import task_if_legal
from shared.storage.letters import LetterStore
from shared.storage.table import StaleRow


async def keep_letter(
    contents: Contents,
    delivery: Delivery,
    *,
    code: str,
    reason: str,
    now: datetime,
    letters: LetterStore,
    dequeue_count: int | None = None,
) -> bool:
    """Write the letter of one message: its row, then its text. Repeating it leaves the one letter.

    The row comes first because it decides the key: a text that says something else under the same event id gets a
    letter of its own, under the SHA-256 of what it says, and hides nothing.

    A letter that was closed is opened again, and counts how often. False, and nothing written, for an old copy: its
    counter is lower than that of the message which was met or put since. A text without a counter is never one.

    Raises:
        DependencyDown: perhaps one of the two was written; the repeat completes it.
    """
    envelope, queue = contents.envelope, delivery.lane.queue
    task = task_if_legal(envelope)
    seen = Letter(
        queue=queue,
        lane=delivery.lane.name,
        key=contents.key,
        content=contents.digest,
        code=code,
        reason=reason,
        step=CANCEL_STEP if envelope and envelope.type == CANCELLED else RECORD_STEP,
        task_id=envelope.subject if envelope else "",
        fingerprint=fingerprint(task) if task else "",
        dequeue_count=delivery.dequeue_count if dequeue_count is None else dequeue_count,
        deferrals=envelope.deferrals if envelope else 0,
        redrives=envelope.redrives if envelope else 0,
        first_seen_at=now,
        last_seen_at=now,
    )
    while True:
        if not await letters.create(seen):
            stored = await letters.read(queue, seen.key)
            if stored is None:
                continue  # it was forgotten between the two calls
            if stored.content != seen.content:
                seen = replace(seen, key=contents.digest)
                continue
            if envelope and seen.redrives < stored.redrives:
                return False
            try:
                await letters.change(_met_again(stored, seen))
            except StaleRow:
                continue  # somebody changed it meanwhile
        await letters.keep_text(queue, seen.key, delivery.raw)
        return True


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
