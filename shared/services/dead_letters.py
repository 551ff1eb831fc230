"""Keep a message that will not be delivered again: one letter for each event, and its text byte for byte."""

from datetime import datetime

from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.errors import DependencyDown
from shared.domain.letter import Letter
from shared.domain.record import RECORD_STEP
from shared.domain.task import fingerprint
from shared.services.record import task_if_legal
from shared.storage.letters import LetterStore


async def keep_letter(
    contents: Contents,
    delivery: Delivery,
    *,
    code: str,
    reason: str,
    now: datetime,
    letters: LetterStore,
    dequeue_count: int | None = None,
) -> None:
    """Write the letter of one message: its row, then its text. Repeating it leaves the one letter.

    The row comes first because it decides the key: a text that says something else under the same event id gets a
    letter of its own, under the SHA-256 of what it says, and hides nothing.

    Raises:
        DependencyDown: perhaps one of the two was written; the repeat completes it.
    """
    envelope, queue = contents.envelope, delivery.lane.queue
    task = task_if_legal(envelope)
    for key in dict.fromkeys((contents.key, contents.digest)):
        letter = Letter(
            queue=queue,
            lane=delivery.lane.name,
            key=key,
            content=contents.digest,
            code=code,
            reason=reason,
            step=RECORD_STEP,
            task_id=envelope.subject if envelope else "",
            fingerprint=fingerprint(task) if task else "",
            dequeue_count=delivery.dequeue_count if dequeue_count is None else dequeue_count,
            deferrals=envelope.deferrals if envelope else 0,
            redrives=envelope.redrives if envelope else 0,
            seen_at=now,
        )
        if await letters.create(letter) or await letters.seen_again(letter):
            await letters.keep_text(queue, key, delivery.raw)
            return
    raise DependencyDown("the letter was changed while it was being written")
