"""DELETE: a task is cancelled, whatever became of it and whenever the command comes, once."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.domain import identity, instants
from shared.domain.names import INDEX_TABLE, TASK_QUEUE, TASK_TABLE
from shared.domain.tag import tag_of
from shared.services.cancel import CONTENTS_MAX
from tests.e2e.test_http_bodies import check_problem
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import cancelled, submitted
from tests.support.stores import POISON, decoded, message_text
from tests.support.web_client import Answer

KEY = "k-1"
ID = identity.task_id(identity.KEY_CALLER, KEY)
FIELDS = {"owner": "ann", "createdBy": "bob"}
BAD_ROW: dict[str, Any] = {"status": 400, "code": "InvalidInput"}


def delete(fixit: FixIt, task_id: str = ID) -> Answer:
    return fixit.request("DELETE", f"/api/fixits/{task_id}")


def record(fixit: FixIt, text: str = submitted(KEY, **FIELDS)) -> dict[str, Any]:
    """The row, once this message is done."""
    fixit.stores.put(text)
    fixit.idle()
    return row(fixit)


def row(fixit: FixIt) -> dict[str, Any]:
    """The row of the task, which must be the only one, with its entity tag."""
    (only,) = fixit.stores.tasks()
    assert only["RowKey"] == ID
    return {**only, "etag": tag_of(only.metadata["etag"] or "")}


def requests(fixit: FixIt) -> list[tuple[str, str]]:
    """What the app asked of storage, without what triggers ask of their queues."""
    return [
        (each.op, each.target)
        for each in fixit.wire.requests
        if not (each.service == "queue" and each.op in {"get", "delete", "update", "metadata"})
    ]


@contextmanager
def no_trigger_looks(fixit: FixIt) -> Iterator[None]:
    """Inside, what is put on the task queue stays there."""
    held = fixit.wire.hold(op="get", service="queue", target=TASK_QUEUE, times=None)
    held.wait_hit()
    yield
    held.release()


def test_recorded_task_is_cancelled_with_three_requests_and_its_command_costs_a_read(fixit: FixIt) -> None:
    record(fixit)
    pointers = fixit.stores.pointers(ID)
    with no_trigger_looks(fixit):
        fixit.wire.clear()
        answer = delete(fixit)
        assert requests(fixit) == [("put", TASK_QUEUE), ("get", TASK_TABLE), ("merge", TASK_TABLE)]
        at_once = row(fixit)
        fixit.wire.clear()
    fixit.idle()
    assert requests(fixit) == [("get", TASK_TABLE)]
    assert row(fixit) == at_once
    assert (answer.status, answer.headers["etag"]) == (200, at_once["etag"])
    assert answer.body == fixit.get(f"/api/fixits/{ID}").body
    assert (answer.json["state"], answer.json["title"]) == ("cancelled", "Tap drips")
    assert [step["step"] for step in answer.json["steps"]] == ["record", "cancel"]
    assert fixit.stores.pointers(ID) == pointers
    assert fixit.stores.letters() == []


def test_command_says_who_cancels_what_and_carries_the_trace(fixit: FixIt) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    fixit.wire.clear()
    headers = {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}
    assert fixit.request("DELETE", f"/api/fixits/{ID}", headers=headers).status == 200
    (put,) = [each for each in fixit.wire.requests if each.op == "put"]
    command = decoded(message_text(put))
    assert (command["type"], command["subject"], command["caller"]) == ("fixit.task.cancelled.v1", ID, "key")
    assert (command["id"], command["data"]) == (identity.cancelled_event_id(ID), {})
    assert command["traceparent"].split("-")[1] == trace
    assert put.query["messagettl"] == "-1"


def test_cancelling_again_changes_nothing(fixit: FixIt) -> None:
    record(fixit)
    first = delete(fixit)
    fixit.idle()
    before = row(fixit)
    assert (again := delete(fixit)).status == 200
    assert (again.body, again.headers["etag"]) == (first.body, first.headers["etag"])
    record(fixit, cancelled(KEY))
    record(fixit, submitted(KEY, **FIELDS))
    assert row(fixit) == before


@pytest.mark.parametrize(
    ("state", "way"),
    [("queued", "http"), ("failed", "http"), ("processing", "queue"), ("succeeded", "queue"), ("failed", "queue")],
)
def test_task_is_cancelled_wherever_it_stands(fixit: FixIt, state: str, way: str) -> None:
    record(fixit)
    error = {"errorCode": "given_up", "errorMessage": "It broke.", "errorStep": "record"} if state == "failed" else {}
    fixit.stores.change_task(ID, state=state, **error)
    if way == "http":
        assert delete(fixit).status == 200
    else:
        fixit.stores.put(cancelled(KEY))
    fixit.idle()
    after = row(fixit)
    assert after["state"] == "cancelled"
    assert [step["step"] for step in json.loads(after["steps"])] == ["record", "cancel"]
    assert after["errorCode"] == error.get("errorCode", "")  # what made it fail stays told


def test_receipt_of_a_cancelled_task_says_so(fixit: FixIt) -> None:
    accepted = fixit.submit(KEY)
    assert fixit.settled(accepted["receipt"])["state"] == "succeeded"
    delete(fixit)
    status = fixit.get(accepted["links"]["receipt"])
    assert (status.status, status.json["state"], status.json["error"]) == (200, "cancelled", None)
    assert "retry-after" not in status.headers


def test_cancel_that_overtakes_its_task_wins(fixit: FixIt) -> None:
    answer = delete(fixit)
    fixit.idle()
    assert (answer.status, answer.json["state"], answer.json["id"]) == (200, "cancelled", ID)
    assert (answer.json["title"], answer.json["submittedAt"]) == ("", None)  # it never came
    assert fixit.get(f"/api/fixits/{ID}").body == answer.body
    tombstone = row(fixit)
    accepted = fixit.submit(KEY, **FIELDS)
    fixit.idle()
    assert fixit.settled(accepted["receipt"])["state"] == "cancelled"
    assert row(fixit) == tombstone
    assert fixit.stores.pointers(ID) == set()
    assert fixit.stores.letters() == []


def test_task_with_another_content_under_a_cancelled_key_is_stopped_too(fixit: FixIt) -> None:
    fixit.stores.put(cancelled(KEY))
    fixit.idle()
    receipts = [fixit.submit(KEY, title=title)["receipt"] for title in ("first", "second")]
    fixit.idle()
    assert [fixit.settled(receipt)["state"] for receipt in receipts] == ["cancelled"] * 2
    assert fixit.stores.letters() == []


STRANGER = cancelled(KEY, caller="queue:stranger")


def test_tombstone_of_another_caller_stops_nobody(fixit: FixIt) -> None:
    assert record(fixit, STRANGER)["state"] == "cancelled"
    held = fixit.wire.hold(op="insert", target=TASK_TABLE)
    accepted = fixit.submit(KEY, **FIELDS)
    held.wait_hit()
    assert fixit.get(accepted["links"]["receipt"]).json["state"] == "queued"
    held.release()
    assert fixit.settled(accepted["receipt"])["state"] == "succeeded"
    fixit.idle()
    after = row(fixit)
    assert (after["title"], after["caller"]) == ("Tap drips", "key")
    assert [step["step"] for step in json.loads(after["steps"])] == ["record"]
    assert len(fixit.stores.pointers(ID)) == 3
    assert fixit.stores.letters() == []


def test_tombstone_of_another_caller_keeps_nobody_from_cancelling(fixit: FixIt) -> None:
    fixit.stores.put(STRANGER)
    fixit.idle()
    assert delete(fixit).status == 200
    tombstone = record(fixit, STRANGER)
    assert record(fixit) == tombstone
    assert tombstone["state"] == "cancelled"


def test_cancel_that_comes_while_a_strangers_tombstone_is_replaced_wins(fixit: FixIt) -> None:
    fixit.stores.put(STRANGER)
    fixit.idle()
    held = fixit.wire.hold(op="merge", target=TASK_TABLE)
    fixit.stores.put(submitted(KEY, **FIELDS))
    held.wait_hit()
    assert delete(fixit).status == 200
    held.release()
    fixit.idle()
    assert (row(fixit)["state"], row(fixit)["title"]) == ("cancelled", "")
    assert fixit.stores.pointers(ID) == set()


def test_producer_without_http_cancels_its_bare_task_before_it_comes(fixit: FixIt) -> None:
    caller = identity.queue_caller(TASK_QUEUE)
    task_id = identity.task_id(caller, "t-1")
    fixit.stores.put(cancelled(KEY, subject=task_id, id=identity.cancelled_event_id(task_id), caller=caller))
    fixit.idle()
    fixit.stores.put('{"id":"t-1","title":"Tap drips"}')
    fixit.idle()
    (tombstone,) = fixit.stores.tasks()
    assert (tombstone["RowKey"], tombstone["state"], tombstone["title"]) == (task_id, "cancelled", "")


def test_task_of_another_producer_is_cancelled_where_storages_clock_is_ahead(fixit: FixIt) -> None:
    task_id = identity.task_id(identity.queue_caller(TASK_QUEUE), "t-1")
    fixit.stores.put('{"id":"t-1","title":"Tap drips"}')
    fixit.idle()
    fixit.stores.change_task(task_id, submittedAt=instants.to_text(datetime.now(UTC) + timedelta(minutes=1)))
    answer = delete(fixit, task_id)
    assert (answer.status, answer.json["state"]) == (200, "cancelled")
    fixit.idle()
    (after,) = fixit.stores.tasks()
    assert after["state"] == "cancelled"
    assert fixit.stores.letters() == []


@pytest.mark.parametrize("contents", [CONTENTS_MAX, CONTENTS_MAX + 2])
def test_tombstone_tells_so_many_contents_apart_and_then_stops_all(fixit: FixIt, contents: int) -> None:
    fixit.stores.put(STRANGER)
    fixit.idle()
    for number in range(contents):
        fixit.stores.put(cancelled(KEY, data={"fingerprint": f"{number:064x}"}))
    fixit.idle()
    first, *lines = row(fixit)["caller"].split("\n")
    is_told_apart = contents == CONTENTS_MAX
    assert first == "queue:stranger"
    assert sorted(lines) == ([f"key\t{number:064x}" for number in range(contents)] if is_told_apart else ["key"])
    accepted = fixit.submit(KEY, **FIELDS)
    assert fixit.settled(accepted["receipt"])["state"] == ("succeeded" if is_told_apart else "cancelled")
    assert fixit.stores.letters() == []


def test_command_for_one_content_leaves_another_as_it_is(fixit: FixIt) -> None:
    before = record(fixit)
    assert record(fixit, cancelled(KEY, data={"fingerprint": "0" * 64})) == before
    assert record(fixit, cancelled(KEY, data={"fingerprint": before["fingerprint"]}))["state"] == "cancelled"
    assert fixit.stores.letters() == []


@pytest.mark.parametrize("fingerprint", [None, "A" * 64, "0" * 64 + "\n"])
def test_command_whose_content_is_no_fingerprint_is_hopeless_and_cancels_nothing(
    fixit: FixIt, fingerprint: object
) -> None:
    before = record(fixit)
    assert record(fixit, cancelled(KEY, data={"fingerprint": fingerprint})) == before
    (letter,) = fixit.stores.letters()
    assert (letter["class"], letter["taskId"]) == ("malformed_message", ID)


def test_task_cancelled_between_its_row_and_its_pointers_has_both(fixit: FixIt) -> None:
    held = fixit.wire.hold(op="replace", target=INDEX_TABLE, times=3)
    fixit.stores.put(submitted(KEY, **FIELDS))
    held.wait_hit()
    assert delete(fixit).json["state"] == "cancelled"
    held.release()
    fixit.idle()
    assert row(fixit)["state"] == "cancelled"
    assert len(fixit.stores.pointers(ID)) == 3


def test_task_whose_pointers_failed_and_that_was_cancelled_meanwhile_gets_them(fixit: FixIt) -> None:
    fault = fixit.wire.fail(op="replace", target=INDEX_TABLE, times=9, status=503, code="ServerBusy")
    held = fixit.wire.hold(op="insert", target=TASK_TABLE, nth=2)
    fixit.stores.put(submitted(KEY, **FIELDS))
    held.wait_hit()  # it was put back, and comes again
    assert fault.hits
    assert delete(fixit).json["state"] == "cancelled"
    held.release()
    fixit.idle()
    assert row(fixit)["state"] == "cancelled"
    assert len(fixit.stores.pointers(ID)) == 3


def test_task_cancelled_before_its_stamp_stays_so(fixit: FixIt) -> None:
    record(fixit)
    fixit.stores.change_task(ID, state="queued", steps="[]")
    held = fixit.wire.hold(op="merge", target=TASK_TABLE)
    fixit.stores.put(submitted(KEY, **FIELDS))
    held.wait_hit()
    at_once = delete(fixit)
    held.release()
    fixit.idle()
    assert (row(fixit)["state"], row(fixit)["etag"]) == ("cancelled", at_once.headers["etag"])


def test_row_that_changes_while_it_is_cancelled_is_read_again(fixit: FixIt) -> None:
    record(fixit)
    held = fixit.wire.hold(op="merge", target=TASK_TABLE)
    fixit.stores.put(cancelled(KEY))
    held.wait_hit()
    fixit.stores.change_task(ID, priority="high")
    held.release()
    fixit.idle()
    assert (row(fixit)["state"], row(fixit)["priority"]) == ("cancelled", "high")


def test_while_the_table_is_down_the_command_waits_and_is_obeyed(fixit: FixIt) -> None:
    record(fixit)
    fixit.wire.down("table")
    answer = delete(fixit)
    assert (answer.status, answer.json["state"]) == (202, "cancelling")
    assert answer.headers["location"] == answer.json["links"]["task"] == f"/api/fixits/{ID}"
    assert int(answer.headers["retry-after"]) > 0
    fixit.wire.heal()
    fixit.idle()
    assert row(fixit)["state"] == "cancelled"


def test_while_no_queue_takes_the_command_it_is_not_known_and_the_repeat_is_safe(fixit: FixIt) -> None:
    record(fixit)
    fixit.wire.fail(op="put", service="queue", times=3, status=503, code="ServerBusy")
    answer = delete(fixit)
    problem = check_problem(answer, 503, "not_known_cancelled")
    assert int(answer.headers["retry-after"]) > 0
    assert problem["id"] == ID
    assert row(fixit)["state"] == "cancelled"  # which was tried all the same
    again = delete(fixit)
    assert (again.status, again.json["state"]) == (200, "cancelled")


def test_storage_that_does_not_answer_keeps_no_caller_waiting(hasty: FixIt) -> None:
    held = hasty.wire.hold(times=None)
    began = time.monotonic()
    check_problem(delete(hasty), 503, "not_known_cancelled")
    assert time.monotonic() - began < 4
    held.release()


@pytest.fixture(scope="module")
def hasty() -> Iterator[FixIt]:
    """A product whose submits and reads may take one second."""
    with FixIt(settings={"FIXIT_SUBMIT_SECONDS": "1", "FIXIT_READ_SECONDS": "1"}) as running:
        yield running


def test_given_up_command_is_a_dead_letter_and_undoes_no_success(fixit: FixIt) -> None:
    before = record(fixit)
    fixit.stores.put(cancelled(KEY), POISON)
    fixit.idle()
    assert row(fixit) == before
    (letter,) = fixit.stores.letters()
    assert (letter["class"], letter["RowKey"], letter["taskId"]) == ("given_up", identity.cancelled_event_id(ID), ID)
    assert letter["step"] == "cancel"


@pytest.mark.parametrize("comes", ["before", "after"])
def test_given_up_task_that_was_cancelled_has_a_letter_and_stays_cancelled(fixit: FixIt, comes: str) -> None:
    if comes == "before":
        record(fixit)
    before = record(fixit, cancelled(KEY))
    pointers = fixit.stores.pointers(ID)
    fixit.stores.put(submitted(KEY, **FIELDS), POISON)
    fixit.idle()
    assert row(fixit) == before
    assert fixit.stores.pointers(ID) == pointers
    assert [letter["class"] for letter in fixit.stores.letters()] == ["given_up"]


@pytest.mark.parametrize("comes", ["before", "after"])
def test_cancelled_task_that_comes_after_seven_days_stays_cancelled(fixit: FixIt, comes: str) -> None:
    if comes == "before":
        record(fixit)
    before = record(fixit, cancelled(KEY))
    old = {**json.loads(submitted(KEY, **FIELDS)), "time": instants.to_text(datetime.now(UTC) - timedelta(days=8))}
    assert record(fixit, json.dumps(old)) == before
    assert fixit.stores.letters() == []


@pytest.mark.parametrize("path", ["/api/fixits/5", "/api/fixits/by-key"])
def test_what_is_no_id_is_not_cancelled(running_fixit: FixIt, path: str) -> None:
    answer = running_fixit.request("DELETE", path)
    assert answer.status == (405 if path.endswith("by-key") else 404)


def test_task_is_cancelled_under_every_form_of_its_id(fixit: FixIt) -> None:
    for form in (ID, ID.upper(), ID.replace("-", ""), f"%7B{ID}%7D", f"({ID})"):
        answer = delete(fixit, form)
        assert (answer.status, answer.json["id"]) == (200, ID), form
    fixit.idle()
    assert row(fixit)["state"] == "cancelled"
