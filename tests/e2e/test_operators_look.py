"""What operators see of the app: how each part of storage is, and what waits; as answers, and as log lines."""

import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.domain import instants
from shared.domain.names import LETTER_TABLE
from tests.support.eventually import eventually
from tests.support.fixit_app import INTAKE, FixIt
from tests.support.raw_messages import event
from tests.support.storage_request import StorageRequest
from tests.support.stores import POISON, TASKS

LINE = re.compile(r"(queue state|dead letters) (\{.*\})$")
SECRETS = ("127.0.0.1", "devstoreaccount1", "AccountKey", "Eby8vdM02xNOcqFlqUwJPLlm", "http:")


def ago(seconds: float) -> str:
    return instants.to_text(datetime.now(UTC) - timedelta(seconds=seconds))


@pytest.fixture(scope="module")
def still() -> Iterator[FixIt]:
    """A product of which nothing but HTTP and the report runs, so that what is put on its queues stays there."""
    with FixIt(functions=(*INTAKE, "report"), settings={"FIXIT_READ_SECONDS": "2"}) as running:
        yield running


@pytest.fixture
def idle(still: FixIt) -> FixIt:
    """The same, with nothing broken and nothing in it."""
    still.wire.heal()
    still.stores.make_all()
    still.stores.clear()
    still.wire.clear()
    return still


def stats(fixit: FixIt) -> dict[str, Any]:
    answer = fixit.get("/api/stats")
    assert answer.status == 200
    assert not [secret for secret in SECRETS if secret in answer.body.decode()]
    return answer.json


def lane(fixit: FixIt) -> dict[str, Any]:
    """What is said of the one lane."""
    (only,) = stats(fixit)["lanes"]
    assert isinstance(only, dict)
    return only


def verdicts(fixit: FixIt, status: int) -> dict[str, Any]:
    """Each part as the details tell of it, by its name."""
    answer = fixit.get("/api/health/details")
    assert answer.status == status, answer
    assert not [secret for secret in SECRETS if secret in answer.body.decode()]
    assert answer.headers["content-type"].startswith("application/json")
    parts = {part["part"]: part for part in answer.json["parts"]}
    assert list(parts) == ["settings", "queue", "table", "blob"]
    assert parts.pop("settings")["verdict"] == "ok"
    assert all(part["latencyMs"] >= 0 for part in parts.values())
    assert parts["queue"]["lane"] == "FixItStorage/fixits"
    return {"": answer.json["status"], **{name: part["verdict"] for name, part in parts.items()}}


def test_each_part_of_storage_has_its_verdict(idle: FixIt) -> None:
    assert verdicts(idle, 200) == {"": "ok", "queue": "ok", "table": "ok", "blob": "ok"}
    assert not [each.op for each in idle.wire.requests if each.op in ("get", "put") and each.service == "queue"]


@pytest.mark.parametrize("service", ["queue", "table", "blob"])
def test_part_that_refuses_is_down_and_the_others_are_told(idle: FixIt, service: str) -> None:
    idle.wire.fail(service=service, times=None, status=403, code="AuthorizationFailure")
    assert verdicts(idle, 503) == {"": "down", "queue": "ok", "table": "ok", "blob": "ok", service: "down"}
    assert idle.get("/api/health").status == 200


def test_part_that_does_not_answer_is_down_in_three_seconds_and_one_that_takes_long_is_slow(idle: FixIt) -> None:
    idle.wire.silence(service="table", times=None)
    idle.wire.slow(1.2, service="blob", op="get")
    began = time.monotonic()
    assert verdicts(idle, 503) == {"": "down", "queue": "ok", "table": "down", "blob": "slow"}
    assert time.monotonic() - began < 3 + 1  # side by side
    idle.wire.heal()
    idle.wire.slow(1.2, service="queue", op="metadata")
    assert verdicts(idle, 503) == {"": "slow", "queue": "slow", "table": "ok", "blob": "ok"}


def test_nothing_waits(idle: FixIt) -> None:
    assert lane(idle) == {
        "lane": "FixItStorage/fixits",
        "use": "primary",
        "queue": "fixits",
        "count": 0,
        "visible": "none",
        "oldestVisibleSeconds": None,
        "poison": 0,
    }
    assert stats(idle)["deadLetters"] == {"open": 0, "more": False}


