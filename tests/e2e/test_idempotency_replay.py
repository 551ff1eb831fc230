"""A client's key is looked up before the put: a replay is answered as the first was, a reused key is refused."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from shared.domain import identity
from shared.domain.names import TASK_QUEUE, TASK_TABLE
from tests.e2e.test_http_bodies import check_problem
from tests.support.fixit_app import FixIt
from tests.support.web_client import Answer

BODY = b'{"title":"Tap drips","owner":"ann"}'
SAME = b'{ "owner" : "ann", "title":"Tap drip\\u0073", "notes": "", "contact": null, "priority": "normal" }'
OTHER = b'{"title":"Tap drips","owner":"bob"}'


def asked_for(fixit: FixIt) -> list[tuple[str, str, int | None]]:
    """What submits asked storage for."""
    ops = {("table", "get"), ("queue", "put")}
    return [(each.op, each.target, each.status) for each in fixit.wire.requests if (each.service, each.op) in ops]


def submit(fixit: FixIt, body: bytes = BODY, *, key: str = "k-1") -> Answer:
    return fixit.post(body, {"Idempotency-Key": key})


def recorded(fixit: FixIt, body: bytes = BODY, *, key: str = "k-1") -> Answer:
    """The answer to the first submit of a key, whose task is recorded; the wire has forgotten all of it."""
    first = submit(fixit, body, key=key)
    assert fixit.settled(first.json["receipt"])["state"] == "succeeded"
    fixit.idle()
    fixit.wire.clear()
    return first


def test_first_submit_of_a_key_looks_once_and_puts_once(fixit: FixIt) -> None:
    held = fixit.wire.hold(op="insert")
    fixit.wire.clear()
    answer = submit(fixit)
    assert asked_for(fixit) == [("get", TASK_TABLE, 404), ("put", TASK_QUEUE, 201)]
    held.release()
    assert fixit.settled(answer.json["receipt"])["id"] == identity.task_id(identity.KEY_CALLER, "k-1")


@pytest.mark.parametrize("body", [BODY, SAME])
def test_replay_of_a_recorded_task_is_the_very_same_answer_and_queues_nothing(fixit: FixIt, body: bytes) -> None:
    first = recorded(fixit)  # HI-01
    for _ in range(2):
        fixit.wire.clear()
        again = submit(fixit, body)
        assert (again.status, again.json) == (202, first.json)
        for header in ("location", "idempotency-key"):
            assert again.headers[header] == first.headers[header]
        assert asked_for(fixit) == [("get", TASK_TABLE, 200)]
    assert len(fixit.stores.tasks()) == 1


def test_another_task_under_a_recorded_key_is_refused_and_queues_nothing(fixit: FixIt) -> None:
    first = recorded(fixit)
    problem = check_problem(submit(fixit, OTHER), 422, "idempotency_key_reused")
    assert "nothing was queued" in problem["detail"]
    assert "ann" not in json.dumps(problem)
    assert asked_for(fixit) == [("get", TASK_TABLE, 200)]
    assert fixit.get(first.json["links"]["task"]).json["owner"] == "ann"
    assert fixit.stores.letters() == []


@pytest.mark.parametrize("state", ["failed", "cancelled", "queued"])
def test_replay_of_a_task_in_any_state_is_its_receipt_which_says_so(fixit: FixIt, state: str) -> None:
    first = recorded(fixit)
    error = {"errorCode": "given_up", "errorMessage": "It was given up.", "errorStep": "record"}
    fixit.stores.change_task(first.json["id"], state=state, **(error if state == "failed" else {}))
    again = submit(fixit)
    assert (again.status, again.json) == (202, first.json)
    assert fixit.get(again.json["links"]["receipt"]).json["state"] == state
    check_problem(submit(fixit, OTHER), 422, "idempotency_key_reused")
    assert [op for op, _, _ in asked_for(fixit)] == ["get", "get", "get"]


def test_receipt_of_a_replay_is_good_on_every_host(fixit: FixIt) -> None:
    """Two submits landed, and the first one's answer is the only one that the client got."""
    held = fixit.wire.hold(op="insert", times=2)
    receipts = [submit(fixit).json["receipt"] for _ in range(2)]
    held.wait_hit(hits=2)
    held.release()
    assert [fixit.settled(receipt)["state"] for receipt in receipts] == ["succeeded"] * 2
    assert submit(fixit).json["receipt"] in receipts


