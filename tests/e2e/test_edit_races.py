"""Edits that meet each other, storage that fails in between, and what a message does of an edit that was cut off."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.domain import identity
from shared.domain.names import INDEX_TABLE, TASK_QUEUE, TASK_TABLE
from shared.domain.task import fingerprint, parse_task
from tests.e2e.test_http_bodies import check_problem
from tests.support.dead_letters import bury, letter_id, only_letter, redrive
from tests.support.edits import KEY, PATH, TASK_ID, check_at_rest, edit, edited, reassigned, record, row, tag
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import event
from tests.support.stores import POISON, TASKS, decoded, message_text

BROKEN: dict[str, Any] = {"status": 403, "code": "AuthorizationFailure", "times": None}


@pytest.mark.parametrize("name", ["notes", "owner"])
def test_of_edits_of_one_version_exactly_one_is_done(fixit: FixIt, name: str) -> None:
    first = record(fixit)
    values = [f"{name} {number}" for number in range(6)]
    with ThreadPoolExecutor(len(values)) as pool:
        answers = list(pool.map(lambda value: edit(fixit, first, **{name: value}), values))
    assert sorted(answer.status for answer in answers) == [200, *[412] * (len(values) - 1)]
    (won,) = [value for value, answer in zip(values, answers, strict=True) if answer.status == 200]
    assert row(fixit)[name] == won
    check_at_rest(fixit, won if name == "owner" else "ann")
    # None takes the stamp of the other for its own.
    for value in values:
        assert edit(fixit, first, **{name: value}).status == (200 if value == won else 412)


def test_same_edit_twice_at_once_is_done_once_and_both_are_told(fixit: FixIt) -> None:
    first = record(fixit)
    held = fixit.wire.hold(op="merge", target=TASK_TABLE, times=2)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(edit, fixit, first, owner="eve") for _ in range(2)]
        held.wait_hit(hits=2)
        held.release()
        answers = [each.result() for each in both]
    assert [answer.status for answer in answers] == [200, 200]
    assert answers[0].headers["etag"] == answers[1].headers["etag"]
    check_at_rest(fixit, "eve")


def test_edit_that_comes_between_reading_and_writing_is_not_lost(fixit: FixIt) -> None:
    first = record(fixit)
    held = fixit.wire.hold(op="merge", target=TASK_TABLE)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(edit, fixit, first, notes="slow")
        held.wait_hit()
        quick = edited(fixit, first, notes="quick")
        held.release()
        check_problem(slow.result(), 412, "stale_edit")
    assert (row(fixit)["notes"], tag(fixit)) == ("quick", quick.headers["etag"])


def test_edit_of_whatever_it_says_is_done_upon_the_other(fixit: FixIt) -> None:
    record(fixit)
    polled = fixit.wire.hold(op="get", service="queue", target=TASK_QUEUE)  # or the edit's own message may be faster
    polled.wait_hit()
    held = fixit.wire.hold(op="merge", target=TASK_TABLE)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(edit, fixit, "*", owner="eve")
        held.wait_hit()
        edited(fixit, priority="high")
        held.release()
        assert slow.result().status == 200
        polled.release()
    assert row(fixit)["priority"] == "high"
    check_at_rest(fixit, "eve")


def test_edit_of_whatever_it_says_is_not_done_again_on_top_of_one_that_was_made_of_it(fixit: FixIt) -> None:
    record(fixit)
    held = fixit.wire.hold(op="merge", target=TASK_TABLE)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(edit, fixit, "*", owner="eve")
        held.wait_hit()
        eventually(lambda: row(fixit)["owner"] == "eve", what="the edit, by its message")
        assert edit(fixit, tag(fixit), owner="bob").status == 200
        held.release()
        check_problem(slow.result(), 412, "stale_edit")
    check_at_rest(fixit, "bob")


def test_edit_that_never_gets_its_turn_ends_in_time_and_is_not_known(fixit: FixIt) -> None:
    record(fixit)
    fixit.wire.fail(op="merge", target=TASK_TABLE, status=412, code="UpdateConditionNotSatisfied", times=None)
    began = time.monotonic()
    check_problem(edit(fixit, "*", notes="late"), 503, "not_known_changed")
    assert time.monotonic() - began < 15  # READ and SUBMIT take five seconds each
    fixit.wire.heal()
    assert edit(fixit, "*", notes="late").status == 200


@pytest.mark.parametrize("op", ["replace", "delete"])
def test_owner_who_comes_back_meanwhile_keeps_the_task_in_his_list(fixit: FixIt, op: str) -> None:
    record(fixit)
    held = fixit.wire.hold(op=op, target=INDEX_TABLE)
    edited(fixit, owner="eve")
    held.wait_hit()  # the message of the first edit is about to put eve's pointer, or to remove ann's
    edited(fixit, owner="ann")
    eventually(lambda: fixit.stores.waiting(TASKS) == 1, what="the end of the second message")
    held.release()
    check_at_rest(fixit, "ann")


def test_late_message_of_an_edit_before_the_last_changes_nothing(fixit: FixIt) -> None:
    first = record(fixit)
    late = reassigned(first, owner="eve")
    edited(fixit, first, owner="eve")
    edited(fixit, owner="zed")
    fixit.idle()
    was = row(fixit)
    fixit.stores.put(late)
    check_at_rest(fixit, "zed")
    assert row(fixit) == was


def test_edit_whose_request_ended_after_its_put_is_brought_to_its_end_by_its_message(fixit: FixIt) -> None:
    first = record(fixit)
    fixit.stores.put(reassigned(first, owner="eve", notes="second"))
    check_at_rest(fixit, "eve")
    assert row(fixit)["notes"] == "second"
    fixit.wire.clear()
    assert edited(fixit, first, notes="second", owner="eve").json["owner"] == "eve"
    assert fixit.wire.of(op="put", service="queue") == fixit.wire.of(op="merge") == []


@pytest.mark.parametrize("state", ["succeeded", "cancelled"])
def test_message_of_an_edit_of_another_version_only_makes_the_pointers_fit(fixit: FixIt, state: str) -> None:
    first = record(fixit)
    stale = first if state == "cancelled" else f'"{"0" * 24}"'
    fixit.stores.change_task(TASK_ID, state=state)
    current = tag(fixit)
    fixit.stores.put(reassigned(stale, owner="eve"))
    fixit.stores.put(reassigned(current if state == "cancelled" else stale, before="bob", owner="eve"))
    check_at_rest(fixit, "ann")
    assert tag(fixit) == current


def test_owner_of_the_same_list_keeps_the_pointer(fixit: FixIt) -> None:
    record(fixit)
    edited(fixit, owner=" Ann")  # names are alike that differ only in case and outer blanks
    check_at_rest(fixit, " Ann")
    edited(fixit, owner=None)
    check_at_rest(fixit, "")
    edited(fixit, owner="ann")
    check_at_rest(fixit, "ann")


def test_edit_is_put_with_the_trace_of_its_request(fixit: FixIt) -> None:
    first = record(fixit)
    edited(fixit, first, owner="eve", isDone=True)
    (put,) = fixit.wire.of(op="put", service="queue")
    sent = decoded(message_text(put))
    assert sent["data"] == {"patch": {"owner": "eve", "isDone": True}, "etag": first, "from": "ann"}
    assert (sent["subject"], sent["caller"]) == (TASK_ID, "key")
    assert sent["id"] == row(fixit)["editId"] == json.loads(reassigned(first, isDone=True, owner="eve"))["id"]
    assert sent["traceparent"]


def test_while_the_table_is_down_nothing_is_changed(fixit: FixIt) -> None:
    first = record(fixit)
    fixit.wire.fail(service="table", **BROKEN)
    told = check_problem(edit(fixit, first, owner="eve"), 503, "dependency_down")
    assert "nothing was changed" in told["detail"]
    fixit.wire.heal()
    assert fixit.wire.of(op="put", service="queue") == []
    check_at_rest(fixit, "ann")


def test_put_that_is_not_acknowledged_is_not_known_and_the_repeat_is_safe(fixit: FixIt) -> None:
    first = record(fixit)
    fixit.wire.fail(op="put", service="queue", target=TASK_QUEUE, **BROKEN)
    answer = edit(fixit, first, owner="eve")
    told = check_problem(answer, 503, "not_known_changed")
    assert (told["id"], int(answer.headers["retry-after"]) > 0) == (TASK_ID, True)
    assert "editId" not in row(fixit)
    fixit.wire.heal()
    edited(fixit, first, owner="eve")
    check_at_rest(fixit, "eve")


@pytest.mark.parametrize("patch", [{"notes": "second"}, {"owner": "eve"}])
def test_write_of_which_nobody_knows_is_told_and_the_repeat_is_safe(fixit: FixIt, patch: dict[str, Any]) -> None:
    first = record(fixit)
    fixit.wire.fail(op="merge", target=TASK_TABLE, **BROKEN)
    check_problem(edit(fixit, first, **patch), 503, "not_known_changed")
    fixit.wire.heal()
    edited(fixit, first, **patch)
    check_at_rest(fixit, patch.get("owner", "ann"))


def test_edited_failed_task_is_tried_again_and_keeps_its_edit(fixit: FixIt) -> None:
    bury(fixit, KEY, owner="ann", createdBy="bob", notes="first")
    submitted_as = row(fixit)["fingerprint"]
    edited(fixit, owner="eve", notes="second", priority="high")
    fixit.idle()
    assert fixit.request("POST", f"{PATH}/retry").status == 202
    fixit.idle()
    found = row(fixit)
    assert (found["state"], found["owner"], found["notes"], found["priority"]) == ("succeeded", "eve", "second", "high")
    assert (found["fingerprint"], only_letter(fixit)["state"]) == (submitted_as, "redriven")


def test_edited_failed_task_is_redriven_and_keeps_its_edit(fixit: FixIt) -> None:
    bury(fixit, KEY, owner="ann", createdBy="bob")
    edited(fixit, isDone=True, owner=None)
    assert redrive(fixit, letter_id(only_letter(fixit))) == [("redriven", None)]
    fixit.idle()
    assert (row(fixit)["state"], row(fixit)["isDone"], row(fixit)["owner"]) == ("succeeded", True, "")


def test_message_made_from_an_edited_row_is_the_one_that_was_submitted(fixit: FixIt) -> None:
    bury(fixit, KEY, owner="ann", createdBy="bob", notes="first")
    edited(fixit, notes="second", isDone=True)
    letter = only_letter(fixit)
    fixit.stores.remove_row("fixitdeadletters", letter["PartitionKey"], letter["RowKey"])
    fixit.wire.clear()
    assert fixit.request("POST", f"{PATH}/retry").status == 202
    fixit.idle()
    sent = decoded(message_text(fixit.wire.of(op="put", service="queue", target=TASK_QUEUE)[0]))
    assert sent["data"] == {"title": "Tap drips", "owner": "ann", "createdBy": "bob", "notes": "first"}
    assert sent["id"] == identity.submitted_event_id(TASK_ID, fingerprint(parse_task(sent["data"])))
    assert (row(fixit)["state"], row(fixit)["notes"], row(fixit)["isDone"]) == ("succeeded", "second", True)


def test_content_of_the_row_decides_whether_a_task_is_refused(fixit: FixIt) -> None:
    record(fixit, replyTo="nobodys-queue")
    assert (row(fixit)["state"], row(fixit)["errorCode"]) == ("failed", "invalid_task")
    fixit.stores.change_task(TASK_ID, replyTo="")
    assert fixit.request("POST", f"{PATH}/retry").status == 202
    fixit.idle()
    assert (row(fixit)["state"], only_letter(fixit)["state"]) == ("succeeded", "redriven")


def test_edit_that_the_platform_gave_up_fails_no_task_and_is_done_when_it_is_redriven(fixit: FixIt) -> None:
    first = record(fixit)
    fixit.stores.put(reassigned(first, owner="eve"), POISON)
    fixit.idle()
    letter = only_letter(fixit)
    assert (letter["step"], letter["taskId"], letter["fingerprint"]) == ("reassign", TASK_ID, "")
    assert (row(fixit)["state"], row(fixit)["owner"]) == ("succeeded", "ann")
    assert redrive(fixit, letter_id(letter)) == [("redriven", None)]
    fixit.idle()
    assert (row(fixit)["owner"], only_letter(fixit)["state"]) == ("eve", "redriven")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({}, "malformed_message"),
        ({"patch": [], "etag": f'"{"0" * 24}"'}, "malformed_message"),
        ({"patch": {}, "etag": "W/\"datetime'2026'\""}, "malformed_message"),
        ({"patch": {}, "etag": 5}, "malformed_message"),
        ({"patch": {"title": "x"}, "etag": f'"{"0" * 24}"'}, "invalid_task"),
        ({"patch": {"owner": "x" * 81}, "etag": f'"{"0" * 24}"'}, "invalid_task"),
        ({"patch": {}, "etag": f'"{"0" * 24}"', "from": "\ud800"}, "malformed_message"),
        ({"patch": {}, "etag": f'"{"0" * 24}"', "from": 5}, "malformed_message"),
    ],
)
def test_event_of_an_edit_that_is_not_right_is_a_letter_and_no_delivery_is_burned(
    fixit: FixIt, data: dict[str, Any], code: str
) -> None:
    record(fixit)
    was = row(fixit)
    fixit.stores.put(event(type="fixit.task.reassigned.v1", subject=TASK_ID, data=data))
    fixit.idle()
    assert (only_letter(fixit)["class"], only_letter(fixit)["dequeueCount"]) == (code, 1)
    assert ("from must be" in only_letter(fixit)["reason"]) == ("from" in data)
    assert row(fixit) == was


def test_event_of_an_edit_of_no_task_is_a_letter(fixit: FixIt) -> None:
    fixit.stores.put(reassigned(f'"{"0" * 24}"', owner="eve"))
    fixit.idle()
    assert only_letter(fixit)["class"] == "no_task"
