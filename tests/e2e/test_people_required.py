"""FIXIT_DIRECTORY=required: a task fails whose owner is not in the directory, and accepting asks no table for it."""

import json
from collections.abc import Iterator

import pytest

from shared.domain.names import PEOPLE_TABLE, TASK_QUEUE, TASK_TABLE
from tests.e2e.test_http_bodies import check_problem
from tests.faults.breaks import BREAKS
from tests.faults.invariants import check_invariants
from tests.support.dead_letters import letter_id, only_letter, redrive
from tests.support.edits import KEY, TASK_ID, reassigned, record, row, tag
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import JSON
from tests.support.web_client import Answer


@pytest.fixture(scope="module")
def running() -> Iterator[FixIt]:
    with FixIt(settings={"FIXIT_DIRECTORY": "required"}) as product:
        yield product


@pytest.fixture
def product(running: FixIt) -> Iterator[FixIt]:
    running.fresh()
    yield running
    running.wire.heal()


def add(product: FixIt, person: str) -> None:
    assert product.request("PUT", f"/api/people/{person}", b"{}", JSON).status == 200


def edit(product: FixIt, owner: str) -> Answer:
    headers = {"Content-Type": "application/merge-patch+json", "If-Match": "*"}
    return product.request("PATCH", f"/api/fixits/{TASK_ID}", json.dumps({"owner": owner}).encode(), headers)


def test_owner_who_is_not_in_the_directory_fails_the_task_and_it_says_so(product: FixIt) -> None:
    product.wire.clear()
    accepted = product.submit(owner="ann")
    assert [(each.op, each.target) for each in product.wire.requests if each.op == "put"] == [("put", TASK_QUEUE)]
    status = product.settled(accepted["receipt"])
    assert (status["state"], status["error"]["code"], status["error"]["step"]) == ("failed", "unknown_owner", "record")
    product.idle()
    task = product.get(f"/api/fixits/{accepted['id']}").json
    assert (task["owner"], task["steps"], task["error"]["code"]) == ("ann", [], "unknown_owner")
    (letter,) = product.stores.letters()
    assert (letter["class"], letter["state"], letter["taskId"]) == ("unknown_owner", "open", accepted["id"])


def test_retry_succeeds_once_they_are_in_the_directory(product: FixIt) -> None:
    accepted = product.submit(KEY, owner="ann")
    assert product.settled(accepted["receipt"])["state"] == "failed"
    product.idle()
    for _ in range(2):
        assert product.request("POST", f"/api/fixits/{TASK_ID}/retry").status == 202
        product.idle()
        assert product.get(f"/api/fixits/{TASK_ID}").json["error"]["code"] == "unknown_owner"
        (letter,) = product.stores.letters()
        assert letter["state"] == "open"
    add(product, "ann")
    assert product.request("POST", f"/api/fixits/{TASK_ID}/retry").status == 202
    product.idle()
    task = product.get(f"/api/fixits/{TASK_ID}").json
    assert (task["state"], task["error"]) == ("succeeded", None)
    (letter,) = product.stores.letters()
    assert letter["state"] == "redriven"


def test_known_owner_is_compared_exactly_and_costs_one_read(product: FixIt) -> None:
    add(product, "Ann")
    product.wire.clear()
    assert product.settled(product.submit(owner="Ann")["receipt"])["state"] == "succeeded"
    product.idle()
    assert [each.op for each in product.wire.of(target=PEOPLE_TABLE)] == ["get"]
    for other in ("ann", "Ann ", "ANN"):
        assert product.settled(product.submit(owner=other)["receipt"])["error"]["code"] == "unknown_owner"


def test_owner_whose_entry_somebody_damaged_is_in_the_directory(product: FixIt) -> None:
    for person in ("ann", "bob"):
        add(product, person)
    for entry in product.stores.people():
        product.stores.change_row(PEOPLE_TABLE, entry["PartitionKey"], entry["RowKey"], person=7, name=7)
    assert product.settled(product.submit(KEY, owner="ann")["receipt"])["state"] == "succeeded"
    product.idle()
    assert edit(product, "bob").json["owner"] == "bob"
    product.idle()
    assert product.stores.letters() == []


def test_task_without_owner_asks_nobody(product: FixIt) -> None:
    product.wire.clear()
    assert product.settled(product.submit(createdBy="nobody")["receipt"])["state"] == "succeeded"
    assert product.wire.of(target=PEOPLE_TABLE) == []


def test_directory_that_cannot_be_read_has_the_task_wait(product: FixIt) -> None:
    add(product, "ann")
    down = product.wire.fail(target=PEOPLE_TABLE, times=None, status=503, code="ServerBusy")
    accepted = product.submit(KEY, owner="ann")
    down.wait_hit()
    product.host.wait_line(r"message deferred.*ServerBusy")
    assert product.stores.task(TASK_ID) is None
    assert product.get(f"/api/receipts/{accepted['receipt']}").json["state"] == "queued"
    product.wire.heal()
    assert product.settled(accepted["receipt"])["state"] == "succeeded"
    product.idle()
    assert product.stores.letters() == []


