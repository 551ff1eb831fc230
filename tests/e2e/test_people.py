"""The directory over HTTP, and the tool that fills it."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from shared.domain.names import PEOPLE_TABLE
from tests.e2e.test_http_bodies import check_problem
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import JSON
from tests.support.web_client import Answer
from tools.people import main

ANN = {"person": "t:o", "name": "Ann Ö", "email": "ann@example.com", "phone": "+4930123456"}
UNKNOWN = {"name": "", "email": "", "phone": ""}


def path(person: str) -> str:
    return f"/api/people/{quote(person, safe='')}"


def put(fixit: FixIt, person: str, /, **fields: object) -> Answer:
    return fixit.request("PUT", path(person), json.dumps(fields).encode(), JSON)


def test_entry_is_written_read_changed_and_removed(fixit: FixIt) -> None:
    check_problem(fixit.get(path("t:o")), 404, "unknown_person")
    for fields in (ANN, {"name": "Ann"}, {"person": "t:o"}):
        answer = put(fixit, "t:o", **fields)
        assert (answer.status, answer.json) == (200, {**UNKNOWN, "person": "t:o", **fields})
        assert fixit.get(path("t:o")).json == answer.json
    for _ in range(2):
        removed = fixit.request("DELETE", path("t:o"))
        assert (removed.status, removed.body) == (204, b"")
    check_problem(fixit.get(path("t:o")), 404, "unknown_person")


def test_entry_is_one_row_whose_key_holds_no_name(fixit: FixIt) -> None:
    put(fixit, "t:o", **ANN)
    fixit.wire.clear()
    put(fixit, "t:o", **ANN)
    assert [(each.op, each.target) for each in fixit.wire.of(service="table")] == [("replace", PEOPLE_TABLE)]
    (row,) = fixit.stores.people()
    assert row == {"PartitionKey": "person", "RowKey": row["RowKey"], **ANN}
    assert "t:o" not in row["RowKey"] and len(row["RowKey"]) == 64


@pytest.mark.parametrize(
    "person", ["Ann Ö", "ann@example.com", "a?b#c&d=e+f", " a ", "...", "a:b:c", "'; --", "A" * 80]
)
def test_person_may_be_any_line_and_is_compared_exactly(fixit: FixIt, person: str) -> None:
    assert put(fixit, person).json["person"] == person
    assert fixit.get(path(person)).json["person"] == person
    for other in (person.swapcase(), f"{person[:-1]}x"):
        if other != person:
            check_problem(fixit.get(path(other)), 404, "unknown_person")
    assert fixit.request("DELETE", path(person)).status == 204
    check_problem(fixit.get(path(person)), 404, "unknown_person")


@pytest.mark.parametrize("person", ["a%2Fb", "a%252Fb", "a%5Cb", "%25", "%0A", "%20%20", "A" * 81])
def test_person_that_cannot_stand_in_an_address_is_refused(fixit: FixIt, person: str) -> None:
    for method, body in (("GET", None), ("DELETE", None), ("PUT", b"{}")):
        answer = fixit.request(method, f"/api/people/{person}", body, JSON)
        (error,) = check_problem(answer, 400, "invalid_person")["errors"]
        assert error["field"] == "person"
    assert fixit.wire.of(target=PEOPLE_TABLE) == []


def test_slash_leads_to_no_route(fixit: FixIt) -> None:
    check_problem(fixit.get("/api/people/a/b"), 404, "unknown_route")
    check_problem(fixit.get("/api/people/"), 404, "unknown_route")


def test_entry_that_is_wrong_is_refused_by_name_and_nothing_is_written(fixit: FixIt) -> None:
    problem = check_problem(put(fixit, "t:o", person="x", email="no", phone="1", age=7), 400, "invalid_person")
    assert [error["field"] for error in problem["errors"]] == ["email", "phone", "age", "person"]
    check_problem(fixit.request("PUT", path("t:o"), b"", JSON), 400, "empty_body")
    assert fixit.stores.people() == []


def test_phone_number_is_kept_as_digits(fixit: FixIt) -> None:  # NT-08
    assert put(fixit, "t:o", phone="+61 491 570 006").json["phone"] == "+61491570006"
    assert [row["phone"] for row in fixit.stores.people()] == ["+61491570006"]
    for phone in ("0491 570 006", "+", "555-555-5555", "\u0660\u0664\u0669\u0661"):
        (error,) = check_problem(put(fixit, "t:o", phone=phone), 400, "invalid_person")["errors"]
        assert error["field"] == "phone" and "+4930123456" in error["message"]
    assert fixit.get(path("t:o")).json["phone"] == "+61491570006"


def test_directory_that_cannot_be_read_is_a_503(fixit: FixIt) -> None:
    fixit.wire.down("table")
    check_problem(fixit.get(path("a")), 503, "dependency_down")


def test_write_that_is_not_acknowledged_may_have_landed_and_says_so(fixit: FixIt) -> None:
    fixit.wire.fail(target=PEOPLE_TABLE, times=None, after=True, cut=True)
    for method, left in (("PUT", ["a"]), ("DELETE", [])):
        answer = fixit.request(method, path("a"), b"{}" if method == "PUT" else None, JSON)
        problem = check_problem(answer, 503, "not_known_written")
        assert "again" in problem["detail"] and "nothing" not in problem["detail"] and "id" not in problem
        assert int(answer.headers["retry-after"]) > 0
        assert [row["person"] for row in fixit.stores.people()] == left
    fixit.wire.heal()
    fixit.wire.down("table")
    for answer in (put(fixit, "a"), fixit.request("DELETE", path("a"))):
        check_problem(answer, 503, "not_known_written")


@pytest.fixture(scope="module")
def locked() -> Iterator[FixIt]:
    """The app, asking for keys as the platform does."""
    with FixIt(
        settings={"DEVHOST_MASTER_KEY": "m" * 32, "DEVHOST_FUNCTION_KEY": "f" * 32}, options=["--keys"]
    ) as running:
        yield running


def test_file_is_put_as_often_as_one_likes(
    locked: FixIt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "people.csv"
    file.write_text(
        "\ufeffperson,name,email,phone\nt:o,Ann Ö,ann@example.com,+4930123456\nA?b +,,,\n", encoding="utf-8"
    )
    words = ["import", str(file), "--url", f"{locked.url}/"]
    assert main(words) == 1
    told = capsys.readouterr()
    assert "0 put, 1 failed, 1 not sent" in told.out and "FIXIT_ADMIN_KEY (with sign-in FIXIT_TOKEN) is m" in told.out
    monkeypatch.setenv("FIXIT_ADMIN_KEY", "m" * 32)
    for _ in range(2):
        assert main([*words, "--json"]) == 0
        told = capsys.readouterr()
        assert json.loads(told.out) == {"put": 2, "failed": 0, "notSent": 0, "failures": []}
        assert told.err == "2 of 2 tried, 0 failed\n"
        assert {row["person"] for row in locked.stores.people()} == {"t:o", "A?b +"}


def test_file_that_is_wrong_is_refused_before_anything_is_sent(
    fixit: FixIt, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "people.jsonl"
    file.write_text('{"person": "ann"}\n{"person": "bob", "email": "' + "x" * 300 + '"}\n', encoding="utf-8")
    assert main(["import", str(file), "--url", fixit.url]) == 2
    told = capsys.readouterr()
    assert "line 2: email must be" in told.err and told.out == ""
    assert max(map(len, told.err.splitlines())) <= 100
    assert fixit.stores.people() == []


def test_who_could_not_be_put_is_named(fixit: FixIt, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "people.csv"
    file.write_text("person\nann\nbob\n", encoding="utf-8")
    fixit.wire.fail(service="table", target=PEOPLE_TABLE, status=400, code="InvalidInput")
    assert main(["import", str(file), "--url", fixit.url]) == 1
    told = capsys.readouterr()
    assert "line 2, ann: 500 internal_error" in told.out and "1 put, 1 failed" in told.out
    assert max(map(len, told.out.splitlines())) <= 100
    assert [row["person"] for row in fixit.stores.people()] == ["bob"]
    assert main(["import", str(file), "--url", "http://127.0.0.1:1"]) == 1
    assert "ConnectionRefusedError" in capsys.readouterr().out
