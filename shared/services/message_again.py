"""The text to put on a queue when a message gets another chance."""

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from shared.domain.contents import read_contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import COUNT_MAX, SERVICE_MAX_BYTES, encode, reopened
from shared.domain.errors import CannotReopen, HopelessMessage, TaskTooLarge
from shared.domain.lane import Lane
from shared.domain.letter import Letter
from shared.domain.record import Record
from shared.domain.task import fingerprint
from shared.services.adopt import adopted
from shared.services.submit import submitted


@dataclass(frozen=True)
class Again:
    """The text, and the counter that it carries: a copy with a lower one is an old copy."""

    text: str
    redrives: int


def again_from_letter(letter: Letter, raw: bytes, record: Record | None, *, now: datetime) -> Again:
    """A letter's text as it is to be sent: as the row says, if `record` is the row of its task; else counted on.

    A bare task goes in the envelope that gives it the same id each time, since put twice it would be two tasks.

    Raises:
        CannotReopen: no message can hold it.
    """
    redrives = record.redrives if record else min(letter.redrives + 1, COUNT_MAX)
    text = _text(letter, raw)
    counted = reopened(text, redrives=redrives, at=now)
    if counted != text:
        return Again(counted, redrives)
    if record:
        return Again(again_from_row(record), redrives)
    # It is no event, or has no room for a counter: a later copy cannot be told from an old one, and none is dropped.
    return Again(text, letter.redrives)


def _text(letter: Letter, raw: bytes) -> str:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise CannotReopen("Its text is not UTF-8.", code="not_a_text") from error
    delivery = Delivery(
        lane=Lane(queue=letter.queue), raw=raw, message_id="", dequeue_count=1, inserted_at=letter.first_seen_at
    )
    contents = read_contents(delivery)
    if contents.fields is not None:
        with suppress(HopelessMessage):  # it breaks a rule, and comes back with the same letter
            return adopted(contents, delivery)
    return text


def again_from_row(record: Record) -> str:
    """The event that the task of a row was submitted with, with the row's counter.

    Raises:
        CannotReopen: what the row holds of it is not what was submitted, or too large.
    """
    if fingerprint(record.submitted_task) != record.fingerprint:
        raise CannotReopen("Somebody changed its row by hand.", code="content_changed")
    try:
        return event_of_row(record)
    except TaskTooLarge as error:
        raise CannotReopen(error.detail, code=error.code) from error


def event_of_row(record: Record) -> str:
    """The event that stands for the task of a row, with the row's counter; edits stay in the row.

    Raises:
        TaskTooLarge: no message can hold it. Another producer's may be larger than ours.
    """
    event = submitted(record.submitted_task, task_id=record.id, caller=record.caller, time=record.submitted_at)
    again = replace(event, redrives=record.redrives, reopened_at=record.reopened_at)
    return encode(again, limit=SERVICE_MAX_BYTES)
