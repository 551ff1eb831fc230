"""Accepting depends on the queue alone, and accepted means acknowledged."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.domain.names import TASK_QUEUE
from tests.support.fixit_app import INTAKE, FixIt
from tests.support.fixit_client import FixItClient
from tests.support.storage_request import StorageRequest
from tests.support.stores import decoded, message_text
from tests.support.web_client import Answer

BODY = json.dumps({"title": "Tap drips", "owner": "ann"}).encode()


def intake(fixit: FixIt) -> list[StorageRequest]:
    """What submits sent to storage: the triggers only read, update and delete messages."""
    polling = {"get", "metadata", "delete", "update"}
    return [each for each in fixit.wire.requests if each.service == "queue" and each.op not in polling]


def test_submit_sends_one_request_and_answers_with_all_that_a_client_needs(fixit: FixIt) -> None:
    held = fixit.wire.hold(service="table", times=None)  # nothing behind the queue can add requests of its own
    for _ in range(2):
        fixit.wire.clear()
        answer = fixit.post(BODY)
        assert [(each.op, each.target, each.status) for each in intake(fixit)] == [("put", TASK_QUEUE, 201)]
    held.release()
    body = answer.json
    assert answer.status == 202
    assert answer.headers["location"] == body["links"]["receipt"] == f"/api/receipts/{body['receipt']}"
    assert answer.headers["idempotency-key"] == body["key"]
    assert body["links"]["task"] == f"/api/fixits/{body['id']}"
    assert fixit.settled(body["receipt"])["state"] == "succeeded"
    assert fixit.get(body["links"]["task"]).json["title"] == "Tap drips"


def test_submit_in_a_cold_process_sends_one_request(fixit: FixIt) -> None:
    held = fixit.wire.hold(service="table", times=None)
    with fixit.another_host(fixit.wire, functions=INTAKE) as cold:
        fixit.wire.clear()
        assert FixItClient(cold.url).post(BODY).status == 202
        assert [each.op for each in intake(fixit)] == ["put"]
        held.release()
        fixit.idle()
    assert len(fixit.stores.tasks()) == 1


def test_submit_without_a_queue_makes_it(fixit: FixIt) -> None:
    fixit.stores.queue(TASK_QUEUE).delete_queue()
    fixit.wire.clear()
    accepted = fixit.submit()
    assert [(each.op, each.status) for each in intake(fixit)] == [("put", 404), ("create", 201), ("put", 201)]
    assert fixit.settled(accepted["receipt"])["state"] == "succeeded"


def test_submitted_message_is_base64_of_an_event_and_never_expires(fixit: FixIt) -> None:  # QE-03
    fixit.wire.clear()
    accepted = fixit.submit(key="k-1", owner="Åsa")
    put = intake(fixit)[0]
    event = decoded(message_text(put))
    assert (event["subject"], event["data"]) == (accepted["id"], {"title": "Tap drips", "owner": "Åsa"})
    assert put.query["messagettl"] == "-1"


def test_trace_of_the_request_travels_in_the_message(fixit: FixIt) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    fixit.wire.clear()
    assert fixit.post(BODY, {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}).status == 202
    assert decoded(message_text(intake(fixit)[0]))["traceparent"].split("-")[1] == trace


def test_answer_waits_for_the_acknowledgement(fixit: FixIt) -> None:
    held = fixit.wire.hold(op="put", after=True)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(fixit.post, BODY)
        held.wait_hit()
        fixit.idle()  # storage has the task, and it was even recorded; but nobody told the client's function so
        assert not answer.done()
        held.release()
        assert answer.result(30).status == 202
    assert len(fixit.stores.tasks()) == 1


def test_submit_while_table_and_blob_are_down_is_accepted_and_settled_later(fixit: FixIt) -> None:
    for service in ("table", "blob"):
        fixit.wire.down(service)
    answer = fixit.post(BODY)
    assert answer.status == 202
    status = fixit.get(answer.json["links"]["receipt"])
    assert (status.status, status.json["state"]) == (200, "accepted")
    assert "not readable now" in status.json["detail"]
    assert fixit.get(answer.json["links"]["task"]).status == 503
    fixit.wire.heal()
    assert fixit.settled(answer.json["receipt"])["state"] == "succeeded"
    assert len(fixit.stores.tasks()) == 1


def one_task_in_the_end(fixit: FixIt, answer: Answer) -> None:
    """A submit that storage disturbed is told as accepted or as not known; sent again with its key it is one task."""
    assert answer.status in (202, 503), answer
    key, task_id = answer.headers["idempotency-key"], answer.json["id"]
    assert answer.json["key"] == key
    if answer.status == 503:
        assert answer.headers["content-type"] == "application/problem+json"
        assert int(answer.headers["retry-after"]) > 0
        assert answer.json["code"] == "not_known_accepted"
    again = fixit.post(BODY, {"Idempotency-Key": key})
    assert (again.status, again.json["id"]) == (202, task_id)
    fixit.idle()
    assert [row["RowKey"] for row in fixit.stores.tasks()] == [task_id]


LOST: dict[str, dict[str, Any]] = {
    "cut_before": {"cut": True, "times": 3},
    "cut_after": {"cut": True, "after": True, "times": 3},
    "cut_after_once": {"cut": True, "after": True, "times": 1},
    "500_after": {"status": 500, "after": True, "times": 3},
    "503_before": {"status": 503, "code": "ServerBusy", "times": 3},
    "403": {"status": 403, "code": "AuthorizationFailure"},
    "401": {"status": 401, "code": "NoAuthenticationInformation"},
    "404": {"status": 404, "code": "QueueNotFound"},
    "429": {"status": 429, "code": "TooManyRequests", "times": 3},
    "being_deleted": {"status": 409, "code": "QueueBeingDeleted"},
}


@pytest.mark.parametrize("lost", LOST)
def test_put_that_storage_disturbed_ends_as_one_task(fixit: FixIt, lost: str) -> None:
    fault = fixit.wire.fail(service="queue", op="put", **LOST[lost])
    answer = fixit.post(BODY)
    assert fault.hits
    fault.release()
    one_task_in_the_end(fixit, answer)


def test_put_without_an_answer_is_not_known_accepted_within_the_deadline(fixit: FixIt) -> None:
    held = fixit.wire.hold(op="put", times=None)
    began = time.monotonic()
    answer = fixit.post(BODY)
    assert answer.status == 503
    assert time.monotonic() - began < 6
    held.release()
    one_task_in_the_end(fixit, answer)


def test_queue_down_is_503_at_once_and_the_same_key_makes_one_task(fixit: FixIt) -> None:
    fixit.wire.down("queue")  # not for long: after half a minute the trigger ends its host, as the real one does
    began = time.monotonic()
    answer = fixit.post(BODY)
    assert answer.status == 503
    assert time.monotonic() - began < 6
    fixit.wire.up("queue")
    one_task_in_the_end(fixit, answer)


def test_role_that_is_not_effective_yet_is_a_503_until_it_is(fixit: FixIt) -> None:  # ID-05
    refused = fixit.wire.fail(op="put", status=403, code="AuthorizationPermissionMismatch", times=None)
    for _ in range(3):
        answer = fixit.post(BODY, {"Idempotency-Key": "k-1"})
        assert (answer.status, answer.json["code"]) == (503, "not_known_accepted")
        assert int(answer.headers["retry-after"]) > 0
    refused.release()
    one_task_in_the_end(fixit, answer)


def test_parallel_submits_with_one_key_are_one_task(fixit: FixIt) -> None:
    start = threading.Barrier(10)

    def submit() -> Answer:
        start.wait()
        return fixit.post(BODY, {"Idempotency-Key": "same-key"})

    with ThreadPoolExecutor(10) as pool:
        answers = [future.result() for future in [pool.submit(submit) for _ in range(10)]]
    assert {answer.status for answer in answers} == {202}
    assert len({answer.json["id"] for answer in answers}) == 1
    fixit.idle()
    assert len(fixit.stores.tasks()) == 1
    assert fixit.stores.letters() == []
