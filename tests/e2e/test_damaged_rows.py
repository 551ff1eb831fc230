"""Rows that somebody changed by hand: each is told, and hides, stops and fails nothing else."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.domain import identity, instants
from shared.domain.names import INDEX_TABLE, TASK_QUEUE
from shared.storage.pointers import newest_first
from tests.support.dead_letters import bury, change_letter, done, letter_id, look, outcomes, redrive
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import submitted
from tests.support.stores import POISON

TASK_ID = identity.task_id(identity.KEY_CALLER, "k-1")
LETTERS: dict[str, dict[str, Any]] = {
    "an instant of storage's own type": {"lastSeen": datetime(2026, 11, 30, tzinfo=UTC)},
    "a number for a text": {"reason": 5},
    "a half closing": {"closedAt": "2026-11-30T12:00:00.000000Z"},
    "no instant": {"firstSeen": "yesterday"},
}


@pytest.mark.parametrize("damage", LETTERS)
def test_damaged_letter_is_shown_as_that_and_hides_no_other(fixit: FixIt, damage: str) -> None:
    bury(fixit, "k-1", "k-2", "k-3")
    damaged = next(each for each in fixit.stores.letters() if each["taskId"] == TASK_ID)
    change_letter(fixit, damaged, **LETTERS[damage])
    found = {each["id"]: each["class"] for each in look(fixit)["letters"]}
    assert len(found) == 3
    assert found[letter_id(damaged)] == "damaged_row"
    assert sum(each["count"] for each in look(fixit, group="cause")["causes"]) == 3
    assert fixit.get(f"/api/deadletters/{letter_id(damaged)}").status == 200
    told = dict(zip((each for each in found), outcomes(done(fixit, "redrive", ids=list(found))), strict=True))
    assert told.pop(letter_id(damaged)) == ("skipped", "damaged_row")
    assert list(told.values()) == [("redriven", None)] * 2
    fixit.idle()
    # Its message comes again, is kept beside it, and settles.
    fixit.stores.put(submitted("k-1"), POISON)
    fixit.idle()
    assert outcomes(done(fixit, "discard", ids=[letter_id(damaged)], reason="damaged")) == [("discarded", None)]


def test_task_of_a_damaged_letter_is_tried_again(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    (letter,) = fixit.stores.letters()
    change_letter(fixit, letter, dequeueCount="many")
    assert fixit.request("POST", f"/api/fixits/{TASK_ID}/retry").status == 202
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert row["state"] == "succeeded"


TASKS: dict[str, dict[str, Any]] = {
    "a counter as a text": {"redrives": "1"},
    "a number for a person": {"owner": 5},
    "an unknown state": {"state": "lost"},
    "a truth as a text": {"isDone": "yes"},
}


@pytest.mark.parametrize("damage", TASKS)
def test_poison_message_of_a_damaged_task_is_a_letter(fixit: FixIt, damage: str) -> None:
    fixit.stores.put(submitted("k-1", owner="ann"))
    fixit.idle()
    fixit.stores.change_task(TASK_ID, **TASKS[damage])
    fixit.stores.put(submitted("k-1", owner="ann"), POISON)
    fixit.idle()
    (letter,) = fixit.stores.letters()
    assert letter["class"] == "given_up"
    assert redrive(fixit, letter_id(letter)) == [("failed", "damaged_row")]


def test_damaged_note_does_not_stop_its_message(fixit: FixIt) -> None:
    event_id = identity.submitted_event_id(TASK_ID, "0" * 64)
    fixit.stores.put_note(TASK_QUEUE, event_id, message=5)
    bury(fixit, "k-1")
    assert len(fixit.stores.letters()) == 1


@pytest.mark.parametrize("resent", ["x", 5, datetime(2026, 11, 30, tzinfo=UTC)], ids=["text", "number", "instant"])
def test_damaged_pointers_and_bookmarks_stop_no_sweep(fixit: FixIt, resent: Any) -> None:
    fixit.stores.put(submitted("k-1"))
    fixit.idle()
    since = datetime.now(UTC) - timedelta(hours=2)
    fixit.stores.change_task(TASK_ID, state="queued", steps="[]", redrives=1, reopenedAt=instants.to_text(since))
    pointer = {"PartitionKey": f"open:{since:%Y-%m-%d}", "RowKey": newest_first(since, TASK_ID), "letter": 5}
    fixit.stores.put_row(INDEX_TABLE, {**pointer, "resentAt": resent})
    fixit.stores.put_row(INDEX_TABLE, {"PartitionKey": "bookmark", "RowKey": "tasks", "key": 5})
    fixit.stores.put_row(INDEX_TABLE, {"PartitionKey": "bookmark", "RowKey": "letters"})
    fixit.sweep()
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert row["state"] == "succeeded"


def test_counter_at_its_limit_can_still_be_reopened(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    fixit.stores.change_task(TASK_ID, redrives=2**31 - 1)
    (letter,) = fixit.stores.letters()
    assert redrive(fixit, letter_id(letter)) == [("redriven", None)]
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert (row["state"], row["redrives"]) == ("succeeded", 2**31 - 1)
