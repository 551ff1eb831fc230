"""A submitter has his own failed task tried again, and may ask for it as often as he likes."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.domain import identity
from shared.domain.names import LETTER_TABLE, TASK_QUEUE, TASK_TABLE
from tests.e2e.test_http_bodies import check_problem
from tests.support.dead_letters import bury, done, letter_id, only_letter, only_task
from tests.support.fixit_app import INTAKE, FixIt
from tests.support.fixit_client import FixItClient
from tests.support.stores import decoded, message_text
from tests.support.web_client import Answer
from tests.support.wire import Wire

TASK_ID = identity.task_id(identity.KEY_CALLER, "k-1")


def retry(client: FixItClient, task_id: str = TASK_ID) -> Answer:
    return client.request("POST", f"/api/fixits/{task_id}/retry")


def test_failed_task_is_queued_again_and_done(fixit: FixIt) -> None:
    bury(fixit, "k-1", owner="ann")
    answer = retry(fixit)
    assert answer.status == 202
    path = f"/api/fixits/{TASK_ID}"
    assert answer.json == {
        "id": TASK_ID,
        "state": "queued",
        "redrives": 1,
        "reopenedAt": answer.json["reopenedAt"],
        "links": {"task": path},
    }
    assert (answer.headers["location"], int(answer.headers["retry-after"]) >= 1) == (path, True)
    fixit.idle()
    row, letter = only_task(fixit), only_letter(fixit)
    assert (row["state"], row["redrives"], row["reopenedAt"]) == ("succeeded", 1, answer.json["reopenedAt"])
    assert (letter["state"], letter["closedBy"], letter["redrives"]) == ("redriven", "submitter", 1)


def test_unknown_task_is_a_404_and_one_that_has_not_failed_a_409(fixit: FixIt) -> None:
    check_problem(retry(fixit), 404, "unknown_task")
    fixit.settled(fixit.submit(key="k-1")["receipt"])
    fixit.idle()
    row = only_task(fixit)
    assert "succeeded" in check_problem(retry(fixit), 409, "not_failed")["detail"]
    for state in ("queued", "processing", "cancelled"):
        fixit.stores.change_task(TASK_ID, state=state)
        check_problem(retry(fixit), 409, "not_failed")
    fixit.stores.change_task(TASK_ID, state="succeeded")
    assert {**only_task(fixit), "state": row["state"]} == row
    assert fixit.stores.is_idle()


def test_retry_while_the_task_is_under_way_again_is_the_same_answer(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    held = fixit.wire.hold(op="insert", target=TASK_TABLE, times=None)
    first = retry(fixit)
    held.wait_hit()
    again = retry(fixit)
    assert (again.status, again.json) == (202, first.json)
    fixit.stores.change_task(TASK_ID, state="processing")
    assert (retry(fixit).status, retry(fixit).json["state"]) == (202, "processing")
    fixit.stores.change_task(TASK_ID, state="queued")
    held.release()
    fixit.idle()
    assert (only_task(fixit)["state"], only_task(fixit)["redrives"]) == ("succeeded", 1)
    check_problem(retry(fixit), 409, "not_failed")


def test_letter_that_an_operator_discarded_does_not_stop_the_submitter(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    done(fixit, "discard", ids=[letter_id(only_letter(fixit))], reason="no use")
    assert retry(fixit).status == 202
    fixit.idle()
    assert (only_task(fixit)["state"], only_letter(fixit)["state"]) == ("succeeded", "redriven")


@pytest.mark.parametrize("lost", ["the letter", "the text"])
def test_task_without_its_letter_is_sent_again_from_its_row(fixit: FixIt, lost: str) -> None:
    bury(fixit, "k-1", notes="as given", priority="high")
    letter = only_letter(fixit)
    if lost == "the letter":
        fixit.stores.remove_row(LETTER_TABLE, letter["PartitionKey"], letter["RowKey"])
    fixit.stores.remove_text(letter_id(letter).replace("~", "/"))
    fixit.wire.clear()
    assert retry(fixit).status == 202
    fixit.idle()
    (put,) = fixit.wire.of(op="put", service="queue", target=TASK_QUEUE)
    event = decoded(message_text(put))
    assert (event["id"], event["redrives"], event["data"]["notes"]) == (letter["RowKey"], 1, "as given")
    assert (only_task(fixit)["state"], only_task(fixit)["redrives"]) == ("succeeded", 1)


def test_retry_that_is_not_acknowledged_is_a_503_and_goes_on_when_it_is_repeated(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    fixit.wire.fail(op="put", service="queue", target=TASK_QUEUE, status=503, code="ServerBusy", times=3)
    answer = retry(fixit)
    problem = check_problem(answer, 503, "not_known_reopened")
    assert (problem["id"], answer.headers["retry-after"]) == (TASK_ID, "5")
    assert (only_task(fixit)["state"], only_letter(fixit)["state"]) == ("queued", "open")
    assert retry(fixit).status == 202
    fixit.idle()
    assert (only_task(fixit)["state"], only_task(fixit)["redrives"]) == ("succeeded", 1)
    assert only_letter(fixit)["state"] == "redriven"


def test_retry_while_storage_is_silent_ends_in_time(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    held = fixit.wire.hold(op="put", service="queue", target=TASK_QUEUE, times=3)
    check_problem(retry(fixit), 503, "not_known_reopened")
    fixit.wire.fail(op="get", service="table", target=TASK_TABLE, status=503, code="ServerBusy", times=3)
    check_problem(retry(fixit), 503, "dependency_down")
    held.release()


def test_retry_that_is_killed_before_its_put_goes_on_when_it_is_repeated(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    with Wire(fixit.storage) as wire, ThreadPoolExecutor() as pool:
        held = wire.hold(op="put", service="queue", target=TASK_QUEUE)
        with fixit.another_host(wire, functions=INTAKE) as doomed:
            lost = pool.submit(retry, FixItClient(doomed.url))
            held.wait_hit()
            doomed.kill()
            assert lost.exception() is not None
        assert only_task(fixit)["state"] == "queued"
        assert retry(fixit).status == 202
        fixit.idle()
    assert (only_task(fixit)["state"], only_letter(fixit)["state"]) == ("succeeded", "redriven")


def test_two_retries_at_once_are_one(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    held = fixit.wire.hold(op="merge", target=TASK_TABLE, times=2)
    with ThreadPoolExecutor() as pool:
        both = [pool.submit(retry, fixit) for _ in range(2)]
        held.wait_hit(hits=2)
        held.release()
        answers = [each.result() for each in both]
    assert {answer.status for answer in answers} == {202}
    assert answers[0].json == answers[1].json
    fixit.idle()
    assert (only_task(fixit)["state"], only_task(fixit)["redrives"]) == ("succeeded", 1)
