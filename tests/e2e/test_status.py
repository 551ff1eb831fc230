"""Where a task stands, by receipt, by id and by key: what it says, its entity tag, and when to ask again."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from shared.domain import identity, instants
from shared.domain.names import TASK_QUEUE, TASK_TABLE
from shared.domain.task import fingerprint, parse_task
from tests.e2e.test_http_bodies import check_problem
from tests.support.eventually import eventually
from tests.support.fixit_app import INTAKE, FixIt
from tests.support.raw_messages import event
from tests.support.storage_request import StorageRequest
from tests.support.web_client import Answer

KEY = "k-1"
ID = identity.task_id(identity.KEY_CALLER, KEY)
PLACES = ("receipt", "id", "key")
TASK = json.dumps({"title": "t"}).encode()


def ago(**span: float) -> str:
    return instants.to_text(datetime.now(UTC) - timedelta(**span))


FAILED_ROW = {
    "PartitionKey": ID[:2],
    "RowKey": ID,
    "title": "t",
    "caller": identity.KEY_CALLER,
    "fingerprint": fingerprint(parse_task({"title": "t"})),
    "submittedAt": ago(days=1),
    "state": "failed",
    "steps": "[]",
    "lastCompletedStep": "",
    "errorCode": "given_up",
    "errorMessage": "It was given up.",
    "errorStep": "record",
    "redrives": 0,
}


class Asked:
    """One task and the three ways to ask about it."""

    def __init__(self, fixit: FixIt, receipt: str) -> None:
        self.fixit = fixit
        self.paths = {
            "receipt": f"/api/receipts/{receipt}",
            "id": f"/api/fixits/{ID}",
            "key": f"/api/fixits/by-key?key={KEY}",
        }

    def __call__(self, place: str, known: str = "", *, method: str = "GET") -> Answer:
        return self.fixit.request(method, self.paths[place], headers={"If-None-Match": known} if known else {})


@pytest.fixture
def asked(fixit: FixIt) -> Asked:
    """A task that is recorded and then, as a later step would have it, still on its way."""
    receipt = fixit.submit(KEY)["receipt"]
    fixit.settled(receipt)
    fixit.stores.change_task(ID, state="processing")
    return Asked(fixit, receipt)


@pytest.mark.parametrize("place", PLACES)
def test_each_says_state_steps_error_and_whether_it_is_overdue(asked: Asked, place: str) -> None:
    shown = asked(place).json
    assert (shown["state"], shown["error"], shown["overdue"]) == ("processing", None, False)
    assert [step["step"] for step in shown["steps"]] == ["record"]
    error = {"errorCode": "given_up", "errorMessage": "It was given up.", "errorStep": "record"}
    asked.fixit.stores.change_task(ID, state="failed", submittedAt=ago(days=1), **error)
    shown = asked(place).json
    assert (shown["state"], shown["overdue"]) == ("failed", False)
    assert shown["error"] == {"code": "given_up", "message": "It was given up.", "step": "record"}


@pytest.mark.parametrize("place", PLACES)
def test_task_that_is_not_settled_in_time_is_overdue_counted_from_its_reopening(asked: Asked, place: str) -> None:
    asked.fixit.stores.change_task(ID, submittedAt=ago(seconds=61))
    assert asked(place).json["overdue"] is True
    asked.fixit.stores.change_task(ID, reopenedAt=ago(seconds=10))
    assert asked(place).json["overdue"] is False


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("place", PLACES)
def test_what_is_known_is_a_304_without_a_body_until_it_changes(asked: Asked, place: str, method: str) -> None:
    first = asked(place, method=method)
    tag = first.headers["etag"]
    assert (first.status, tag) == (200, asked(place).headers["etag"])
    for known in (tag, f'"other", W/{tag}', "*"):
        again = asked(place, known, method=method)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
        assert int(again.headers["retry-after"]) >= 1
    assert asked(place, '"other"', method=method).status == 200
    asked.fixit.stores.change_task(ID, state="succeeded")
    changed = asked(place, tag, method=method)
    assert changed.status == 200
    assert changed.headers["etag"] != tag


def test_tag_of_a_receipt_is_that_of_what_it_shows(asked: Asked) -> None:
    tag = asked("receipt").headers["etag"]
    asked.fixit.stores.change_task(ID, notes="which a receipt does not show")
    assert asked("receipt", tag).status == 304
    asked.fixit.stores.change_task(ID, submittedAt=ago(hours=1))
    overdue = asked("receipt", tag)
    assert (overdue.status, overdue.json["overdue"]) == (200, True)
    asked.fixit.wire.down("table")
    unreadable = asked("receipt", overdue.headers["etag"])
    assert (unreadable.status, unreadable.json["state"]) == (200, "accepted")
    assert asked("receipt", unreadable.headers["etag"]).status == 304


@pytest.mark.parametrize("place", ["id", "key"])
def test_task_that_is_not_recorded_is_a_404_that_says_what_is_safe(fixit: FixIt, place: str) -> None:
    problem = check_problem(Asked(fixit, "")(place), 404, "unknown_task")
    assert "Submitting it again with the same key is safe" in problem["detail"]


@pytest.mark.parametrize("place", PLACES)
def test_table_that_is_down_leaves_what_the_receipt_proves(asked: Asked, place: str) -> None:
    asked.fixit.wire.down("table")
    answer = asked(place)
    if place == "receipt":
        assert (answer.status, answer.json["state"], answer.json["overdue"]) == (200, "accepted", False)
        assert int(answer.headers["retry-after"]) >= 1
    else:
        check_problem(answer, 503, "dependency_down")


@pytest.mark.parametrize("state", ["succeeded", "failed", "cancelled"])
@pytest.mark.parametrize("place", PLACES)
def test_settled_task_need_not_be_asked_for_again_and_its_queue_is_not_looked_at(
    asked: Asked, place: str, state: str
) -> None:
    asked.fixit.stores.change_task(ID, state=state)
    asked.fixit.wire.clear()
    assert "retry-after" not in asked(place).headers
    assert looks(asked.fixit) == []


def looks(fixit: FixIt) -> list[str]:
    """What the app asked of the task queue without taking a message."""
    return [each.op for each in fixit.wire.of(service="queue", target=TASK_QUEUE, match=is_look)]


def is_look(request: StorageRequest) -> bool:
    return request.op in ("metadata", "peek")


@pytest.fixture(scope="module")
def crowded() -> Iterator[FixIt]:
    """A product that takes tasks and records none, so that they wait."""
    with FixIt(functions=INTAKE) as running:
        for _ in range(100):
            running.stores.put(event(time=ago(seconds=400)))
        yield running


def test_when_to_ask_again_follows_the_backlog_and_a_submit_stays_one_request(crowded: FixIt) -> None:
    crowded.wire.clear()
    submitted = crowded.post(TASK)
    assert submitted.headers["retry-after"] == "1"  # nobody has looked yet
    status = crowded.get(submitted.headers["location"])
    assert (status.json["state"], looks(crowded)) == ("queued", ["metadata", "peek"])
    seconds = status.headers["retry-after"]
    assert 40 <= int(seconds) <= 60  # the first one that waits is over 400 s old
    crowded.wire.clear()
    assert crowded.post(TASK).headers["retry-after"] == seconds
    assert [(each.service, each.op) for each in crowded.wire.requests] == [("queue", "put")]


def test_202_of_a_cancel_and_of_a_retry_say_it_as_it_was_seen_last(crowded: FixIt) -> None:
    seconds = crowded.get(crowded.post(TASK).headers["location"]).headers["retry-after"]
    crowded.wire.clear()
    crowded.stores.put_row(TASK_TABLE, FAILED_ROW)
    reopened = crowded.request("POST", f"/api/fixits/{ID}/retry")
    assert (reopened.status, reopened.headers["retry-after"]) == (202, seconds)
    crowded.wire.fail(service="table", times=None, status=503, code="ServerBusy")
    cancelling = crowded.request("DELETE", f"/api/fixits/{ID}")
    assert (cancelling.status, cancelling.headers["retry-after"]) == (202, seconds)
    assert looks(crowded) == []
    crowded.wire.heal()


@pytest.mark.parametrize("outage", ["down", "silent"])
def test_when_to_ask_again_is_told_while_the_queue_is_down(asked: Asked, outage: str) -> None:
    wire = asked.fixit.wire
    if outage == "down":
        looked = wire.fail(service="queue", times=None, match=is_look, status=503, code="ServerBusy")
    else:
        looked = wire.silence(service="queue", times=None, match=is_look)

    def ask() -> bool:
        began, answer = time.monotonic(), asked("id")
        assert time.monotonic() - began < 3
        assert answer.status == 200
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        return bool(looked.hits)

    eventually(ask)  # the last look serves for some seconds
