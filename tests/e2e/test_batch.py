"""Many tasks in one request: each is taken or refused by itself, and answered in its place."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from shared.domain import identity
from shared.domain.names import TASK_TABLE
from tests.e2e.test_http_bodies import check_problem, puts
from tests.faults.invariants import check_invariants
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import JSON, FixItClient
from tests.support.stores import decoded, message_text
from tests.support.task_lists import titles
from tests.support.web_client import Answer, HeaderValue

PATH = "/api/fixits/batch"
MIB = 1024 * 1024


def send(
    client: FixItClient, *entries: Any, key: str | None = None, headers: Mapping[str, HeaderValue] | None = None
) -> Answer:
    """A batch of these entries, whatever it is answered."""
    keyed = {} if key is None else {"Idempotency-Key": key}
    body = json.dumps({"tasks": entries}).encode()
    return client.request("POST", PATH, body, {**JSON, **keyed, **(headers or {})}, timeout=60)


def entry(title: str, key: str | None = None, **fields: Any) -> dict[str, Any]:
    return {**({"key": key} if key is not None else {}), "task": {"title": title, **fields}}


def results(answer: Answer, status: int = 207) -> list[dict[str, Any]]:
    """What became of each."""
    assert answer.status == status, answer
    found: list[dict[str, Any]] = answer.json["results"]
    return found


def statuses(answer: Answer) -> list[int]:
    return [each["status"] for each in results(answer, answer.status)]


def codes(answer: Answer) -> list[str]:
    return [each.get("problem", {}).get("code", "") for each in results(answer, answer.status)]


def key_id(key: str) -> str:
    return identity.task_id(identity.KEY_CALLER, key)


def test_hundred_tasks_without_keys_are_a_hundred_puts_and_nothing_else(fixit: FixIt) -> None:
    answer = send(fixit, *(entry(f"t{number}", owner="ann") for number in range(100)))
    taken = results(answer, 202)
    made = [each for each in fixit.wire.requests if (each.service, each.op) not in TRIGGERS]
    before_record = [each for each in made if each.service == "queue"]
    assert {each.op for each in before_record} == {"put"} and len(before_record) == 100
    assert not fixit.wire.of(service="table", op="get")
    assert {each["id"] for each in taken} == {decoded(message_text(put))["subject"] for put in before_record}
    assert all(each["id"] == key_id(each["key"]) for each in taken)
    assert fixit.settled(taken[57]["receipt"])["state"] == "succeeded"
    fixit.idle()
    assert fixit.get(taken[57]["links"]["task"]).json["title"] == "t57"
    assert fixit.get(taken[57]["links"]["receipt"]).json["state"] == "succeeded"
    assert Counter(row["title"] for row in fixit.stores.tasks()) == {f"t{number}": 1 for number in range(100)}


TRIGGERS = {("queue", op) for op in ("get", "delete", "update", "metadata", "peek")}
"""What the host and a look at a queue's length ask."""


def test_bad_items_are_refused_in_their_places_and_the_good_ones_are_taken(fixit: FixIt) -> None:
    bad: list[tuple[Any, str, str]] = [
        (entry(""), "invalid_task", "title"),
        (entry("x" * 81, "own"), "invalid_task", "title"),
        (entry("t", due="now"), "invalid_task", "due"),
        (entry("t", replyTo="somebody-elses"), "invalid_task", "replyTo"),
        ({"task": {}}, "invalid_task", "title"),
        ({"task": []}, "invalid_parameter", "task"),
        ({"task": "t"}, "invalid_parameter", "task"),
        ({"task": None}, "invalid_parameter", "task"),
        ({}, "invalid_parameter", "task"),
        ({"title": "t"}, "invalid_parameter", "title"),
        ({**entry("t"), "id": 1}, "invalid_parameter", "id"),
        (None, "invalid_parameter", "entry"),
        ("t", "invalid_parameter", "entry"),
        ([], "invalid_parameter", "entry"),
        (entry("t", ""), "invalid_idempotency_key", "key"),
        (entry("t", "a b"), "invalid_idempotency_key", "key"),
        (entry("t", "é"), "invalid_idempotency_key", "key"),
        (entry("t", "k" * 256), "invalid_idempotency_key", "key"),
        ({"key": 5, **entry("t")}, "invalid_idempotency_key", "key"),
        (entry("t", notes="x" * 16_001), "invalid_task", "notes"),
    ]
    good = [entry(f"good {number}", f"k-{number}") for number in range(len(bad))]
    mixed = [each for pair in zip(bad, good, strict=True) for each in (pair[0][0], pair[1])]
    answer = send(fixit, *mixed)
    found = results(answer)
    assert [each["status"] for each in found[1::2]] == [202] * len(good)
    assert [each["key"] for each in found[1::2]] == [each["key"] for each in good]
    for number, (_, code, name) in enumerate(bad):
        result, problem = found[2 * number], found[2 * number]["problem"]
        assert (result["status"], problem["status"], problem["code"]) == (400, 400, code)
        assert (f"tasks[{2 * number}]" if name == "entry" else name) in {error["field"] for error in problem["errors"]}
    assert found[2]["key"] == "own"
    assert "retry-after" not in answer.headers
    fixit.idle()
    assert sorted(row["title"] for row in fixit.stores.tasks()) == sorted(each["task"]["title"] for each in good)


