"""A client waits for news of its task with `Prefer: wait=N`: what it is told, when, and what many of them cost."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from shared.domain import identity
from shared.domain.names import TASK_TABLE
from shared.services.watch import FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS
from tests.e2e.test_http_bodies import check_problem
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.storage_request import StorageRequest
from tests.support.web_client import Answer

KEY = "k-1"
ID = identity.task_id(identity.KEY_CALLER, KEY)
PATHS = {"id": f"/api/fixits/{ID}", "key": f"/api/fixits/by-key?key={KEY}"}
PLACES = ("receipt", *PATHS)
WAITERS = 100


def on_its_way(fixit: FixIt) -> str:
    """A task that is recorded and then, as a later step would have it, still on its way; the path of its receipt."""
    accepted = fixit.submit(KEY)
    fixit.settled(accepted["receipt"])
    fixit.stores.change_task(ID, state="processing")
    fixit.wire.clear()
    path: str = accepted["links"]["receipt"]
    return path


def wait(fixit: FixIt, path: str, seconds: int = 20, known: str = "") -> Answer:
    headers = {"Prefer": f"wait={seconds}", **({"If-None-Match": known} if known else {})}
    return fixit.request("GET", path, headers=headers, timeout=60)


@contextmanager
def waiting(fixit: FixIt, path: str, *, seconds: int = 20, known: str = "") -> Iterator[Future[Answer]]:
    """Somebody who waits, and for whom the task was read at least once."""
    fixit.wire.clear()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(wait, fixit, path, seconds, known)
        eventually(lambda: [read for read in reads(fixit) if read.status])
        assert not answer.done()
        yield answer


def reads(fixit: FixIt) -> list[StorageRequest]:
    return fixit.wire.of(service="table", op="get", target=TASK_TABLE)


def path_of(place: str, receipt: str) -> str:
    return PATHS.get(place, receipt)


@pytest.mark.parametrize("place", PLACES)
def test_who_waits_is_told_as_soon_as_the_state_changes(fixit: FixIt, place: str) -> None:
    with waiting(fixit, path_of(place, on_its_way(fixit))) as answer:
        fixit.stores.change_task(ID, notes="of which nobody asked")
        fixit.stores.change_task(ID, state="queued")
        changed = time.monotonic()
        told = answer.result(30)
    assert time.monotonic() - changed < 5
    assert (told.status, told.json["state"], told.headers["preference-applied"]) == (200, "queued", "wait=20")
    assert int(told.headers["retry-after"]) >= 1


@pytest.mark.parametrize("place", PLACES)
def test_settled_task_is_told_at_once(fixit: FixIt, place: str) -> None:
    path = path_of(place, on_its_way(fixit))
    fixit.stores.change_task(ID, state="succeeded")
    began = time.monotonic()
    told = wait(fixit, path)
    assert (told.status, told.json["state"], told.headers["preference-applied"]) == (200, "succeeded", "wait=20")
    known = wait(fixit, path, known=told.headers["etag"])
    assert (known.status, known.body, known.headers["preference-applied"]) == (304, b"", "wait=20")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("place", PLACES)
def test_who_says_what_they_know_waits_for_anything_else(fixit: FixIt, place: str) -> None:
    path = path_of(place, on_its_way(fixit))
    tag = fixit.get(path).headers["etag"]
    assert wait(fixit, path, known='"other"').status == 200
    with waiting(fixit, path, known=tag) as answer:
        fixit.stores.change_task(ID, lastCompletedStep="", steps="[]")
        told = answer.result(30)
    assert (told.status, told.json["steps"]) == (200, [])


@pytest.mark.parametrize("place", PLACES)
def test_wait_that_ends_without_news_is_the_answer_as_ever(fixit: FixIt, place: str) -> None:
    path = path_of(place, on_its_way(fixit))
    began = time.monotonic()
    told = wait(fixit, path, 1)
    assert time.monotonic() - began >= 1
    assert (told.status, told.json["state"], told.headers["preference-applied"]) == (200, "processing", "wait=1")
    known = wait(fixit, path, 1, told.headers["etag"])
    assert (known.status, known.headers["preference-applied"]) == (304, "wait=1")


@pytest.mark.parametrize("place", PATHS)
def test_task_that_is_not_recorded_is_waited_for_and_else_unknown(fixit: FixIt, place: str) -> None:
    check_problem(wait(fixit, PATHS[place], 1), 404, "unknown_task")
    with waiting(fixit, PATHS[place]) as answer:
        fixit.submit(KEY)
        assert answer.result(30).json["state"] == "succeeded"


@pytest.mark.parametrize("place", PLACES)
def test_table_that_is_down_is_waited_out(fixit: FixIt, place: str) -> None:
    path = path_of(place, on_its_way(fixit))
    outage = fixit.wire.fail(op="get", target=TASK_TABLE, times=None, status=503, code="ServerBusy")
    told = wait(fixit, path, 1)
    if place == "receipt":
        assert (told.status, told.json["state"], told.headers["preference-applied"]) == (200, "accepted", "wait=1")
    else:
        check_problem(told, 503, "dependency_down")
    with waiting(fixit, path) as answer:
        fixit.stores.change_task(ID, state="failed")
        outage.release()
        assert answer.result(30).json["state"] == "failed"


def test_a_hundred_who_wait_cost_a_few_reads_are_told_at_once_and_hold_nobody_up(fixit: FixIt) -> None:
    held = fixit.wire.hold(op="insert", target=TASK_TABLE)
    accepted = fixit.submit(KEY)
    held.wait_hit()
    fixit.wire.clear()
    began, since = time.monotonic(), len(fixit.host.lines())
    with ThreadPoolExecutor(WAITERS) as pool:
        told = [pool.submit(wait, fixit, accepted["links"]["receipt"], 25) for _ in range(WAITERS)]
        # As many as there are wait at once, and others are answered meanwhile.
        eventually(lambda: _started(fixit, since) == WAITERS)
        asked = time.monotonic()
        assert fixit.get("/api/health").status == 200
        assert fixit.get(f"/api/fixits/{identity.task_id(identity.KEY_CALLER, 'another')}").status == 404
        assert time.monotonic() - asked < 2
        seen, came = len(reads(fixit)), time.monotonic() - began
        eventually(lambda: len(reads(fixit)) >= seen + 4)
        assert not any(each.done() for each in told)
        lasted = time.monotonic() - began
        held.release()
        eventually(lambda: fixit.stores.task(ID))
        settled = time.monotonic()
        answers = [each.result(30) for each in told]
        answered = time.monotonic() - settled
    print(f"{WAITERS} waiters, {lasted:.1f} s: {len(reads(fixit))} reads; all were told after {answered:.2f} s")
    assert {(each.status, each.json["state"]) for each in answers} == {(200, "succeeded")}
    assert answered < LONGEST_PAUSE_SECONDS + 3
    assert seen <= 2 + came / FIRST_PAUSE_SECONDS  # and once they are all there
    assert len(reads(fixit)) <= seen + 4 + 2


def _started(fixit: FixIt, since: int) -> int:
    return sum("Executing 'Functions.get_receipt'" in line for line in fixit.host.lines()[since:])