UNREADABLE: dict[str, dict[str, Any]] = {
    "403": {"status": 403, "code": "AuthorizationFailure"},
    "500": {"status": 500},
    "429": {"status": 429, "code": "TooManyRequests"},
    "cut": {"cut": True},
    "no table": {"status": 404, "code": "TableNotFound"},
    "being deleted": {"status": 409, "code": "TableBeingDeleted"},
}


@pytest.mark.parametrize("how", UNREADABLE)
@pytest.mark.parametrize("body", [BODY, OTHER])
def test_table_that_cannot_be_asked_never_fails_a_submit(fixit: FixIt, how: str, body: bytes) -> None:
    first = recorded(fixit)
    broken = fixit.wire.fail(service="table", op="get", times=None, **UNREADABLE[how])
    answer = submit(fixit, body)
    broken.release()
    assert (answer.status, answer.json["id"]) == (202, first.json["id"])
    assert ("put", TASK_QUEUE, 201) in asked_for(fixit)
    ended = fixit.settled(answer.json["receipt"])
    assert (ended["state"], (ended["error"] or {}).get("code")) == (
        ("succeeded", None) if body == BODY else ("failed", "idempotency_conflict")
    )
    fixit.idle()
    assert [row["owner"] for row in fixit.stores.tasks()] == ["ann"]


def test_table_that_says_nothing_delays_a_submit_by_the_time_of_a_look(fixit: FixIt) -> None:
    recorded(fixit)
    silent = fixit.wire.silence(service="table", op="get")
    answer = submit(fixit)
    assert answer.status == 202
    silent.wait_hit()
    assert fixit.settled(answer.json["receipt"])["state"] == "succeeded"


def test_damaged_row_never_fails_a_submit(fixit: FixIt) -> None:
    first = recorded(fixit)
    fixit.stores.change_task(first.json["id"], steps="no json")
    answer = submit(fixit)
    assert (answer.status, answer.json["id"]) == (202, first.json["id"])
    assert ("put", TASK_QUEUE, 201) in asked_for(fixit)
    fixit.idle()


ODD_KEYS = ("a/b#c?d", "/", "..", "%2F", "a+b", "a&key=b", "'", '"', "=,;", "~!", "k" * 255)


@pytest.mark.parametrize("key", ODD_KEYS)
def test_odd_key_is_a_key_like_any_other(fixit: FixIt, key: str) -> None:  # HI-05, TK-01, TK-03, TK-07
    first = recorded(fixit, key=key)
    assert (first.json["key"], first.headers["idempotency-key"]) == (key, key)
    assert first.json["id"] == identity.task_id(identity.KEY_CALLER, key)
    assert submit(fixit, key=key).json == first.json
    found = fixit.get(f"/api/fixits/by-key?key={quote(key, safe='')}")
    assert (found.status, found.json["id"], found.json["owner"]) == (200, first.json["id"], "ann")


NO_KEYS = {
    "missing": "",
    "empty": "?key=",
    "named otherwise": "?Key2=a",
    "of 256": "?key=" + "k" * 256,
    "with a blank": "?key=a%20b",
    "with a plus for a blank": "?key=a+b",
    "with a line feed": "?key=a%0Ab",
    "not ASCII": "?key=caf%C3%A9",
}


@pytest.mark.parametrize("name", NO_KEYS)
def test_parameter_that_can_be_no_key_is_a_400_that_names_it(running_fixit: FixIt, name: str) -> None:  # HI-05
    problem = check_problem(running_fixit.get(f"/api/fixits/by-key{NO_KEYS[name]}"), 400, "invalid_idempotency_key")
    assert problem["errors"][0]["field"] == "key"


def test_key_that_was_never_used_is_a_404_that_says_what_to_do(running_fixit: FixIt) -> None:
    problem = check_problem(running_fixit.get("/api/fixits/by-key?key=never-used"), 404, "unknown_task")
    assert "same key is safe" in problem["detail"]