def test_task_that_fits_no_message_is_refused_alone(fixit: FixIt) -> None:
    large = {
        "notes": '"' * 3_520 + "\u20ac" * 12_480,
        "owner": "\U0001f600" * 80,
        "createdBy": "\U0001f600" * 80,
        "callbackUrl": "https://example.com/" + '"' * 1_980,
        "contact": "a@" + "b" * 252,
        "correlationId": '"' * 255,
    }
    answer = send(fixit, entry("small"), entry("large", "k-1", **large))
    assert (statuses(answer), codes(answer)) == ([202, 413], ["", "task_too_large"])
    assert puts(fixit) == 1


def test_batch_of_which_nothing_is_taken_queues_nothing(fixit: FixIt) -> None:
    answer = send(fixit, entry(""), {}, 5)
    assert statuses(answer) == [400, 400, 400]
    assert (answer.status, puts(fixit)) == (207, 0)


WRONG: dict[str, tuple[bytes, str, str]] = {
    "no body": (b"", "empty_body", ""),
    "an array": (b'[{"title":"t"}]', "malformed_json", ""),
    "half": (b'{"tasks":[', "malformed_json", ""),
    "no tasks": (b"{}", "invalid_parameter", "tasks"),
    "tasks null": (b'{"tasks":null}', "invalid_parameter", "tasks"),
    "tasks empty": (b'{"tasks":[]}', "invalid_parameter", "tasks"),
    "tasks an object": (b'{"tasks":{"task":{"title":"t"}}}', "invalid_parameter", "tasks"),
    "101 tasks": (json.dumps({"tasks": [entry("t")] * 101}).encode(), "invalid_parameter", "tasks"),
    "something more": (json.dumps({"tasks": [entry("t")], "atomic": True}).encode(), "invalid_parameter", "atomic"),
    "a task twice in one": (b'{"tasks":[{"task":{"title":"t"},"task":{"title":"u"}}]}', "malformed_json", ""),
}


@pytest.mark.parametrize("name", WRONG)
def test_body_that_is_no_batch_is_refused_as_a_whole(running_fixit: FixIt, name: str) -> None:
    body, code, field = WRONG[name]
    before = puts(running_fixit)
    problem = check_problem(running_fixit.request("POST", PATH, body, JSON), 400, code)
    assert [error["field"] for error in problem.get("errors", [])] == ([field] if field else [])
    assert puts(running_fixit) == before


def test_headers_and_query_that_fit_no_batch_are_refused(running_fixit: FixIt) -> None:
    before, body = puts(running_fixit), json.dumps({"tasks": [entry("t")]}).encode()
    for query in ("onTimeout=cancel", "ontimeout=x"):
        problem = check_problem(running_fixit.request("POST", f"{PATH}?{query}", body, JSON), 400, "invalid_preference")
        assert problem["errors"][0]["field"] == "onTimeout"
    for key in ("", "a b", "k" * 252, "k" * 256):
        problem = check_problem(send(running_fixit, entry("t"), key=key), 400, "invalid_idempotency_key")
        assert problem["errors"][0]["field"] == "Idempotency-Key"
    wrong = running_fixit.request("POST", PATH, body, {"Content-Type": "text/plain"})
    check_problem(wrong, 415, "unsupported_media_type")
    for method in ("GET", "PUT", "DELETE"):
        answer = running_fixit.request(method, PATH)
        assert answer.headers["allow"] == "POST"
        check_problem(answer, 405, "method_not_allowed")
    assert puts(running_fixit) == before


