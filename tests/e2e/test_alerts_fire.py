"""Which alerts fire when: their queries run over lines that the product wrote."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from shared.domain.names import PHOTO_QUEUE, TASK_TABLE
from tests.support.alerts import ALERTS, COMMON, Watched, query
from tests.support.eventually import eventually
from tests.support.fixit_app import INTAKE, FixIt
from tests.support.kql import run
from tests.support.photos import offered, upload
from tests.support.pictures import halves, jpeg
from tests.support.raw_messages import submitted
from tests.support.receiver import reply
from tests.support.stores import TASKS
from tests.support.telling import Telling, telling

DOWN: dict[str, Any] = {"times": None, "status": 403, "code": "AuthorizationFailure"}
BROKEN: dict[str, Any] = {"service": "table", "target": TASK_TABLE, "status": 400, "code": "InvalidInput"}


@pytest.fixture(scope="module")
def running_told() -> Iterator[Telling]:
    with telling(FIXIT_READ_SECONDS="2", FIXIT_PHOTO_WAIT_SECONDS="1") as product:
        yield product


@pytest.fixture
def watched(told: Telling) -> Iterator[Watched]:
    """With nothing in it, and well."""
    yield Watched(told.fixit)
    told.fixit.wire.heal()


def tasks(watched: Watched, count: int) -> None:
    for _ in range(count):
        watched.fixit.submit()
    watched.fixit.idle()


def test_none_fires_while_all_is_well(watched: Watched) -> None:
    for _ in range(11):
        tasks(watched, 2)
        assert watched.get("/api/stats") == 200
        watched.passes(1)
    assert watched.firing() == set()


def test_table_that_is_down_is_told_and_who_waits_for_it(watched: Watched) -> None:
    fixit = watched.fixit
    fixit.wire.fail(service="table", **DOWN)
    fixit.stores.put(submitted("k-1"))  # made a minute before the tests
    task = fixit.submit("k-2")["id"]
    watched.passes(5)
    assert "late" not in watched.firing()  # one window may be a slow task
    for _ in range(5):
        assert watched.get(f"/api/fixits/{task}") == 503
        assert watched.get("/api/health/details") == 503
        watched.passes(1)
    assert watched.firing() == {"late", "blind", "answers-fail"}


def test_messages_that_fail_are_told_and_their_letters_until_somebody_looked(watched: Watched) -> None:
    watched.fixit.wire.fail(op="insert", times=5 * 5, **BROKEN)
    tasks(watched, 5)
    watched.passes(1)
    assert watched.firing() == {"messages-fail", "given-up"}
    watched.fixit.fresh()
    watched.passes(15)
    assert watched.firing() == set()


def test_failures_of_few_messages_are_not_many_however_often_they_are_tried(watched: Watched) -> None:
    for _ in range(4):
        watched.fixit.wire.fail(op="insert", times=4, **BROKEN)
        tasks(watched, 1)
    watched.passes(1)
    assert watched.firing() == set()


def test_poison_message_is_told_before_it_is_a_letter(watched: Watched) -> None:
    with FixIt(functions=(*INTAKE, "report")) as still:  # nobody makes letters
        still.stores.put("not json", f"{TASKS}-poison")
        alone = Watched(still)
        alone.passes(1)
        assert alone.firing() == {"given-up"}


def test_queue_that_nobody_works_on_is_told_and_messages_put_back_are_no_such(watched: Watched) -> None:
    with FixIt(functions=(*INTAKE, "report")) as still:
        alone = Watched(still)
        still.stores.queue(TASKS).send_message(submitted("k-1"), visibility_timeout=600)
        alone.passes(5)
        assert alone.firing() == set()
        still.submit("k-2")
        alone.passes(5)
        assert alone.firing() == {"nobody-works"}


def test_silence_is_told_in_ten_minutes_and_that_tasks_stopped_in_a_day(watched: Watched) -> None:
    tasks(watched, 1)
    watched.passes(5)
    assert watched.firing(after=timedelta(minutes=9)) == set()
    assert watched.firing(after=timedelta(minutes=10)) == {"nobody-reports"}
    assert watched.firing(after=timedelta(hours=25)) == {"nobody-reports", "no-traffic"}
    assert watched.firing(after=timedelta(days=3)) == {"nobody-reports"}


def test_second_app_that_is_silent_is_told(watched: Watched) -> None:
    watched.passes(2)
    assert watched.firing(apps=2) == {"nobody-reports"}
    traces = watched.tables["traces"]
    traces += [{**row, "cloud_RoleName": "func-standby"} for row in traces]
    assert watched.firing(apps=2) == set()


def test_task_that_waits_for_its_upload_is_not_late(watched: Watched) -> None:
    offer = offered(watched.fixit)
    watched.fixit.submit(photoId=offer["photoId"])
    photo_done = re.compile(rf'message done .*"queue": "{PHOTO_QUEUE}".*"ageSeconds": (\d+)')

    def waited() -> bool:
        found = (photo_done.search(line) for line in watched.fixit.host.lines())
        return any(match and int(match[1]) > 2 for match in found)

    eventually(waited, what="a second look for the upload")
    watched.passes(1)
    (late,) = (alert for alert in ALERTS if alert["name"] == "late")
    rows = run(query(late, target=2), watched.tables["traces"], watched.now)
    assert [row["message"] for row in rows if PHOTO_QUEUE in row["message"]] == []
    assert upload(offer, jpeg(halves(8, 8))).status == 201


def queries() -> dict[str, str]:
    """Each query of the alerts and of the workbook, by its name."""
    book = json.loads((COMMON / "workbook.json").read_text("utf-8"))
    shown = {item["name"]: item["content"]["query"] for item in book["items"] if item["type"] == 3}
    return {**{f"alert {each['name']}": query(each) for each in ALERTS}, **shown}


def test_what_the_queries_read_is_what_the_product_writes(watched: Watched, told: Telling) -> None:
    """Every text that a query looks for begins a line, and every member stands in a line that it looks at."""
    fixit = watched.fixit
    told.receiver.behave(reply(503, retry_after="1"), reply())
    fixit.wire.fail(op="insert", target=TASK_TABLE, status=403)
    fixit.wire.fail(op="insert", nth=2, **BROKEN)
    accepted = fixit.submit("k-1", callbackUrl=told.receiver.url())
    fixit.stores.put("not json")
    told.wait_callbacks(accepted["id"], 2)
    fixit.idle()
    fixit.wire.fail(op="get", times=3, **BROKEN)
    fixit.submit(photoId=offered(fixit)["photoId"])
    fixit.host.wait_line("message given up")
    fixit.wire.heal()
    fixit.wire.fail(op="peek", **DOWN)
    watched.passes(1)
    lines = [row["message"] for row in watched.tables["traces"]]
    missing = []
    for name, text in queries().items():
        starts = re.findall(r'message startswith "([^"]+)"', text)
        members = {one or other for one, other in re.findall(r'line\.(\w+)|line\["(\w+)"\]', text)}
        read = [line for line in lines if line.startswith(tuple(starts))]
        missing += [f"{name}: {start}" for start in starts if not any(line.startswith(start) for line in lines)]
        missing += [f"{name}: {member}" for member in members if not any(f'"{member}": ' in line for line in read)]
    assert missing == []
