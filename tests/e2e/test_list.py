"""What a client sees of many tasks: whose he asks for, the newest first, page by page, and nothing that is not true."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from shared.domain import identity, instants
from shared.domain.names import INDEX_TABLE, TASK_TABLE
from shared.storage.pointers import newest_first
from shared.storage.tasks import day_list, person_list
from tests.e2e.test_http_bodies import check_problem
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import event, submitted
from tests.support.task_lists import PATH, every_page, look, titles

NOW = datetime.now(UTC)


def put(fixit: FixIt, title: str, *, days: float = 0, number: int = 0, **fields: Any) -> str:
    """A task that was submitted so many days ago, its message as another producer puts it; its id."""
    task_id = identity.task_id(identity.KEY_CALLER, title)
    at = NOW - timedelta(days=days, seconds=number)
    data = {"title": title, **fields}
    event_id = identity.submitted_event_id(task_id, title)
    fixit.stores.put(event(id=event_id, subject=task_id, time=instants.to_text(at), data=data))
    return task_id


@pytest.fixture(scope="module")
def full(running_fixit: FixIt) -> FixIt:
    """A product with twelve tasks of ann's and bob's over nine days, one of them to come; nobody changes them."""
    running_fixit.fresh()
    for number in range(6):
        put(running_fixit, f"a{number}", number=number, owner="ann", createdBy="cem")
    for number in range(3):
        put(running_fixit, f"b{number}", days=2, number=number, owner="bob", createdBy="cem")
    put(running_fixit, "late", days=8, owner="ann", createdBy="bob")  # too late to be done: it fails
    put(running_fixit, "nobody's", days=5)
    put(running_fixit, "tomorrow's", days=-1.5, owner="bob")
    running_fixit.idle()
    running_fixit.request("DELETE", f"{PATH}/{identity.task_id(identity.KEY_CALLER, 'a3')}")
    running_fixit.idle()
    return running_fixit


ALL = ["tomorrow's", "a0", "a1", "a2", "a3", "a4", "a5", "b0", "b1", "b2", "nobody's", "late"]
LISTS: list[tuple[dict[str, str], list[str]]] = [
    ({}, ALL),
    ({"owner": "ann"}, ["a0", "a1", "a2", "a3", "a4", "a5", "late"]),
    ({"createdBy": "cem"}, ALL[1:10]),
    ({"owner": "bob", "createdBy": "cem"}, ["b0", "b1", "b2"]),
    ({"owner": "ann", "createdBy": "bob"}, ["late"]),
    ({"owner": "bob", "createdBy": "bob"}, []),
    ({"state": "failed"}, ["late"]),
    ({"state": "cancelled"}, ["a3"]),
    ({"state": "queued"}, []),
    ({"owner": "ann", "state": "succeeded"}, ["a0", "a1", "a2", "a4", "a5"]),
    ({"createdBy": "bob", "state": "succeeded"}, []),
    ({"owner": "dora"}, []),
]


@pytest.mark.parametrize("limit", [1, 2, 5, 100])
@pytest.mark.parametrize(("query", "expected"), LISTS)
def test_list_shows_each_task_once_the_newest_first(
    full: FixIt, query: dict[str, str], expected: list[str], limit: int
) -> None:
    pages = every_page(full, limit=limit, **query)
    assert [task["title"] for page in pages for task in page] == expected
    assert all(len(page) <= limit for page in pages)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("owner=", "owner"),
        ("owner=ann&state=", "state"),
        ("owner=ann&owner=bob", "owner"),
        ("Limit=5&limit=5", "limit"),
    ],
)
def test_parameter_that_is_empty_or_given_twice_is_refused_by_name(full: FixIt, query: str, field: str) -> None:
    answer = full.get(f"{PATH}?{query}")
    check_problem(answer, 400, "invalid_parameter")
    assert field in [error["field"] for error in answer.json["errors"]]


def test_task_of_a_list_is_what_its_own_address_shows(full: FixIt) -> None:
    for task in look(full)["tasks"]:
        answer = full.get(f"{PATH}/{task['id']}")
        assert {**answer.json, "etag": answer.headers["etag"]} == task


def test_page_is_one_query_and_one_read_for_each_row(full: FixIt) -> None:
    for query, expected in (({"owner": "ann"}, 7), ({"owner": "ann", "limit": "3"}, 3)):
        full.wire.clear()
        assert len(look(full, **query)["tasks"]) == expected
        table = [each for each in full.wire.requests if each.service == "table"]
        queries = [each for each in table if each.op == "query"]
        assert [each.target for each in queries] == [INDEX_TABLE]
        assert queries[0].query["$top"] == query.get("limit", "50")
        assert len(full.wire.of(service="table", op="get", target=TASK_TABLE)) == expected == len(table) - 1


def test_rows_of_a_page_are_read_eight_at_a_time(full: FixIt) -> None:
    full.wire.clear()
    held = full.wire.hold(service="table", op="get", times=None)
    check_problem(full.get(f"{PATH}?createdBy=cem"), 503, "dependency_down")  # FIXIT_READ_SECONDS
    assert len(held.hits) == 8
    held.release()


def test_outage_is_a_503_and_one_in_mid_list_a_cursor(full: FixIt) -> None:
    full.wire.down("table")
    for query in ("", "?owner=ann"):
        problem = full.get(PATH + query)
        check_problem(problem, 503, "dependency_down")
        assert problem.headers["retry-after"]
    full.wire.heal()
    full.wire.hold(service="table", op="get", nth=9, times=None)
    page = look(full, createdBy="cem")
    assert [task["title"] for task in page["tasks"]] == ALL[1:9]
    full.wire.heal()
    rest = look(full, createdBy="cem", cursor=page["cursor"])
    assert ([task["title"] for task in rest["tasks"]], rest["cursor"]) == (ALL[9:10], None)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_list_is_answered_with_and_without_a_body(full: FixIt, method: str) -> None:
    answer = full.request(method, PATH)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert bool(answer.body) is (method == "GET")


WRONG: list[tuple[dict[str, str], str]] = [
    ({"limit": "0"}, "limit"),
    ({"limit": "101"}, "limit"),
    ({"limit": "-1"}, "limit"),
    ({"limit": "1.5"}, "limit"),
    ({"limit": "٣"}, "limit"),
    ({"limit": "9" * 5_000}, "limit"),
    ({"state": "done"}, "state"),
    ({"state": "Failed"}, "state"),
    ({"owner": "x" * 81}, "owner"),
    ({"owner": "a\nb"}, "owner"),
    ({"owner": "a\x00b"}, "owner"),
    ({"createdBy": "\u2028"}, "createdBy"),
    ({"created_by": "ann"}, "created_by"),
    ({"Owner": "ann"}, "Owner"),
    ({"min_size": "5000000000"}, "min_size"),  # TQ-05
    ({"$filter": "PartitionKey ne ''"}, "$filter"),
    ({"cursor": "a\r\nb"}, "cursor"),
    ({"cursor": "c1." + "x" * 2_000}, "cursor"),
]


@pytest.mark.parametrize(("query", "name"), WRONG)
def test_wrong_query_is_refused_by_name(full: FixIt, query: dict[str, str], name: str) -> None:
    problem = check_problem(full.get(f"{PATH}?{urlencode(query)}"), 400, "invalid_parameter")
    assert [error["field"] for error in problem["errors"]] == [name]


def test_cursor_is_good_for_its_own_list_alone(full: FixIt) -> None:
    cursor = look(full, owner="ann", limit=2)["cursor"]
    assert len(look(full, owner="ann", limit=3, cursor=cursor)["tasks"]) == 3
    others: list[dict[str, str]] = [{}, {"owner": "bob"}, {"createdBy": "ann"}, {"owner": "ann", "state": "failed"}]
    wrong = [
        cursor[:-1],
        cursor[1:],
        cursor.replace(".", ""),
        cursor + "A",
        cursor.swapcase(),
        "c1..",
        "…",
        "x" * 2_000,
    ]
    letters = full.get("/api/deadletters?limit=1").json["cursor"] or "c1.WyJmaXhpdHMiLCIiXQ.AAAA"
    asked = [({"owner": "ann"}, each) for each in (*wrong, letters)] + [(each, cursor) for each in others]
    for query, given in asked:
        answer = full.get(f"{PATH}?{urlencode({**query, 'cursor': given})}")
        check_problem(answer, 400, "invalid_cursor")


NAMES = {
    "slash and hash": "facilities/building #2?",  # TK-01
    "backslash": "C:\\shed\\..\\x",  # TK-01
    "apostrophe": "O'Brien",  # TK-03
    "operators": "x' or owner ne 'y",  # TQ-01
    "a closed filter": "') or (PartitionKey ge '",  # TQ-01
    "a parameter": "@list",
    "percent": "100 %41 %2F %00 %",
    "quotes": '"ann" \u201cand\u201d \u2018bob\u2019',
    "plus and ampersand": "a+b & c=d; e",
    "emoji": "\U0001f469\u200d\U0001f527 \U0001f1f9\U0001f1f7",
    "right to left": "\u202eمحمد\u202c עברית",
    "combining marks": "Z\u0351\u036b\u0343a\u0321\u030fl\u0334g\u0489o",
    "80 characters": "\U0001f600" * 80,
    "blanks inside": "ann  b\u00a0c",
    "a digest": person_list("owner", "ann"),
    "a day": "all:2026-11-30",
}


def test_tasks_of_any_name_are_found_and_nobody_elses(fixit: FixIt) -> None:
    tasks = {name: fixit.submit(owner=person, createdBy=person) for name, person in NAMES.items()}
    fixit.submit(owner="ann", createdBy="ann")
    fixit.idle()
    for name, person in NAMES.items():
        for query in ({"owner": person}, {"createdBy": person}, {"owner": person, "createdBy": person}):
            (found,) = look(fixit, **query)["tasks"]
            assert (found["id"], found["owner"], found["createdBy"]) == (tasks[name]["id"], person, person), name
        assert titles(fixit, owner=person[:-1] + "\u00e9") == []


def test_names_that_differ_in_case_blanks_or_unicode_form_are_one_person(fixit: FixIt) -> None:  # TK-05
    names = ["Jos\u00e9", "jos\u00e9 ", "JOS\u00c9", "Jose\u0301"]
    for name in names:
        fixit.submit(owner=name)
    fixit.submit(owner="Jose")
    fixit.idle()
    for name in names:
        assert sorted(task["owner"] for task in look(fixit, owner=name)["tasks"]) == sorted(names)
    assert len(look(fixit, owner="jose")["tasks"]) == 1


def test_all_that_is_done_over_http_works_for_a_name_with_an_apostrophe(fixit: FixIt) -> None:  # TK-03
    task = fixit.submit(title="Gate", owner="O'Brien")
    fixit.idle()
    assert fixit.get(task["links"]["task"]).json["owner"] == "O'Brien"
    assert fixit.request("DELETE", task["links"]["task"]).json["state"] == "cancelled"
    (found,) = look(fixit, owner="o'brien")["tasks"]
    assert (found["id"], found["state"]) == (task["id"], "cancelled")


def test_pointer_that_no_row_bears_out_shows_nothing(fixit: FixIt) -> None:
    fixit.submit(key="k-1", title="true", owner="ann")
    fixit.idle()
    task_id, ann, today = identity.task_id(identity.KEY_CALLER, "k-1"), person_list("owner", "ann"), day_list(NOW)
    fixit.request("DELETE", f"{PATH}/{identity.task_id(identity.KEY_CALLER, 'k-2')}")  # a tombstone
    fixit.idle()
    for stray in (
        newest_first(NOW - timedelta(hours=1), task_id),  # at another time
        newest_first(NOW, identity.task_id(identity.KEY_CALLER, "k-2")),
        newest_first(NOW, identity.task_id(identity.KEY_CALLER, "k-3")),  # no row
        "not a key",
        "0" * 18 + "-../../etc",
    ):
        for name in (ann, today, person_list("owner", "bob"), day_list(NOW - timedelta(days=3)), "all:x"):
            fixit.stores.put_row(INDEX_TABLE, {"PartitionKey": name, "RowKey": stray.replace("/", "|")})
    (key,) = {
        key for _, key in fixit.stores.pointers(task_id) if key != newest_first(NOW - timedelta(hours=1), task_id)
    }
    for name in (person_list("owner", "bob"), day_list(NOW - timedelta(days=3))):
        fixit.stores.put_row(INDEX_TABLE, {"PartitionKey": name, "RowKey": key})
    assert titles(fixit, owner="ann", limit=1) == titles(fixit, owner="ann") == ["true"]
    assert titles(fixit) == titles(fixit, limit=1) == ["true"]
    assert titles(fixit, owner="bob") == []


def test_list_follows_the_row_when_its_owner_changes(fixit: FixIt) -> None:
    fixit.submit(key="k-1", owner="ann", createdBy="cem")
    fixit.idle()
    task_id = identity.task_id(identity.KEY_CALLER, "k-1")
    (key,) = {key for _, key in fixit.stores.pointers(task_id)}
    fixit.stores.change_task(task_id, owner="bob")
    fixit.stores.put_row(INDEX_TABLE, {"PartitionKey": person_list("owner", "bob"), "RowKey": key})
    assert titles(fixit, owner="ann") == titles(fixit, owner="ann", createdBy="cem") == []
    assert len(titles(fixit, createdBy="cem")) == len(titles(fixit, createdBy="cem", owner="bob")) == 1


DAMAGES: dict[str, dict[str, Any]] = {
    "a number for a person": {"owner": 5},
    "an unknown state": {"state": "lost"},
    "steps that are none": {"steps": '{"a":1}'},
    "steps without end": {"steps": "[" * 30_000},
    "no instant": {"submittedAt": "yesterday"},
    "an instant of no year": {"submittedAt": "0001-01-01T00:00:00.000000+14:00"},
    "a step of no year": {"steps": json.dumps([{"step": "record", "at": "9999-12-31T23:59:59-14:00", "attempt": 1}])},
    "a counter as a text": {"redrives": "1"},
}


def test_damaged_rows_are_left_out_and_told(fixit: FixIt) -> None:
    for key in ("first", *DAMAGES, "last"):
        fixit.stores.put(submitted(key, title=key, owner="ann"))
    fixit.idle()
    seen = len(fixit.host.lines())
    for damage, columns in DAMAGES.items():
        fixit.stores.change_task(identity.task_id(identity.KEY_CALLER, damage), **columns)
    assert sorted(titles(fixit, owner="ann")) == sorted(titles(fixit)) == ["first", "last"]
    told = [line for line in fixit.host.lines()[seen:] if "left out of a list" in line]
    for damage in DAMAGES:
        assert sum(identity.task_id(identity.KEY_CALLER, damage) in line for line in told) == 2, damage
    assert not [line for line in told if '"ann"' in line]