def of_length(length: int) -> bytes:
    """A batch of exactly so many bytes, of which most is notes that are good for a message."""
    full = [entry(f"t{number}", notes="\\" * 15_000) for number in range(100)]
    body = json.dumps({"tasks": full}).encode()
    return body + b" " * (length - len(body))


def test_batch_may_have_four_mebibytes_and_no_byte_more(fixit: FixIt) -> None:
    answer = fixit.request("POST", PATH, of_length(4 * MIB), JSON, timeout=60)
    assert set(statuses(answer)) == {202}
    before = puts(fixit)
    problem = check_problem(fixit.request("POST", PATH, of_length(4 * MIB + 1), JSON), 413, "batch_too_large")
    assert "4,194,304" in problem["detail"]
    check_problem(fixit.request("POST", PATH, b"[" * (5 * MIB), JSON), 413, "batch_too_large")
    assert puts(fixit) == before
    check_problem(fixit.post(of_length(4 * MIB)), 413, "task_too_large")  # every other route takes 256 KiB


def test_worker_outlives_bodies_that_are_made_to_hurt(running_fixit: FixIt) -> None:
    for body in (b'{"tasks":' + b"[" * 2_000_000, b'{"tasks":[' + b"{}," * 1_000_000 + b"{}]}", b'{"a":0}' * 500_000):
        answer = running_fixit.request("POST", PATH, body, JSON, timeout=60)
        assert answer.status == 400, answer
    assert running_fixit.get("/api/health").status == 200


def test_same_key_twice_is_one_task_or_a_refusal(fixit: FixIt) -> None:
    answer = send(
        fixit,
        entry("one", "a"),
        entry("one", "a", notes=None),  # the same task
        entry("other", "a"),
        entry("one", "a"),
        entry("", "b"),  # takes no key
        entry("one", "b"),
        entry("other", "b"),
    )
    assert statuses(answer) == [202, 202, 422, 202, 400, 202, 422]
    assert codes(answer)[2] == codes(answer)[6] == "idempotency_key_reused"
    found = results(answer)
    assert found[0] == found[1] == found[3]
    assert (found[0]["id"], found[5]["id"]) == (key_id("a"), key_id("b"))
    assert puts(fixit) == 2
    fixit.idle()
    assert len(fixit.stores.tasks()) == 2


def test_batch_is_sent_again_whole_under_the_key_of_its_header(fixit: FixIt) -> None:
    header = "h" * 251
    entries = [entry("one"), entry("two", "own"), entry("three"), entry("")]
    first = send(fixit, *entries, key=header)
    assert [each.get("key") for each in results(first)] == [f"{header}.1", "own", f"{header}.3", f"{header}.4"]
    fixit.idle()
    sent = puts(fixit)
    second = send(fixit, *entries, key=header)
    assert results(second) == results(first)
    assert puts(fixit) == sent
    entries[0] = entry("another")
    assert codes(send(fixit, *entries, key=header)) == ["idempotency_key_reused", "", "", "invalid_task"]
    assert len(results(send(fixit, *(entry("x", f"x-{n}") for n in range(100)), key=header), 202)) == 100
    fixit.idle()
    assert len(fixit.stores.tasks()) == 103


def test_key_that_stands_for_a_recorded_task_is_answered_as_in_a_submit(fixit: FixIt) -> None:
    accepted = fixit.submit(key="k-1", title="one")
    fixit.idle()
    answer = send(fixit, entry("other", "k-1"), entry("one", "k-1"))
    assert statuses(answer) == [422, 202]
    assert results(answer)[1]["receipt"] == accepted["receipt"]


