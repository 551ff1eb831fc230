"""Who may ask about dead letters, and what is not exactly right in a question is refused by name."""

import json
import re
import shlex
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.e2e.test_http_bodies import check_problem
from tests.support.dead_letters import PATH, order
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import JSON
from tools.dev.paths import ROOT

ID = "fixits~0f5b3a52-7f0f-5a3e-9a51-0c6c1f0e7d11"
TASK = "0f5b3a52-7f0f-5a3e-9a51-0c6c1f0e7d11"

WRONG_QUERIES: list[tuple[dict[str, str], str]] = [
    ({"limit": "0"}, "limit"),
    ({"limit": "101"}, "limit"),
    ({"limit": "ten"}, "limit"),
    ({"limit": "١"}, "limit"),
    ({"state": "closed"}, "state"),
    ({"queue": "Fixits"}, "queue"),
    ({"queue": "a' or PartitionKey gt '"}, "queue"),
    ({"class": "x' or '1' eq '1"}, "class"),
    ({"step": "@state"}, "step"),
    ({"task": "1"}, "task"),
    ({"seenBefore": "yesterday"}, "seenBefore"),
    ({"seenAfter": "2026-11-30T12:00:00"}, "seenAfter"),
    ({"cause": "x" * 2_001}, "cause"),
    ({"group": "queue"}, "group"),
    ({"klass": "given_up"}, "klass"),
    ({"cursor": "x\n"}, "cursor"),
]


@pytest.mark.parametrize(("query", "name"), WRONG_QUERIES)
def test_wrong_query_is_refused_by_name(running_fixit: FixIt, query: dict[str, str], name: str) -> None:
    problem = check_problem(running_fixit.get(f"{PATH}?{urlencode(query)}"), 400, "invalid_parameter")
    assert [error["field"] for error in problem["errors"]] == [name]


def test_every_wrong_parameter_is_named_at_once(running_fixit: FixIt) -> None:
    answer = running_fixit.get(f"{PATH}?limit=0&state=x&colour=red")
    assert {error["field"] for error in answer.json["errors"]} == {"limit", "state", "colour"}


@pytest.mark.parametrize("cursor", ["c1.x.y", "x", "c1.WyIiLCIiXQ.AAAA", "..."])
def test_cursor_that_nobody_signed_is_refused(running_fixit: FixIt, cursor: str) -> None:
    for group in ("none", "cause"):
        check_problem(running_fixit.get(f"{PATH}?group={group}&cursor={cursor}"), 400, "invalid_cursor")
    answer = order(running_fixit, "redrive", filter={}, cursor=cursor)
    check_problem(answer, 400, "invalid_cursor")


WRONG_ORDERS: list[tuple[dict[str, Any], str]] = [
    ({}, "ids"),
    ({"ids": []}, "ids"),
    ({"ids": ID}, "ids"),
    ({"ids": [1]}, "ids"),
    ({"ids": [ID] * 101}, "ids"),
    ({"ids": [ID], "filter": {}}, "ids"),
    ({"filter": []}, "filter"),
    ({"filter": {"state": "redriven"}}, "filter"),
    ({"filter": {"state": 1}}, "state"),
    ({"filter": {"colour": "red"}}, "colour"),
    ({"filter": {"limit": 5}}, "limit"),
    ({"ids": [ID], "dryRun": "yes"}, "dryRun"),
    ({"ids": [ID], "maxPerSecond": 0}, "maxPerSecond"),
    ({"ids": [ID], "maxPerSecond": True}, "maxPerSecond"),
    ({"ids": [ID], "seenBefore": 5}, "seenBefore"),
    ({"ids": [ID], "by": "x" * 81}, "by"),
    ({"ids": [ID], "by": "a\nb"}, "by"),
    ({"ids": [ID], "cursor": 5}, "cursor"),
    ({"ids": [ID], "limit": 5}, "limit"),
]


@pytest.mark.parametrize("action", ["redrive", "discard"])
@pytest.mark.parametrize(("body", "name"), WRONG_ORDERS)
def test_wrong_order_is_refused_by_name(running_fixit: FixIt, action: str, body: dict[str, Any], name: str) -> None:
    more = {"reason": "no use"} if action == "discard" else {}
    problem = check_problem(order(running_fixit, action, **body, **more), 400, "invalid_parameter")
    assert [error["field"] for error in problem["errors"]] == [name]


def test_discard_needs_a_reason_and_a_redrive_takes_none(running_fixit: FixIt) -> None:
    for reason in ("", "x" * 201, None, 5, "a\nb"):
        answer = order(running_fixit, "discard", ids=[ID], reason=reason)
        assert "reason" in {error["field"] for error in check_problem(answer, 400, "invalid_parameter")["errors"]}
    check_problem(order(running_fixit, "redrive", ids=[ID], reason="why not"), 400, "invalid_parameter")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"ids":["a"],"ids":["b"]}'])
def test_body_that_is_no_object_is_refused(running_fixit: FixIt, body: bytes) -> None:
    answer = running_fixit.request("POST", f"{PATH}/redrive", body, JSON)
    check_problem(answer, 400, "malformed_json" if body else "empty_body")


def test_only_the_admin_key_opens_dead_letters_and_a_function_key_a_retry() -> None:
    keys = {"DEVHOST_FUNCTION_KEY": "f" * 32, "DEVHOST_MASTER_KEY": "m" * 32}
    with FixIt(settings=keys, options=["--keys"]) as locked:
        body = json.dumps({"ids": [ID], "reason": "no use"}).encode()
        asked = [("GET", PATH), ("GET", f"{PATH}/{ID}"), ("POST", f"{PATH}/redrive"), ("POST", f"{PATH}/discard")]
        for method, path in asked:
            sent = (method, path, body if method == "POST" else None)
            for key in ("", "wrong", "f" * 32):
                answer = locked.request(*sent, {**JSON, "x-functions-key": key})
                assert (answer.status, answer.body) == (401, b""), (method, path, key)
            assert locked.request(*sent, {**JSON, "x-functions-key": "m" * 32}).status in (200, 400, 404)
        assert locked.get(f"{PATH}?code={'m' * 32}&clientId=ops").status == 200
        retry = f"/api/fixits/{TASK}/retry"
        assert locked.request("POST", retry, headers={"x-functions-key": "f" * 32}).status == 404
        assert locked.request("POST", retry).status == 401


def test_calls_of_the_readme_are_understood(running_fixit: FixIt) -> None:
    chapter = (ROOT / "README.md").read_text("utf-8").partition("## When something fails")[2].partition("\n## ")[0]
    commands = [shlex.split(each) for each in re.findall(r"^curl .*", chapter.replace("\\\n", " "), re.MULTILINE)]
    for words in commands:
        path = words[1].removeprefix("http://localhost:7071")
        body = words[words.index("-d") + 1].encode() if "-d" in words else None
        answer = running_fixit.request("POST" if body else "GET", path.replace("…", "x"), body, JSON if body else {})
        assert answer.status == (404 if "~" in path else 200), words
    assert len(commands) == 6


@pytest.mark.parametrize("action", ["redrive", "discard"])
def test_order_of_too_many_bytes_is_refused_as_a_body(running_fixit: FixIt, action: str) -> None:
    answer = running_fixit.request("POST", f"{PATH}/{action}", b" " * 300_000 + b"{}", JSON)
    problem = check_problem(answer, 413, "body_too_large")
    assert (problem["title"], "262,144" in problem["detail"]) == ("The body is too large", True)