def test_oldest_is_as_old_as_its_event_though_its_copy_is_new_and_stands_behind_others(idle: FixIt) -> None:
    for seconds in (5, 3, 600, 1):  # a copy that was deferred is put anew
        idle.stores.put(event(time=ago(seconds)))
    idle.stores.put(event(time=ago(90_000), reopenedat=ago(700)))
    idle.stores.put("not json", POISON)
    told = lane(idle)
    assert (told["count"], told["visible"], told["poison"]) == (5, "some", 1)
    assert 700 <= told["oldestVisibleSeconds"] < 760
    (first,) = idle.stores.queue(TASKS).receive_messages(max_messages=1)
    assert first.dequeue_count == 1  # nobody took it before


def test_messages_that_all_wait_for_their_time_are_said_to_be_out_of_sight(idle: FixIt) -> None:
    idle.stores.queue(TASKS).send_message(event(time=ago(600)), visibility_timeout=600)
    told = lane(idle)
    assert (told["count"], told["visible"], told["oldestVisibleSeconds"]) == (1, "none", None)


def test_open_letters_are_counted_and_closed_ones_and_notes_are_not(idle: FixIt) -> None:
    for number, state in enumerate(["open", "open", "redriven", "discarded"]):
        idle.stores.put_row(LETTER_TABLE, {"PartitionKey": "fixits", "RowKey": f"{number}", "state": state})
    idle.stores.put_note("fixits", "k", error="KeyError")
    assert stats(idle)["deadLetters"] == {"open": 2, "more": False}


def is_poison(request: StorageRequest) -> bool:
    return request.target == POISON


@pytest.mark.parametrize("broken", ["queue", "poison", "letters"])
def test_part_that_cannot_be_read_is_told_in_its_place_and_the_rest_is_shown(idle: FixIt, broken: str) -> None:
    idle.stores.put(event(time=ago(60)))
    refusal: dict[str, Any] = {"times": None, "status": 403, "code": "AuthorizationFailure"}
    match broken:
        case "queue":
            idle.wire.fail(service="queue", target=TASKS, **refusal)
        case "poison":
            idle.wire.fail(service="queue", match=is_poison, **refusal)
        case _:
            idle.wire.fail(service="table", **refusal)
    told = stats(idle)
    (queue,) = told["lanes"]
    assert (queue["count"], queue["visible"]) == ((None, None) if broken == "queue" else (1, "some"))
    assert queue["poison"] == (None if broken == "poison" else 0)
    assert told["deadLetters"]["open"] == (None if broken == "letters" else 0)
    because = (told["deadLetters"] if broken == "letters" else queue)["unreadable"]
    assert because == "storage answered 403 AuthorizationFailure"


def test_what_does_not_answer_holds_up_nothing_for_long(idle: FixIt) -> None:
    idle.wire.silence(service="queue", times=None)
    began = time.monotonic()
    told = stats(idle)
    assert time.monotonic() - began < 2 + 2
    assert told["lanes"][0]["unreadable"]
    assert told["deadLetters"] == {"open": 0, "more": False}


def test_report_writes_a_line_for_each_queue_and_one_for_the_dead_letters(idle: FixIt) -> None:  # OB-01
    idle.stores.put(event(time=ago(600)))
    since = len(idle.host.lines())
    assert idle.request("POST", "/admin/functions/report", b"{}").status == 202

    def told() -> dict[str, Any] | None:
        found = [match for line in idle.host.lines()[since:] if (match := LINE.search(line))]
        lines = {data.get("queue", match[1]): data for match in found if (data := json.loads(match[2]))}
        return lines if len(lines) >= 4 else None

    lines = eventually(told)
    assert lines.pop("dead letters") == {"open": 0, "more": False}
    queue = lines.pop("fixits")
    assert {name: (line["use"], line["count"]) for name, line in lines.items()} == {
        "fixit-photos": ("step", 0),
        "fixit-notices": ("step", 0),
    }
    assert 600 <= queue.pop("oldestVisibleSeconds") < 660
    assert queue == {
        "lane": "FixItStorage/fixits",
        "use": "primary",
        "queue": "fixits",
        "count": 1,
        "visible": "some",
        "poison": 0,
    }
