"""What is put when a message gets another chance: the same event with the right counter, or what comes nearest."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.domain import identity, instants
from shared.domain.envelope import SERVICE_MAX_BYTES
from shared.domain.errors import CannotReopen
from shared.domain.letter import Letter
from shared.domain.patch import Edit, parse_patch
from shared.domain.record import Record
from shared.domain.tag import tag_of
from shared.domain.task import Task, fingerprint, parse_task
from shared.services.message_again import Again, again_from_letter, again_from_row
from tests.support.raw_messages import event, submitted
from tests.support.stores import decoded

THEN, NOW = datetime(2026, 3, 5, 12, tzinfo=UTC), datetime(2026, 4, 4, 12, tzinfo=UTC)
KEY = "k-1"
TASK_ID = identity.task_id(identity.KEY_CALLER, KEY)
TOO_LARGE: dict[str, Any] = {
    "notes": "\n" * 7_680 + "\U0001f600" * 8_310,
    "callbackUrl": f"https://example.com/{'x' * 1_900}",
}
"""Within every limit of a task, and with its escapes over what a message holds."""

LETTER = Letter(
    queue="fixits",
    lane="FixItStorage/fixits",
    key="0a" * 32,
    content="0b" * 32,
    code="given_up",
    reason="?",
    dequeue_count=5,
    redrives=2,
    first_seen_at=THEN,
    last_seen_at=THEN + timedelta(days=1),
)


def record(redrives: int = 7, **fields: Any) -> Record:
    task = parse_task({"title": "Tap drips", **fields})
    return Record(
        id=TASK_ID,
        task=task,
        caller="key",
        fingerprint=fingerprint(task),
        submitted_at=THEN,
        state="queued",
        redrives=redrives,
        reopened_at=NOW,
    )


def filled(text: str, size: int = SERVICE_MAX_BYTES) -> str:
    """The event with an attribute of somebody else's that leaves no room for a counter."""
    bare = json.loads(text)
    room = size - len(json.dumps({**bare, "vendor": ""}, separators=(",", ":")))
    return json.dumps({**bare, "vendor": "x" * room}, separators=(",", ":"))


@pytest.mark.parametrize(("row", "redrives"), [(None, 3), (record(), 7)], ids=["the letter's", "the row's"])
def test_event_is_sent_with_the_counter_of_its_row_or_else_of_its_letter(row: Record | None, redrives: int) -> None:
    text = submitted(KEY)
    again = again_from_letter(LETTER, text.encode(), row, now=NOW)
    assert again.redrives == redrives
    changed = {"redrives": redrives, "deferrals": 0, "reopenedat": instants.to_text(NOW)}
    assert decoded(again.text) == {**json.loads(text), **changed}


@pytest.mark.parametrize("text", ["not json\r\n", "", event(type="fixit.task.nothing.v1"), filled(submitted(KEY))])
def test_text_that_can_carry_no_counter_is_sent_as_it_is_and_its_letter_counts_on_nothing(text: str) -> None:
    again = again_from_letter(LETTER, text.encode(), None, now=NOW)
    assert (again.text, again.redrives) == (text, 2)


def test_event_of_a_row_that_can_carry_no_counter_is_made_anew_from_the_row() -> None:
    again = again_from_letter(LETTER, filled(submitted(KEY)).encode(), record(), now=NOW)
    made = decoded(again.text)
    assert (made["id"], made["redrives"], "vendor" in made) == (json.loads(submitted(KEY))["id"], 7, False)


def test_bare_task_is_sent_as_the_same_event_every_time() -> None:
    for text in ('{"title":"no id"}', '{"title":"an id","id":"t-7"}'):
        first, second = [
            decoded(again_from_letter(LETTER, text.encode(), None, now=now).text) for now in (NOW, NOW + timedelta(1))
        ]
        assert {**first, "reopenedat": ""} == {**second, "reopenedat": ""}
        assert (first["caller"], first["redrives"], first["time"]) == ("queue:fixits", 3, instants.to_text(THEN))


def test_event_made_from_its_row_is_the_one_that_was_submitted() -> None:
    made = decoded(again_from_row(record(notes="as given", priority="high")))
    given = json.loads(submitted(KEY, notes="as given", priority="high"))
    assert (made["id"], made["subject"], made["data"]) == (given["id"], TASK_ID, given["data"])
    assert (made["redrives"], made["reopenedat"], made["time"]) == (7, instants.to_text(NOW), instants.to_text(THEN))


def test_event_of_an_edited_row_is_the_one_that_was_submitted() -> None:
    row = record(notes="as given", owner="ann")
    patch = parse_patch({"notes": "edited", "owner": None, "isDone": True})
    edited = Edit(task_id=TASK_ID, tag=tag_of("e-1"), patch=patch).of(row, now=NOW)
    assert edited.task != row.task
    assert again_from_row(edited) == again_from_row(row)
    full = filled(submitted(KEY, notes="as given", owner="ann")).encode()
    assert again_from_letter(LETTER, full, edited, now=NOW) == Again(again_from_row(row), 7)


def test_what_no_message_can_hold_is_refused_with_its_reason() -> None:
    changed_by_hand = replace(record(), task=Task(title="changed"))
    full = filled(submitted(KEY)).encode()
    for raw, row, code in (
        (b"\xff", None, "not_a_text"),
        (full, changed_by_hand, "content_changed"),
        (full, record(**TOO_LARGE), "task_too_large"),
    ):
        with pytest.raises(CannotReopen) as refused:
            again_from_letter(LETTER, raw, row, now=NOW)
        assert refused.value.code == code