def test_outage_in_mid_batch_is_told_for_each_and_sending_again_makes_each_once(fixit: FixIt) -> None:
    entries = [entry(f"t{number}") for number in range(30)]
    fixit.wire.fail(service="queue", op="put", status=503, code="ServerBusy", nth=13, times=None)
    fixit.wire.fail(service="queue", op="put", after=True, cut=True, nth=5, times=1)  # landed, and nobody was told
    answer = send(fixit, *entries, key="batch-1")
    found = results(answer)
    assert set(statuses(answer)) == {202, 503}
    assert answer.headers["retry-after"]
    for number, each in enumerate(found, 1):
        assert each["key"] == f"batch-1.{number}"
        if each["status"] == 503:
            problem = each["problem"]
            assert (problem["code"], problem["key"], problem["id"]) == (
                "not_known_accepted",
                each["key"],
                key_id(each["key"]),
            )
    fixit.wire.heal()
    again = send(fixit, *entries, key="batch-1")
    assert set(statuses(again)) == {202}
    fixit.idle()
    assert sorted(titles(fixit)) == sorted(each["task"]["title"] for each in entries)
    check_invariants(fixit.stores, accepted=[each["id"] for each in results(again, 202)])


def test_keys_of_the_server_are_told_in_a_503_and_good_to_send_again(fixit: FixIt) -> None:
    fixit.wire.fail(service="queue", op="put", status=503, code="ServerBusy", times=None)
    first = results(send(fixit, entry("one"), entry("two")))
    fixit.wire.heal()
    keyed = [{"key": each["key"], "task": {"title": title}} for each, title in zip(first, ("one", "two"), strict=True)]
    second = results(send(fixit, *keyed), 202)
    assert [each["id"] for each in second] == [each["problem"]["id"] for each in first]


def test_accepting_a_batch_depends_on_the_queue_alone(fixit: FixIt) -> None:
    for service in ("table", "blob"):
        fixit.wire.down(service)
    answer = send(fixit, *(entry(f"t{number}", f"k-{number}") for number in range(20)), entry("new"))
    assert set(statuses(answer)) == {202}
    fixit.wire.heal()
    fixit.idle()
    assert len(fixit.stores.tasks()) == 21


@pytest.fixture(scope="module")
def hasty() -> Iterator[FixIt]:
    """A product whose batches may take two seconds, and that leaves a table alone which failed."""
    settings = {"FIXIT_BATCH_SECONDS": "2", "FIXIT_LANE_PAUSE_SECONDS": "30"}
    with FixIt(settings=settings) as running:
        yield running


def test_what_there_is_no_time_for_is_not_sent_and_said_to_be_so(hasty: FixIt) -> None:
    hasty.fresh()
    held = hasty.wire.hold(service="queue", op="put", nth=4, times=None)
    entries = [entry(f"t{number}", f"k-{number}") for number in range(40)]
    answer = send(hasty, *entries)
    counted = Counter(zip(statuses(answer), codes(answer), strict=True))
    assert counted[202, ""] == 3
    assert counted[503, "not_known_accepted"] == 8
    assert counted[503, "not_sent"] == 29
    for number, each in enumerate(results(answer)):
        assert each["key"] == f"k-{number}"
        if each["status"] == 503:
            assert (each["problem"]["id"], each["problem"]["key"]) == (key_id(each["key"]), each["key"])
    begun = {decoded(message_text(put))["subject"] for put in hasty.wire.of(service="queue", op="put")}
    assert {each["id"] for each in results(answer) if each["status"] == 202} <= begun and len(begun) == 11
    held.release()
    hasty.wire.heal()
    eventually(lambda: send(hasty, *entries).status == 202, what="a batch that is taken whole")
    hasty.idle()
    assert sorted(row["RowKey"] for row in hasty.stores.tasks()) == sorted(key_id(f"k-{n}") for n in range(40))


def test_table_that_is_down_costs_a_batch_one_look_for_each_in_flight(hasty: FixIt) -> None:
    hasty.fresh()
    hasty.wire.fail(service="table", op="get", target=TASK_TABLE, status=403, code="AuthorizationFailure", times=None)
    entries = [entry(f"t{number}", f"d-{number}") for number in range(30)]
    eventually(lambda: send(hasty, *entries).status == 202, what="a batch that is taken whole")
    assert len(hasty.wire.of(service="table", op="get", target=TASK_TABLE)) <= 8
    hasty.wire.heal()
    hasty.idle()
