"""Outages and unforeseen answers: nothing is burned, nothing waits for a lease, and what is missing is made."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from shared.domain.names import INDEX_TABLE, LETTER_CONTAINER, LETTER_TABLE, TASK_QUEUE, TASK_TABLE
from tests.faults.story import EVENT, TASK_ID
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import event, submitted
from tests.support.stores import decoded, message_text

BAD_ROW: dict[str, Any] = {"status": 400, "code": "InvalidInput"}


def test_outage_longer_than_all_deliveries_poisons_nothing(fixit: FixIt) -> None:
    fixit.wire.fail(service="table", status=403, code="AuthorizationFailure", times=None)
    receipts = [fixit.submit(title=f"Task {number}", owner="ann")["receipt"] for number in range(5)]
    fixit.stores.put("not json")
    eventually(lambda: max(deferrals(fixit)) >= 8, what="more deferrals than maxDequeueCount allows deliveries")
    fixit.wire.heal()
    assert {fixit.settled(receipt)["state"] for receipt in receipts} == {"succeeded"}
    fixit.idle()
    assert len(fixit.stores.tasks()) == 5
    assert [letter["class"] for letter in fixit.stores.letters()] == ["malformed_message"]
    assert {put.target for put in fixit.wire.of(service="queue", op="put")} == {TASK_QUEUE}  # none to the poison queue
    assert {status["attempt"] for receipt in receipts for status in fixit.settled(receipt)["steps"]} == {1}


def deferrals(fixit: FixIt) -> list[int]:
    """The counters of the events that were put back so far."""
    texts = [message_text(put) for put in fixit.wire.of(op="put", target=TASK_QUEUE)]
    return [decoded(text)["deferrals"] for text in texts if text != "not json"] or [0]


def test_deferred_event_is_the_same_but_for_its_counter(fixit: FixIt) -> None:
    fixit.wire.fail(service="table", op="insert", status=403, times=3)
    original = json.loads(event(vendor={"kept": [1, None]}, traceparent="00-" + "a" * 32 + "-" + "b" * 16 + "-01"))
    fixit.stores.put(json.dumps(original))
    fixit.idle()
    puts = [decoded(message_text(put)) for put in fixit.wire.of(op="put", target=TASK_QUEUE)]
    assert puts == [{**original, "deferrals": number} for number in (1, 2, 3)]


def test_event_that_has_no_utf8_form_is_deferred_as_it_came(fixit: FixIt) -> None:
    text = event(vendor="half a character: \ud800")
    fixit.wire.fail(service="table", op="insert", status=403, times=2)
    fixit.stores.put(text)
    fixit.idle()
    assert [message_text(put) for put in fixit.wire.of(op="put", target=TASK_QUEUE)] == [text, text]
    assert len(fixit.stores.tasks()) == 1
    assert fixit.stores.letters() == []


def test_storage_that_does_not_answer_is_an_outage_too(hasty: FixIt) -> None:
    hasty.fresh()
    held = hasty.wire.hold(op="insert", target=TASK_TABLE)
    accepted = hasty.submit()
    began = time.monotonic()
    assert (
        hasty.settled(accepted["receipt"])["state"] == "succeeded"
    )  # by its second message; the first one still hangs
    assert time.monotonic() - began < 10
    held.release()
    hasty.idle()
    assert len(hasty.stores.tasks()) == 1


def test_table_that_does_not_answer_keeps_no_caller_waiting(hasty: FixIt) -> None:
    hasty.fresh()
    accepted = hasty.submit()
    hasty.settled(accepted["receipt"])
    held = hasty.wire.hold(service="table", op="get", times=None)
    began = time.monotonic()
    assert hasty.get(accepted["links"]["receipt"]).json["state"] == "accepted"
    answer = hasty.get(accepted["links"]["task"])
    assert (answer.status, answer.json["code"]) == (503, "dependency_down")
    assert time.monotonic() - began < 10
    held.release()
    assert hasty.get(accepted["links"]["receipt"]).json["state"] == "succeeded"


@pytest.fixture(scope="module")
def hasty() -> Iterator[FixIt]:
    """A product whose steps and reads may take one second."""
    with FixIt(settings={"FIXIT_STEP_SECONDS": "1", "FIXIT_READ_SECONDS": "1"}) as running:
        yield running


def test_row_changed_between_read_and_stamp_is_read_again(fixit: FixIt) -> None:
    fixit.stores.put(EVENT)
    fixit.idle()
    fixit.stores.change_task(TASK_ID, state="queued", steps="[]")
    held = fixit.wire.hold(op="merge", target=TASK_TABLE)
    fixit.stores.put(EVENT)
    held.wait_hit()
    fixit.stores.change_task(TASK_ID, priority="high")
    held.release()
    fixit.idle()
    assert [merge.status for merge in fixit.wire.of(op="merge", target=TASK_TABLE)] == [412, 204]
    row = fixit.stores.task(TASK_ID)
    assert row is not None
    assert (row["state"], row["priority"]) == ("succeeded", "high")


def test_row_settled_by_another_between_read_and_stamp_stays_so(fixit: FixIt) -> None:
    fixit.stores.put(EVENT)
    fixit.idle()
    fixit.stores.change_task(TASK_ID, state="queued", steps="[]")
    held = fixit.wire.hold(op="merge", target=TASK_TABLE)
    fixit.stores.put(EVENT)
    held.wait_hit()
    fixit.stores.change_task(TASK_ID, state="cancelled")
    held.release()
    fixit.idle()
    row = fixit.stores.task(TASK_ID)
    assert row is not None
    assert row["state"] == "cancelled"


def test_column_of_another_version_survives_a_stamp(fixit: FixIt) -> None:  # TV-08
    fixit.stores.put(EVENT)
    fixit.idle()
    fixit.stores.change_task(TASK_ID, state="queued", later="2026-11-30T12:00:00.1234567Z")
    fixit.stores.put(EVENT)
    fixit.idle()
    row = fixit.stores.task(TASK_ID)
    assert row is not None
    assert (row["state"], row["later"]) == ("succeeded", "2026-11-30T12:00:00.1234567Z")


@pytest.mark.parametrize("place", ["row", "read"])
def test_error_of_another_kind_is_raised_noted_and_tried_again(fixit: FixIt, place: str) -> None:
    op = {"row": "insert", "read": "get"}[place]
    fixit.stores.put(EVENT)
    fixit.idle()
    seen = len(fixit.host.lines())
    noted = fixit.wire.hold(op="replace", target=LETTER_TABLE, after=True)
    fixit.wire.fail(service="table", op=op, target=TASK_TABLE, **BAD_ROW)
    fixit.stores.put(EVENT)
    noted.wait_hit()
    (note,) = fixit.stores.notes()
    assert "InvalidInput" in note["message"]
    noted.release()
    fixit.idle()
    assert len([line for line in fixit.host.lines()[seen:] if "(Failed" in line]) == 1
    assert fixit.stores.notes() == []


def test_note_is_dropped_although_a_deferral_started_the_count_anew(fixit: FixIt) -> None:
    fixit.wire.fail(service="table", op="insert", target=TASK_TABLE, **BAD_ROW)
    fixit.wire.fail(service="table", op="insert", target=TASK_TABLE, nth=2, status=403)
    fixit.stores.put(submitted("k-9"))
    fixit.idle()
    assert len(fixit.wire.of(op="insert", target=TASK_TABLE)) == 3
    assert fixit.stores.notes() == []


def test_everything_that_is_missing_is_made_on_first_use() -> None:
    with FixIt() as empty:
        empty.stores.remove_all()
        accepted = empty.submit(owner="ann")
        assert empty.settled(accepted["receipt"])["state"] == "succeeded"
        empty.stores.put("not json")
        empty.idle()
        created = {each.target for each in empty.wire.requests if each.op in ("create", "create_container")}
        tables = [each for each in empty.wire.of(op="create_table") if each.status == 201]
        assert len(empty.stores.tasks()) == len(empty.stores.letters()) == 1
        assert [name for name in (TASK_TABLE, INDEX_TABLE, LETTER_TABLE) if not made(name, tables)] == []
    assert created == {TASK_QUEUE, LETTER_CONTAINER}


def made(name: str, creations: list[Any]) -> bool:
    return any(json.loads(each.body)["TableName"] == name for each in creations)