def test_directory_that_does_not_answer_has_the_task_wait(product: FixIt) -> None:
    add(product, "ann")
    held = product.wire.hold(op="get", target=PEOPLE_TABLE)
    accepted = product.submit(KEY, owner="ann")
    held.wait_hit()
    eventually(lambda: any("did not answer in time" in line for line in product.host.lines()), what="the deferral")
    held.release()
    assert product.settled(accepted["receipt"])["state"] == "succeeded"


def test_task_is_not_assigned_to_who_is_not_in_the_directory(product: FixIt) -> None:
    add(product, "ann")
    accepted = product.submit(KEY, owner="ann")
    assert product.settled(accepted["receipt"])["state"] == "succeeded"
    product.idle()
    product.wire.clear()
    (error,) = check_problem(edit(product, "bob"), 422, "unknown_owner")["errors"]
    assert error["field"] == "owner"
    assert [each.op for each in product.wire.requests if each.service != "queue" or each.op == "put"] == ["get", "get"]
    product.wire.fail(target=PEOPLE_TABLE, times=None, status=503, code="ServerBusy")
    check_problem(edit(product, "bob"), 503, "dependency_down")
    assert edit(product, "").json["owner"] == ""  # nobody is always known
    product.wire.heal()
    add(product, "bob")
    assert edit(product, "bob").json["owner"] == "bob"


def test_message_assigns_nobody_who_is_not_in_the_directory(product: FixIt) -> None:
    add(product, "ann")
    first = record(product, createdBy="")
    product.stores.put(reassigned(first, owner="bob"))
    product.idle()
    letter = only_letter(product)
    assert (letter["class"], letter["step"], letter["taskId"]) == ("unknown_owner", "reassign", TASK_ID)
    assert (row(product)["state"], row(product)["owner"]) == ("succeeded", "ann")
    add(product, "bob")
    assert redrive(product, letter_id(letter)) == [("redriven", None)]
    product.idle()
    assert row(product)["owner"] == "bob"


def test_message_waits_while_the_directory_cannot_be_read(product: FixIt) -> None:
    for person in ("ann", "bob"):
        add(product, person)
    first = record(product, createdBy="")
    down = product.wire.fail(target=PEOPLE_TABLE, times=None, status=503, code="ServerBusy")
    product.stores.put(reassigned(first, owner="bob"))
    down.wait_hit()
    product.host.wait_line(r"message deferred.*ServerBusy")
    assert row(product)["owner"] == "ann"
    product.wire.heal()
    product.idle()
    assert row(product)["owner"] == "bob"
    assert product.stores.letters() == []


def test_message_that_has_no_owner_to_write_asks_nobody(product: FixIt) -> None:
    for person in ("ann", "bob"):
        add(product, person)
    first = record(product, createdBy="")
    assert edit(product, "bob").json["owner"] == "bob"
    product.idle()
    product.request("DELETE", "/api/people/bob")
    product.wire.clear()
    product.stores.put(reassigned(first, owner="bob"))  # done already
    product.stores.put(reassigned(first, owner="eve"))  # of a version that is gone
    product.stores.put(reassigned(tag(product), before="bob", owner="bob", notes="seen"))
    product.idle()
    assert (row(product)["owner"], row(product)["notes"]) == ("bob", "seen")
    assert product.wire.of(target=PEOPLE_TABLE) == []
    assert product.stores.letters() == []


def test_task_that_failed_for_its_owner_succeeds_with_another(product: FixIt) -> None:
    add(product, "ann")
    accepted = product.submit(KEY, owner="bob")
    assert product.settled(accepted["receipt"])["error"]["code"] == "unknown_owner"
    product.idle()
    assert edit(product, "ann").json["owner"] == "ann"
    product.idle()
    assert product.request("POST", f"/api/fixits/{TASK_ID}/retry").status == 202
    product.idle()
    task = product.get(f"/api/fixits/{TASK_ID}").json
    assert (task["state"], task["owner"]) == ("succeeded", "ann")


def test_directory_is_not_asked_unless_it_is_required(fixit: FixIt) -> None:
    fixit.wire.clear()
    assert fixit.settled(fixit.submit(owner="nobody")["receipt"])["state"] == "succeeded"
    fixit.idle()
    assert fixit.wire.of(target=PEOPLE_TABLE) == []
    assert fixit.wire.of(target=TASK_TABLE) != []


QUICK = ("503", "cut after, once")


@pytest.mark.parametrize(
    "how", [pytest.param(name, marks=() if name in QUICK else (pytest.mark.full,)) for name in BREAKS]
)
def test_read_of_the_directory_that_fails_costs_nothing(product: FixIt, how: str) -> None:
    add(product, "ann")
    seen = len(product.host.lines())
    fault = BREAKS[how].on(product.wire, op="get", target=PEOPLE_TABLE)
    accepted = product.submit(KEY, owner="ann")
    assert product.settled(accepted["receipt"])["state"] == "succeeded"
    product.idle()
    assert fault.hits
    check_invariants(product.stores)
    assert product.stores.letters() == []
    assert [line for line in product.host.lines()[seen:] if "(Failed" in line] == []
