"""One line a delivery, with the ids and counts of its message; no body, no secret, whatever happens."""

import json
import re
from typing import Any

from shared.domain.names import TASK_TABLE
from tests.support.fixit_app import QUICK, FixIt
from tests.support.raw_messages import event, submitted

LINE = re.compile(r"(message (?:done|deferred|failed|given up|refused)) (\{.*\})$")
ABOUT = {"lane", "queue", "event", "task", "message", "dequeueCount", "deferrals", "redrives", "kind", "ageSeconds"}
MARK = "a-text-that-no-log-may-show"


def told(fixit: FixIt, since: int) -> list[tuple[str, dict[str, Any]]]:
    """What each line about a message said, and its fields."""
    found = (LINE.search(line) for line in fixit.host.lines()[since:])
    return [(match[1], json.loads(match[2])) for match in found if match]


def test_each_delivery_is_one_line_that_names_its_message(fixit: FixIt) -> None:  # OB-01, OB-03
    since = len(fixit.host.lines())
    fixit.wire.fail(op="insert", target=TASK_TABLE, status=403)
    fixit.wire.fail(op="insert", target=TASK_TABLE, nth=2, status=400, code="InvalidInput")
    accepted = fixit.submit("k-1", notes=MARK)
    fixit.idle()
    lines = told(fixit, since)
    assert [what for what, _ in lines] == ["message deferred", "message failed", "message done"]
    assert all(fields.keys() >= ABOUT for _, fields in lines)
    assert {(fields["task"], fields["kind"], fields["queue"]) for _, fields in lines} == {
        (accepted["id"], "record", "fixits")
    }
    assert len({fields["event"] for _, fields in lines}) == 1  # OB-03: what a dashboard counts
    assert [(fields["dequeueCount"], fields["deferrals"]) for _, fields in lines] == [(1, 0), (1, 1), (2, 1)]
    assert lines[0][1]["because"] == "storage answered 403 InternalError"
    assert lines[1][1]["because"] == "HttpResponseError"
    assert all(0 <= fields["ageSeconds"] < 60 for _, fields in lines)


def test_no_line_shows_a_body_or_a_secret(fixit: FixIt) -> None:
    since = len(fixit.host.lines())
    fixit.wire.fail(op="insert", target=TASK_TABLE, status=400, code="InvalidInput")
    fixit.submit("k-1", title=MARK, notes=MARK, owner=MARK, contact=f"{MARK}@example.com")
    for text in (
        MARK,
        f'{{"{MARK}":1}}',
        event(data={"title": "t", MARK: MARK}),
        event(type=MARK),
        f'{{"title":"{MARK}"}}',
    ):
        fixit.stores.put(text)
    fixit.post(f'{{"title":"{MARK}","{MARK}":"{MARK}"}}'.encode())
    fixit.post(MARK.encode())
    fixit.get(f"/api/receipts/{MARK}")
    fixit.idle()
    lines = fixit.host.lines()[since:]
    assert len(told(fixit, since)) >= 6
    assert [line for line in lines if MARK in line and "Executing HTTP" not in line] == []
    secrets = (QUICK["FIXIT_RECEIPT_KEYS"], "AccountKey=", "Eby8vdM02xNOcqFlqUwJPLlm")
    assert [line for line in lines if any(secret in line for secret in secrets)] == []


def test_refused_message_says_its_code(fixit: FixIt) -> None:
    since = len(fixit.host.lines())
    fixit.stores.put("not json")
    fixit.idle()
    ((what, fields),) = told(fixit, since)
    assert (what, fields["code"], fields["kind"], fields["task"]) == (
        "message refused",
        "malformed_message",
        "refuse",
        "",
    )


def test_age_counts_from_the_event_though_a_copy_is_new_in_each_line_about_it(fixit: FixIt) -> None:  # OB-03
    since = len(fixit.host.lines())
    fixit.wire.fail(op="insert", target=TASK_TABLE, status=403)
    fixit.wire.fail(op="insert", target=TASK_TABLE, nth=2, status=400, code="InvalidInput")
    fixit.stores.put(submitted("k-1"))  # made a minute before the tests
    fixit.idle()
    lines = told(fixit, since)
    assert [what for what, _ in lines] == ["message deferred", "message failed", "message done"]
    assert all(60 <= fields["ageSeconds"] < 3_600 for _, fields in lines)


def test_outage_costs_a_line_each_try_and_none_shows_a_trace_of_calls(fixit: FixIt) -> None:  # OB-01
    since = len(fixit.host.lines())
    outage = fixit.wire.fail(op="insert", target=TASK_TABLE, times=None, status=403)
    for number in range(5):
        fixit.submit(f"k-{number}")
    outage.wait_hit(hits=15)
    outage.release()
    fixit.idle()
    deferred = [what for what, _ in told(fixit, since) if what == "message deferred"]
    assert len(deferred) == len(outage.hits)
    assert not [line for line in fixit.host.lines()[since:] if "Traceback" in line or "azure/core" in line]
