"""A submit that waits; and one that in time is done, failed, or reversed and says so."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.domain import identity
from shared.domain.names import TASK_QUEUE, TASK_TABLE
from tests.e2e.test_http_bodies import check_problem
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import JSON
from tests.support.raw_messages import submitted
from tests.support.storage_request import StorageRequest
from tests.support.stores import decoded, message_text
from tests.support.web_client import Answer

KEY = "k-1"
ID = identity.task_id(identity.KEY_CALLER, KEY)
BODY = json.dumps({"title": "Tap drips", "owner": "ann", "createdBy": "bob"}).encode()
EVENT = submitted(KEY, owner="ann", createdBy="bob")
BAD_ROW: dict[str, Any] = {"status": 400, "code": "InvalidInput"}


def ask(fixit: FixIt, prefer: str, query: str = "", *, key: str = KEY) -> Answer:
    headers = {**JSON, "Idempotency-Key": key, **({"Prefer": prefer} if prefer else {})}
    return fixit.request("POST", f"/api/fixits{query}", BODY, headers)


def two_state(fixit: FixIt, wait: int = 1, *, key: str = KEY) -> Answer:
    return ask(fixit, f"wait={wait}", "?onTimeout=cancel", key=key)


def commands(fixit: FixIt) -> list[str]:
    """The types of the events that were put on the queue, or should have been."""
    return [_type(put) for put in fixit.wire.of(op="put", target=TASK_QUEUE)]


def _type(put: StorageRequest) -> str:
    """`submitted` or `cancelled`."""
    return str(decoded(message_text(put))["type"].split(".")[2])


def state(fixit: FixIt) -> str:
    """Where the task stands, which must be the only one, once nothing is under way."""
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert row["RowKey"] == ID
    assert fixit.stores.letters() == []
    return str(row["state"])


def check_reversed(answer: Answer) -> None:
    problem = check_problem(answer, 504, "reversed")
    assert "new" in problem["detail"]  # a new key is needed to try again
    assert (problem["id"], problem["key"], answer.headers["idempotency-key"]) == (ID, KEY, KEY)


@pytest.mark.parametrize("query", ["", "?onTimeout=cancel"])
def test_task_that_is_done_in_time_is_a_200_with_all_that_a_202_has(fixit: FixIt, query: str) -> None:
    fixit.wire.clear()
    answer = ask(fixit, "wait=20", query)
    assert answer.status == 200
    assert answer.headers["preference-applied"] == "wait=20"
    assert answer.headers["location"] == answer.json["links"]["receipt"]
    assert answer.headers["idempotency-key"] == answer.json["key"] == KEY
    assert "retry-after" not in answer.headers
    status = fixit.get(answer.json["links"]["receipt"]).json
    assert status["state"] == "succeeded"
    assert {name: answer.json[name] for name in status} == status
    assert commands(fixit) == ["submitted"]


def test_task_that_is_not_done_in_time_is_the_usual_202(fixit: FixIt) -> None:
    held = fixit.wire.hold(op="insert", target=TASK_TABLE)
    began = time.monotonic()
    answer = ask(fixit, "wait=1")
    assert time.monotonic() - began >= 1
    assert (answer.status, answer.json["state"]) == (202, "accepted")
    assert (answer.headers["preference-applied"], int(answer.headers["retry-after"]) >= 1) == ("wait=1", True)
    held.release()
    assert fixit.settled(answer.json["receipt"])["state"] == "succeeded"


def test_table_that_is_down_while_a_submit_waits_is_no_error(fixit: FixIt) -> None:
    fixit.wire.down("table")
    answer = ask(fixit, "wait=1")
    assert (answer.status, answer.json["state"]) == (202, "accepted")
    fixit.wire.heal()
    assert fixit.settled(answer.json["receipt"])["state"] == "succeeded"


def test_wait_is_capped(fixit: FixIt) -> None:
    answer = ask(fixit, "respond-async, wait=600")
    assert (answer.status, answer.headers["preference-applied"]) == (200, "wait=25")


@pytest.mark.parametrize("prefer", ["", "wait=soon", "return=minimal"])
def test_preference_that_is_not_understood_is_ignored(fixit: FixIt, prefer: str) -> None:
    answer = ask(fixit, prefer)
    assert answer.status == 202
    assert "preference-applied" not in answer.headers
    fixit.idle()


REFUSED = {
    ("wait=5", "?onTimeout=x"): "onTimeout",
    ("wait=5", "?onTimeout=Cancel"): "onTimeout",
    ("wait=5", "?ontimeout=x"): "onTimeout",
    ("wait=5", "?onTimeout=cancel&onTimeout=cancel"): "onTimeout",
    ("", "?onTimeout=cancel"): "Prefer",
    ("wait=0", "?onTimeout=cancel"): "Prefer",
    ("wait=soon", "?onTimeout=cancel"): "Prefer",
}


@pytest.mark.parametrize(("prefer", "query"), REFUSED)
def test_what_a_client_relies_on_is_never_ignored(running_fixit: FixIt, prefer: str, query: str) -> None:
    before = len(running_fixit.wire.of(service="queue", op="put"))
    problem = check_problem(ask(running_fixit, prefer, query), 400, "invalid_preference")
    assert problem["errors"][0]["field"] == REFUSED[prefer, query]
    assert len(running_fixit.wire.of(service="queue", op="put")) == before


def test_task_that_failed_in_time_is_a_200_that_says_so(fixit: FixIt) -> None:
    fixit.wire.fail(op="insert", target=TASK_TABLE, times=5, **BAD_ROW)
    answer = two_state(fixit, 25)
    assert (answer.status, answer.json["state"], answer.json["error"]["code"]) == (200, "failed", "given_up")
    fixit.idle()
    assert [row["state"] for row in fixit.stores.tasks()] == ["failed"]


def test_task_that_is_not_done_in_time_is_reversed_and_its_key_stays_so(fixit: FixIt) -> None:
    held = fixit.wire.hold(op="insert", target=TASK_TABLE)
    fixit.wire.clear()
    check_reversed(two_state(fixit))
    assert commands(fixit) == ["submitted", "cancelled"]
    held.release()
    assert state(fixit) == "cancelled"
    assert fixit.stores.pointers(ID) == set()
    check_reversed(two_state(fixit, 25))  # at once: it is settled
    assert two_state(fixit, 25, key="k-2").json["state"] == "succeeded"


def test_while_the_table_is_down_the_command_reverses_even_success(fixit: FixIt) -> None:
    fixit.stores.put(EVENT)
    assert state(fixit) == "succeeded"
    fixit.wire.down("table")
    check_reversed(two_state(fixit))
    fixit.wire.heal()
    assert state(fixit) == "cancelled"


@pytest.mark.parametrize("landed", [False, True], ids=["refused", "landed"])
def test_task_whose_put_was_not_acknowledged_is_reversed_at_once(fixit: FixIt, landed: bool) -> None:
    held = fixit.wire.hold(op="get", service="queue", target=TASK_QUEUE, times=None)
    held.wait_hit()  # nothing is taken from the queue
    fixit.wire.fail(op="put", service="queue", target=TASK_QUEUE, times=3, status=500, after=landed)
    began = time.monotonic()
    check_reversed(two_state(fixit, 25))
    assert time.monotonic() - began < 10
    held.release()
    assert state(fixit) == "cancelled"


def test_row_alone_reverses_where_no_queue_takes_the_command(fixit: FixIt) -> None:
    fixit.wire.fail(op="put", service="queue", target=TASK_QUEUE, times=6, status=503, code="ServerBusy")
    check_reversed(two_state(fixit))
    fixit.stores.put(EVENT)
    assert state(fixit) == "cancelled"


def test_task_that_was_settled_at_the_last_moment_is_not_reversed(fixit: FixIt) -> None:
    hanging = fixit.wire.hold(op="get", service="table", target=TASK_TABLE, nth=2)  # after the one about the key
    fixit.wire.clear()
    began = time.monotonic()
    answer = two_state(fixit, 2)  # its first look hangs until the time is over; then it looks once more
    assert time.monotonic() - began >= 2
    assert hanging.hits
    assert (answer.status, answer.json["state"]) == (200, "succeeded")
    assert commands(fixit) == ["submitted"]
    assert state(fixit) == "succeeded"


def test_reversal_of_another_content_leaves_the_first_task_of_a_key_alone(fixit: FixIt) -> None:
    fixit.stores.put(submitted(KEY, title="first"))
    assert state(fixit) == "succeeded"
    fixit.wire.fail(op="get", service="table", target=TASK_TABLE, times=None, status=503, code="ServerBusy")
    check_reversed(two_state(fixit))
    fixit.wire.heal()
    fixit.idle()
    assert [(row["state"], row["title"]) for row in fixit.stores.tasks()] == [("succeeded", "first")]
    assert [letter["class"] for letter in fixit.stores.letters()] == ["idempotency_conflict"]


def test_conflict_that_only_the_reversal_meets_is_a_failure(fixit: FixIt) -> None:
    fixit.stores.put(submitted(KEY, title="first"))
    assert state(fixit) == "succeeded"
    unreadable = fixit.wire.fail(op="get", service="table", target=TASK_TABLE, times=None, status=503)
    command = fixit.wire.hold(op="put", service="queue", target=TASK_QUEUE, match=lambda put: _type(put) == "cancelled")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(two_state, fixit)
        command.wait_hit()
        unreadable.release()
        command.release()
        answer = asked.result(30)
    assert (answer.status, answer.json["state"], answer.json["error"]["code"]) == (
        200,
        "failed",
        "idempotency_conflict",
    )
    fixit.idle()
    assert [row["state"] for row in fixit.stores.tasks()] == ["succeeded"]


def test_storage_that_does_not_answer_is_not_known_within_the_time_and_the_repeat_is_safe(hasty: FixIt) -> None:
    held = hasty.wire.hold(times=None)
    began = time.monotonic()
    headers = {**JSON, "Prefer": "wait=1"}
    answer = hasty.request("POST", "/api/fixits?onTimeout=cancel", BODY, headers)
    problem = check_problem(answer, 503, "not_known_cancelled")
    assert time.monotonic() - began < 1 + 3 + 1 + 1  # wait, submit, read; and one for a slow machine
    assert int(answer.headers["retry-after"]) > 0
    key = answer.headers["idempotency-key"]
    assert problem["key"] == key
    assert "Idempotency-Key" in problem["detail"]
    held.release()
    again = two_state(hasty, 25, key=key)
    assert (again.status, again.json.get("state") or again.json["code"]) in ((200, "succeeded"), (504, "reversed"))
    hasty.idle()
    assert len(hasty.stores.tasks()) == 1


@pytest.fixture(scope="module")
def hasty() -> Iterator[FixIt]:
    """A product whose reads may take one second, and whose submits three."""
    with FixIt(settings={"FIXIT_SUBMIT_SECONDS": "3", "FIXIT_READ_SECONDS": "1"}) as running:
        yield running
