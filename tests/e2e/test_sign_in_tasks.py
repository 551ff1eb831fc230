"""Whose a task is: a person sees what is theirs or assigned to them, changes their own, and can harm nobody else's."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from shared.domain import identity, instants
from shared.domain.names import TASK_QUEUE, TASK_TABLE
from tests.e2e.test_http_bodies import check_problem
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import cancelled, event
from tests.support.signed_in import Person, caller, person
from tests.support.stores import TASKS, decoded, message_text
from tests.support.web_client import Answer

KEY = "k-1"
TABLE_DOWN: dict[str, Any] = {"status": 503, "code": "ServerBusy"}


def task_id(name: str) -> str:
    return identity.task_id(caller(name), KEY)


@pytest.fixture
def bob(product: FixIt) -> Person:
    return Person(product.url, "bob")


@pytest.fixture
def ops(product: FixIt) -> Person:
    return Person(product.url, "ops")


def delete(who: Person, whose: str = "ann") -> Answer:
    return who.request("DELETE", f"/api/fixits/{task_id(whose)}")


def recorded(product: FixIt, who: Person, **fields: Any) -> dict[str, Any]:
    """A task of theirs, with the key that all these tests use."""
    accepted = who.submit(KEY, **fields)
    assert product.settled(accepted["receipt"])["state"] == "succeeded"
    product.idle()
    return accepted


def check_cancelling(answer: Answer) -> None:
    assert (answer.status, answer.json["state"]) == (202, "cancelling"), answer


def state(product: FixIt, whose: str = "ann") -> str | None:
    row = product.stores.task(task_id(whose))
    return row["state"] if row else None


def fail(product: FixIt, whose: str = "ann") -> None:
    product.stores.change_task(
        task_id(whose), state="failed", errorCode="given_up", errorMessage="It broke.", errorStep="record"
    )


def command_of(product: FixIt) -> dict[str, Any]:
    (put,) = [each for each in product.wire.requests if each.op == "put" and each.target == TASK_QUEUE]
    return decoded(message_text(put))


@pytest.mark.parametrize("said", [{}, {"createdBy": ""}, {"createdBy": None}, {"createdBy": person("ann")}])
def test_task_is_created_by_who_is_signed_in(product: FixIt, ann: Person, said: dict[str, Any]) -> None:
    accepted = recorded(product, ann, **said)
    assert accepted["id"] == task_id("ann")
    row = product.stores.task(task_id("ann"))
    assert row and (row["createdBy"], row["caller"]) == (person("ann"), caller("ann"))
    assert ann.get(f"/api/fixits/{task_id('ann')}").json["createdBy"] == person("ann")


@pytest.mark.parametrize("said", ["ann", "ann@example.com", person("bob"), person("ann").upper(), f" {person('ann')}"])
def test_nobody_creates_a_task_in_the_name_of_another(product: FixIt, ann: Person, ops: Person, said: str) -> None:
    product.wire.clear()
    for who in (ann, ops):
        answer = who.post(json.dumps({"title": "t", "createdBy": said}).encode())
        (error,) = check_problem(answer, 400, "invalid_task")["errors"]
        assert error["field"] == "createdBy"
    assert [each for each in product.wire.requests if each.op == "put"] == []


def test_keys_of_one_person_are_not_those_of_another(product: FixIt, ann: Person, bob: Person) -> None:
    mine, theirs = recorded(product, ann), recorded(product, bob, title="Another")
    assert mine["id"] != theirs["id"]
    for who, accepted in ((ann, mine), (bob, theirs)):
        assert who.get(f"/api/fixits/by-key?key={KEY}").json["id"] == accepted["id"]
    assert ann.submit(KEY)["receipt"] == mine["receipt"]


def test_task_is_there_for_its_creator_its_owner_and_operators(
    product: FixIt, ann: Person, bob: Person, ops: Person
) -> None:
    recorded(product, ann)
    path = f"/api/fixits/{task_id('ann')}"
    unknown = check_problem(bob.get(path), 404, "unknown_task")
    assert unknown == check_problem(bob.get(f"/api/fixits/{task_id('ops')}"), 404, "unknown_task")
    assert (ann.get(path).status, ops.get(path).status) == (200, 200)
    assert bob.request("HEAD", path).status == 404
    product.stores.change_task(task_id("ann"), owner=person("bob"))
    assert bob.get(path).json["owner"] == person("bob")
    product.stores.change_task(task_id("ann"), owner=person("bob").upper())
    assert bob.get(path).status == 404


def test_cancel_and_retry_are_for_the_creator_and_operators(
    product: FixIt, ann: Person, bob: Person, ops: Person
) -> None:
    recorded(product, ann, owner=person("bob"))
    fail(product)
    retry, eve = f"/api/fixits/{task_id('ann')}/retry", Person(product.url, "eve")
    product.wire.clear()
    check_problem(delete(eve), 404, "unknown_task")
    check_problem(eve.request("POST", retry), 404, "unknown_task")
    check_problem(delete(bob), 403, "not_allowed")
    check_problem(bob.request("POST", retry), 403, "not_allowed")
    assert [each for each in product.wire.requests if each.op != "get"] == []
    assert state(product) == "failed"
    assert ann.request("POST", retry).status == 202
    product.idle()
    fail(product)
    assert ops.request("POST", retry).status == 202
    product.idle()
    assert delete(ann).json["state"] == "cancelled"
    assert delete(ops).json["state"] == "cancelled"


def test_guess_of_an_id_does_not_cancel_a_task_that_is_not_yet_recorded(
    product: FixIt, ann: Person, bob: Person
) -> None:
    held = product.wire.hold(op="insert", target=TASK_TABLE)
    accepted = ann.submit(KEY)
    held.wait_hit()
    check_cancelling(delete(bob))
    eventually(lambda: state(product) == "cancelled", what="the tombstone")
    assert bob.get(f"/api/fixits/{task_id('ann')}").status == 200  # it is his
    assert delete(bob).json["state"] == "cancelled"
    check_problem(ann.get(f"/api/fixits/{task_id('ann')}"), 404, "unknown_task")  # and nothing to her
    assert ann.get(f"/api/receipts/{accepted['receipt']}").json["state"] == "queued"
    held.release()
    assert product.settled(accepted["receipt"])["state"] == "succeeded"
    product.idle()
    assert state(product) == "succeeded"
    check_problem(bob.get(f"/api/fixits/{task_id('ann')}"), 404, "unknown_task")
    assert product.stores.letters() == []


def test_guess_of_an_id_does_not_cancel_while_the_table_is_down(product: FixIt, ann: Person, bob: Person) -> None:
    recorded(product, ann)
    product.wire.down("table")
    check_cancelling(delete(bob))
    product.wire.heal()
    product.idle()
    assert state(product) == "succeeded"
    product.wire.down("table")
    assert delete(ann).status == 202
    product.wire.heal()
    product.idle()
    assert state(product) == "cancelled"


def test_task_that_came_between_the_look_and_the_command_is_left_alone(product: FixIt, bob: Person) -> None:
    check_cancelling(delete(bob))
    product.idle()
    held = product.wire.hold(op="put", target=TASK_QUEUE)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(delete, bob)
        held.wait_hit()  # his tombstone was seen
        data = {"title": "t", "owner": person("bob")}
        product.stores.put(event(subject=task_id("ann"), caller=caller("ann"), data=data))
        eventually(lambda: state(product) == "succeeded", what="her task")
        held.release()
        check_problem(answer.result(), 403, "not_allowed")
    product.idle()
    assert state(product) == "succeeded"


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_request_itself_writes_nothing_where_there_is_no_task(product: FixIt, name: str) -> None:
    held = product.wire.hold(op="get", target=TASKS, times=None)  # nobody obeys the commands meanwhile
    held.wait_hit()
    for _ in range(2):
        check_cancelling(delete(Person(product.url, name)))
    assert product.wire.of(op="insert", target=TASK_TABLE) == []
    held.release()
    product.idle()
    row = product.stores.task(task_id("ann"))
    assert row and row["caller"] == caller(name)


def test_own_task_that_has_not_come_is_stopped(product: FixIt, ann: Person) -> None:
    check_cancelling(delete(ann))
    product.idle()
    assert delete(ann).json["state"] == "cancelled"
    accepted = ann.submit(KEY)
    assert product.settled(accepted["receipt"])["state"] == "cancelled"
    product.idle()
    assert state(product) == "cancelled"
    assert ann.get(f"/api/fixits/by-key?key={KEY}").json["state"] == "cancelled"


def test_operator_stops_a_task_that_has_not_come_whoever_sends_it(product: FixIt, ann: Person, ops: Person) -> None:
    product.wire.clear()
    assert delete(ops).status == 200
    assert command_of(product)["data"] == {"anyCaller": True}
    product.idle()
    accepted = ann.submit(KEY)
    assert product.settled(accepted["receipt"])["state"] == "cancelled"
    product.idle()
    row = product.stores.task(task_id("ann"))
    assert row and (row["state"], row["caller"], row["fingerprint"]) == ("cancelled", "*", "")
    assert ann.get(f"/api/fixits/{task_id('ann')}").json["state"] == "cancelled"


def test_tombstone_holds_everybody_who_cancelled(product: FixIt, ann: Person, bob: Person, ops: Person) -> None:
    for who, status in ((bob, 202), (ann, 202), (bob, 200), (ops, 200), (bob, 200), (ops, 200)):
        assert delete(who).status == status
        product.idle()
    row = product.stores.task(task_id("ann"))
    assert row and row["caller"].split("\n") == [caller("bob"), caller("ann"), "*"]


def test_command_of_a_person_without_more_is_for_their_own(product: FixIt, ann: Person) -> None:
    recorded(product, ann)
    for who, data, after in (
        (caller("bob"), {}, "succeeded"),
        (caller("bob"), {"anyCaller": False}, "succeeded"),
        (caller("ann"), {}, "cancelled"),
    ):
        now = instants.to_text(datetime.now(UTC))
        product.stores.put(cancelled(KEY, subject=task_id("ann"), caller=who, data=data, time=now))
        product.idle()
        assert state(product) == after


@pytest.mark.parametrize(("who", "data"), [("key", {}), ("queue:fixits", {}), (caller("ops"), {"anyCaller": True})])
def test_command_of_a_service_or_an_operator_is_for_any(
    product: FixIt, ann: Person, who: str, data: dict[str, Any]
) -> None:
    recorded(product, ann)
    now = instants.to_text(datetime.now(UTC))
    product.stores.put(cancelled(KEY, subject=task_id("ann"), caller=who, data=data, time=now))
    product.idle()
    assert state(product) == "cancelled"
    assert product.stores.letters() == []


@pytest.mark.parametrize(
    ("who", "data", "after"), [("key", {}, "succeeded"), ("key", {"anyCaller": True}, "cancelled")]
)
def test_command_that_meets_a_later_task_of_another_stops_it_only_if_it_says_so(
    product: FixIt, ann: Person, who: str, data: dict[str, Any], after: str
) -> None:
    recorded(product, ann)
    product.stores.put(cancelled(KEY, subject=task_id("ann"), caller=who, data=data))  # made a minute before
    product.idle()
    assert state(product) == after


@pytest.mark.parametrize("said", ["true", 1, None, []])
def test_command_that_does_not_say_it_right_is_a_letter(product: FixIt, ann: Person, said: Any) -> None:
    recorded(product, ann)
    product.stores.put(cancelled(KEY, subject=task_id("ann"), data={"anyCaller": said}))
    product.idle()
    assert state(product) == "succeeded"
    assert [letter["class"] for letter in product.stores.letters()] == ["malformed_message"]


def test_commands_of_two_people_are_two_events(product: FixIt, ann: Person, bob: Person) -> None:
    ids = []
    for who in (ann, bob):
        product.wire.clear()
        check_cancelling(delete(who))
        ids.append(command_of(product)["id"])
        product.idle()
    assert len({*ids, identity.cancelled_event_id(task_id("ann"))}) == 3


def test_two_state_call_that_is_not_done_in_time_reverses_the_callers_own(
    product: FixIt, ann: Person, bob: Person
) -> None:
    recorded(product, bob)
    held = product.wire.hold(op="insert", target=TASK_TABLE)
    query, headers = "/api/fixits?onTimeout=cancel", {"Idempotency-Key": KEY, "Prefer": "wait=1"}
    sent = {**headers, "Content-Type": "application/json"}
    product.wire.clear()
    check_problem(ann.request("POST", query, b'{"title": "t"}', sent), 504, "reversed")
    held.release()
    product.idle()
    assert (state(product, "ann"), state(product, "bob")) == ("cancelled", "succeeded")


def test_receipt_needs_no_sign_in_and_names_nobody(product: FixIt, ann: Person) -> None:
    accepted = recorded(product, ann)
    answer = product.get(f"/api/receipts/{accepted['receipt']}")
    assert answer.json["state"] == "succeeded"
    assert person("ann") not in answer.body.decode()


def test_letter_is_closed_by_who_is_signed_in(product: FixIt, ops: Person) -> None:
    product.stores.put("not json")
    product.idle()
    order = {"filter": {"class": "malformed_message"}, "reason": "a test"}
    path, headers = "/api/deadletters/discard", {"Content-Type": "application/json"}
    forged = ops.request("POST", path, json.dumps({**order, "by": "ann"}).encode(), headers)
    (error,) = check_problem(forged, 400, "invalid_parameter")["errors"]
    assert error["field"] == "by"
    assert ops.request("POST", path, json.dumps(order).encode(), headers).status == 200
    (letter,) = product.stores.letters()
    assert (letter["state"], letter["closedBy"]) == ("discarded", person("ops"))
