"""Whatever a body is, a client hears what is wrong with it, nothing is queued, and the app lives on."""

import gzip
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from shared.domain.names import TASK_QUEUE
from tests.support.fixit_app import FixIt
from tests.support.web_client import Answer, HeaderValue


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A request that must be refused: with which code, and naming what."""

    body: bytes
    status: int = 400
    code: str = "malformed_json"
    names: str = ""
    headers: dict[str, HeaderValue] = field(default_factory=dict)


def obj(**fields: Any) -> bytes:
    return json.dumps({"title": "t", **fields}).encode()


def typed(content_type: str | bytes, body: bytes = b'{"title":"t"}') -> Refused:
    return Refused(
        body=body, status=415, code="unsupported_media_type", names="Send", headers={"Content-Type": content_type}
    )


def invalid(body: bytes, names: str) -> Refused:
    return Refused(body=body, code="invalid_task", names=names)


REFUSED: dict[str, Refused] = {
    # HJ-01: JSON that is not an object
    "empty": Refused(body=b"", code="empty_body", names="body"),
    "blanks": Refused(body=b"   ", names="body"),
    "null": Refused(body=b"null", names="object"),
    "array": Refused(body=b"[]", names="object"),
    "text": Refused(body=b'"x"', names="object"),
    "number": Refused(body=b"5", names="object"),
    "true": Refused(body=b"true", names="object"),
    "array of tasks": Refused(body=b'[{"title":"t"}]', names="object"),
    # HJ-03: numbers that JSON does not have
    "NaN": Refused(body=b'{"title":"t","owner":"ann","lat":NaN}', names="NaN"),
    "-Infinity": Refused(body=b'{"title":"t","owner":"ann","lat":-Infinity}', names="Infinity"),
    "1e999": Refused(body=b'{"title":"t","owner":"ann","lat":1e999}', names="1e999"),
    "-1e999 as title": Refused(body=b'{"title":-1e999}', names="out of range"),
    "5,000 digits": Refused(body=b'{"title":' + b"9" * 5_000 + b"}", names="out of range"),
    # HJ-05: deep nesting
    "20,000 arrays": Refused(body=b"[" * 20_000 + b"]" * 20_000, names="nested"),
    "20,000 objects": Refused(body=b'{"a":' * 20_000 + b"1" + b"}" * 20_000, names="nested"),
    "20,000 open arrays": Refused(body=b"[" * 20_000),
    "nested title": invalid(b'{"title":' + b"[" * 5_000 + b"]" * 5_000 + b"}", "title"),
    # HJ-07: repeated keys
    "title twice": Refused(body=b'{"title":"Safe","owner":"ann","title":"Other"}', names="title"),
    "title twice, once escaped": Refused(body=b'{"title":"Safe","\\u0074itle":"Other"}', names="title"),
    "inner key twice": Refused(body=b'{"title":"t","owner":{"a":1,"a":2}}', names="'a'"),
    # HJ-09: charset games
    "latin-1": typed("application/json; charset=iso-8859-1", b'{"title":"caf\xe9","owner":"ann"}'),
    "utf-16": typed("application/json; charset=utf-16", '{"title":"t"}'.encode("utf-16")),
    "utf-16 unannounced": Refused(body=b"\xff\xfe{\x00\x22\x00", names="UTF-8"),
    "utf-7": typed("application/json; charset=utf-7"),
    "no such charset": typed("application/json; charset=klingon"),
    "charset twice encoded": typed("application/json; charset*=utf-16''utf-8"),
    # HJ-10: wrong type, trailing text
    "form": typed("application/x-www-form-urlencoded", b"title=t"),
    "text/plain": typed("text/plain"),
    "no type": typed(""),
    "half a type": typed("application"),
    "a type that is no ASCII": typed("application/jsön".encode()),
    "JSON of another kind": typed("application/vnd.api+json"),
    "two objects": Refused(body=b'{"title":"t","owner":"ann"}{"title":"u"}', names="column"),
    "comment": Refused(body=b'{"title":"t","owner":"ann"} // note', names="column"),
    "single quotes": Refused(body=b"{'title':'t'}", names="column"),
    "trailing comma": Refused(body=b'{"title":"t",}'),
    "half an object": Refused(body=b'{"title":"t"'),
    "line end in a text": Refused(body=b'{"title":"a\nb"}'),
    "NUL behind": Refused(body=b'{"title":"t"}\x00'),
    # HJ-11: broken UTF-8
    "lone byte": Refused(body=b'{"title":"caf\xe9"}', names="UTF-8"),
    "overlong slash": Refused(body=b'{"title":"\xc0\xaf"}', names="UTF-8"),
    "encoded surrogate": Refused(body=b'{"title":"\xed\xa0\x80"}', names="UTF-8"),
    "above Unicode": Refused(body=b'{"title":"\xf4\x90\x80\x80"}', names="UTF-8"),
    "cut in a character": Refused(body=b'{"title":"t"}\xc3', names="UTF-8"),
    "compressed": Refused(body=gzip.compress(b'{"title":"t"}'), names="UTF-8"),
    # Fields: their kinds and limits
    "no title": invalid(b"{}", "title"),
    "title null": invalid(b'{"title":null}', "title"),
    "title empty": invalid(obj(title=""), "title"),
    "title of blanks": invalid(obj(title="  \u00a0 "), "title"),
    "title of 81": invalid(obj(title="x" * 81), "title"),
    "title a number": invalid(obj(title=5), "title"),
    "title of two lines": invalid(obj(title="a\nb"), "title"),
    "title with half a character": invalid(b'{"title":"\\ud83d"}', "title"),
    "notes of 16,001": invalid(obj(notes="x" * 16_001), "notes"),
    "notes of 40 KiB and more": invalid(obj(notes="\u20ac" * 14_000), "notes"),
    "notes for a large property": invalid(obj(notes="x" * 32_769), "notes"),  # TV-01
    "notes for no message": invalid(obj(notes="x" * 49_200), "notes"),  # QS-01
    "notes with an escape": invalid(obj(notes="\x1b[0m"), "notes"),
    "control characters": invalid(b'{"title":"pump\\u000b room","notes":"end\\uffff"}', "title"),  # QS-03
    "non-character": invalid(b'{"title":"pump room","notes":"end\\uffff"}', "notes"),  # QS-03
    "owner a list": invalid(obj(owner=["ann"]), "owner"),
    "owner of 81": invalid(obj(owner="x" * 81), "owner"),
    "createdBy an object": invalid(obj(createdBy={}), "createdBy"),
    "contact of 10,000": invalid(obj(contact="a@" + "b" * 10_000), "contact"),
    "contact of 255": invalid(obj(contact="a@" + "b" * 253), "contact"),
    "contact without at": invalid(obj(contact="ann"), "contact"),
    "contact with a header": invalid(obj(contact="a@b.c\r\nBcc: d@e.f"), "contact"),
    "callback over http": invalid(obj(callbackUrl="http://example.com/"), "callbackUrl"),
    "callback with a user": invalid(obj(callbackUrl="https://ann:pw@example.com/"), "callbackUrl"),
    "callback of 2,001": invalid(obj(callbackUrl="https://example.com/" + "x" * 1_981), "callbackUrl"),
    "reply to anywhere": invalid(obj(replyTo="somebody-elses"), "replyTo"),
    "correlation with blanks": invalid(obj(correlationId="a b"), "correlationId"),
    "priority unknown": invalid(obj(priority="urgent"), "priority"),
    "priority a number": invalid(obj(priority=1), "priority"),
    "isDone a text": invalid(obj(isDone="true"), "isDone"),
    "isDone a number": invalid(obj(isDone=1), "isDone"),
    "integer over 31 bits": invalid(obj(photo={"name": "p.jpg", "size": 3_000_000_000}), "photo"),  # TV-03
    "integer of 31 bits": invalid(obj(photo={"name": "p.jpg", "size": 2_147_483_647}), "photo"),  # TV-03
    "due with an offset": invalid(obj(due="2026-03-29T02:30:00.123456+05:30"), "due"),  # TV-07
    "due without one": invalid(obj(due="2026-03-29T02:30:00"), "due"),  # TV-07
    "free-form names": invalid(obj(extra={"GPS Latitude": "1", "1abc": "x"}), "extra"),  # TV-09
    "id": invalid(obj(id="task-1"), "id"),  # TK-07
    "field of no name": invalid(obj(**{"": "x"}), "is not a field"),
    "field with a control character": invalid(obj(**{"a\x00b": "x"}), "is not a field"),
    "field of half a character": invalid(b'{"title":"t","\\ud800":1}', "is not a field"),
    "names of the storage": invalid(obj(PartitionKey="x", RowKey="y", **{"odata.etag": "z"}), "PartitionKey"),
    "10,000 wrong fields": invalid(obj(**{f"f{n}": 1 for n in range(10_000)}), "f1"),
    "over 256 KiB": Refused(body=b" " * 300_000 + b"{}", status=413, code="task_too_large", names="262,144"),
    "each field in its limits, no message for all": Refused(
        body=obj(
            notes='"' * 3_520 + "\u20ac" * 12_480,
            owner="\U0001f600" * 80,
            createdBy="\U0001f600" * 80,
            callbackUrl="https://example.com/" + '"' * 1_980,
            contact="a@" + "b" * 252,
            correlationId='"' * 255,
        ),
        status=413,
        code="task_too_large",
        names="48,128",
    ),
    # The header beside the body
    "key of 256": Refused(
        body=obj(), code="invalid_idempotency_key", names="Idempotency-Key", headers={"Idempotency-Key": "k" * 256}
    ),
}


def puts(fixit: FixIt) -> int:
    return len(fixit.wire.of(service="queue", op="put"))


def check_problem(answer: Answer, status: int, code: str) -> dict[str, Any]:
    assert answer.status == status, answer
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json
    assert (problem["status"], problem["code"], problem["type"]) == (status, code, "about:blank")
    assert problem["title"]
    assert len(answer.body) < 32_000
    assert "Traceback" not in problem["detail"] and "azure" not in problem["detail"].lower()
    return problem


@pytest.mark.parametrize("name", REFUSED)
def test_body_that_is_wrong_is_refused_by_name_and_nothing_is_queued(running_fixit: FixIt, name: str) -> None:
    refused, before = REFUSED[name], puts(running_fixit)
    answer = running_fixit.post(refused.body, refused.headers)
    problem = check_problem(answer, refused.status, refused.code)
    assert refused.names in problem["detail"]
    if refused.code == "invalid_task" and "is not a field" not in refused.names:
        assert any(refused.names in error["field"] for error in problem.get("errors", [{"field": refused.names}]))
    assert puts(running_fixit) == before


def test_worker_is_the_same_after_all_refusals(running_fixit: FixIt) -> None:  # HJ-05
    pid = running_fixit.host.pid
    running_fixit.post(b"[" * 200_000)
    assert running_fixit.get("/api/health").status == 200
    assert running_fixit.host.pid == pid
    assert running_fixit.host.returncode is None
    assert not [line for line in running_fixit.host.lines() if "Restarting the worker" in line]


def test_chunked_body_is_refused_with_the_way_out(running_fixit: FixIt) -> None:
    """The platform hands a chunked body over as an empty one."""
    chunked = b'd\r\n{"title":"t"}\r\n0\r\n\r\n'
    answer = running_fixit.post(chunked, {"Transfer-Encoding": "chunked"})
    assert "Content-Length" in check_problem(answer, 400, "empty_body")["detail"]


ACCEPTED: dict[str, tuple[bytes, dict[str, HeaderValue]]] = {
    "charset in quotes": (obj(owner="ann"), {"Content-Type": "application/json;charset='utf-8'"}),  # HJ-09
    "charset in double quotes": (obj(), {"Content-Type": 'application/json; charset="UTF-8"'}),
    "type in capitals": (obj(), {"Content-Type": "Application/JSON"}),
    "byte order mark": (b"\xef\xbb\xbf" + obj(), {}),
    "white space around": (b"\r\n\t " + obj() + b" \n", {}),
    "escapes": (b'{"title":"caf\\u00e9 \\ud83d\\ude00"}', {}),
    "largest escapes": (json.dumps({"title": "t", "notes": "é" * 16_000}).encode(), {}),
    "every optional empty": (obj(notes="", owner=None, contact="", priority=None), {}),
    "key of 255": (obj(), {"Idempotency-Key": "k" * 255}),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_body_that_is_unusual_but_right_is_accepted_and_recorded(running_fixit: FixIt, name: str) -> None:
    body, headers = ACCEPTED[name]
    answer = running_fixit.post(body, headers)
    assert answer.status == 202, answer
    assert running_fixit.settled(answer.json["receipt"])["state"] == "succeeded"
    task = running_fixit.get(answer.json["links"]["task"]).json
    given = json.loads(body.decode("utf-8-sig"))
    assert all(task[field] == value for field, value in given.items() if value)


def test_refusals_reached_no_queue_at_all(running_fixit: FixIt, began: int) -> None:
    since = running_fixit.wire.requests[began:]
    assert since
    assert {each.target for each in since if (each.op, each.service) == ("put", "queue")} <= {TASK_QUEUE}


@pytest.fixture(scope="module", autouse=True)
def began(running_fixit: FixIt) -> int:
    """How many requests there had been when the first test of this file began."""
    return len(running_fixit.wire.requests)
