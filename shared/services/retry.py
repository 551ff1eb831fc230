"""A submitter has his own failed task tried again."""

import asyncio
from contextlib import suppress
from datetime import datetime

from shared import log
from shared.domain import identity
from shared.domain.errors import CannotReopen, CannotRetry, DependencyDown, NotFailed, NotKnownReopened, told
from shared.domain.letter import Letter
from shared.domain.record import Record
from shared.services.filters import FILTERS
from shared.services.reopen import Reopening
from shared.storage.table import StaleRow

SUBMITTER = "submitter"
"""Who closed the letter of a task that was tried again so."""


async def retry(record: Record, *, now: datetime, reopening: Reopening, deadline_seconds: float) -> Record:
    """Queue a failed task again, and give its row as it then stands.

    One that is queued or processed again already is given too, so that a repeat is safe: a reopening that was not
    brought to its end goes on.

    Raises:
        NotFailed, CannotRetry: nothing was changed.
        NotKnownReopened: a store did not do its part within the deadline. A repeat goes on there.
    """
    try:
        async with asyncio.timeout(deadline_seconds):
            return await _retry(record, now=now, reopening=reopening)
    except CannotReopen as error:
        raise CannotRetry(f"{error.reason} Submit it anew, with a new key.") from error
    except (DependencyDown, TimeoutError) as error:
        log.warning("a retry was not brought to its end", task=record.id, because=told(error))
        raise NotKnownReopened(record.id) from error


async def _retry(record: Record, *, now: datetime, reopening: Reopening) -> Record:
    while True:
        if record.reopened_at and record.state == "processing":
            return record
        if record.state != "failed" and not (record.reopened_at and record.state == "queued"):
            raise NotFailed(record.state)
        letter = await _last_letter(record, reopening)
        if letter:
            with suppress(CannotReopen):
                record = (await reopening.letter(letter, by=SUBMITTER, now=now, own_row=record)).record or record
                if record.is_settled:  # somebody cancelled it meanwhile
                    raise NotFailed(record.state)
                return record
        try:
            return await reopening.row(record, now=now)
        except StaleRow:
            record = await reopening.tasks.read(record.id) or record


async def _last_letter(record: Record, reopening: Reopening) -> Letter | None:
    """The letter that the task left last, found by its key: under the queue of each lane, and of each filter."""
    submitted = identity.submitted_event_id(record.id, record.fingerprint)
    places = [(queue, submitted) for queue in dict.fromkeys(lane.queue for lane in reopening.lanes.all)]
    needed = [each for each in FILTERS if each.is_needed(record.task)]
    places += [(each.queue, identity.step_event_id(record.id, each.name)) for each in needed]
    found = await asyncio.gather(*(reopening.letters.read(*place) for place in places))
    own = [letter for letter in found if letter and letter.fingerprint == record.fingerprint]
    return max(own, key=lambda letter: letter.last_seen_at, default=None)
