"""What a function returned, as it goes out over a socket."""

import json
from http.cookies import SimpleCookie
from typing import Any

import pytest
from azure_functions_runtime.bindings.datumdef import Datum

from devhost.invocation import Outcome
from tests.unit.devhost_http.serving import Recorder, Reply, http_datum, http_function, serving


async def sent(returned: Datum | None, method: str = "GET", **options: Any) -> Reply:
    recorder = Recorder(Outcome(ok=True, returned=returned))
    async with serving(http_function("f"), invoke=recorder, **options) as served:
        reply = await served.get("/api/f", method)
        assert (await served.get("/api/none")).status == 404  # whatever it was, the server goes on
    return reply


async def test_response_status_headers_and_body_are_sent() -> None:
    headers = {"content-type": "application/json", "X-A": "b", "ETag": '"1"'}
    reply = await sent(http_datum(b"{}", status="201", headers=headers))
    assert (reply.status, reply.body) == (201, b"{}")
    assert (reply.headers["content-type"], reply.headers["x-a"], reply.headers["etag"]) == (
        "application/json",
        "b",
        '"1"',
    )
    assert (reply.headers["server"], reply.headers["content-length"]) == ("Kestrel", "2")


@pytest.mark.parametrize(
    ("text", "status"),
    [("404", 404), (" +503 ", 503), ("", 200), ("teapot", 200), ("4.5", 200), ("-1", 200), ("0", 200)],
)
async def test_response_status_that_is_no_number_counts_as_200(text: str, status: int) -> None:
    assert (await sent(http_datum(status=text))).status == status


async def test_response_header_that_frames_the_message_is_the_servers_own() -> None:
    reply = await sent(http_datum(b"four", headers={"Content-Length": "2", "Transfer-Encoding": "chunked"}))
    assert reply.body == b"four"
    assert "transfer-encoding" not in reply.headers


async def test_response_header_given_twice_in_other_case_keeps_the_first() -> None:
    assert (await sent(http_datum(headers={"X-A": "1", "x-a": "2"}))).headers["x-a"] == "1"


@pytest.mark.parametrize("header", [{"X-A": "é"}, {"X-A": "a\r\nX-B: c"}, {"X A": "b"}, {"X-A": "a\0"}])
async def test_response_header_that_cannot_be_sent_is_500(header: dict[str, str]) -> None:
    reply = await sent(http_datum(b"body", headers=header))
    assert (reply.status, reply.body) == (500, b"")


@pytest.mark.parametrize("status", ["204", "304"])
async def test_response_without_room_for_a_body_drops_it(status: str) -> None:
    reply = await sent(http_datum(b"body", status=status, headers={"content-type": "text/plain"}))
    assert (reply.status, reply.body) == (int(status), b"")


async def test_response_to_head_has_the_headers_alone() -> None:
    reply = await sent(http_datum(b"body", headers={"X-A": "b"}), method="HEAD")
    assert (reply.status, reply.headers["x-a"], reply.headers["content-length"]) == (200, "b", "4")


async def test_response_cookies_are_written_as_aspnet_core_does() -> None:
    cookies = [
        SimpleCookie("a=b c; Path=/x; Domain=d.e; Max-Age=60; Secure; HttpOnly; SameSite=Lax"),
        SimpleCookie("t=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT"),
        SimpleCookie("u=2; SameSite=None"),
    ]
    cookies[0]["a"] = "b/c"
    for key, value in {"path": "/x", "domain": "d.e", "max-age": "60", "samesite": "Lax"}.items():
        cookies[0]["a"][key] = value
    cookies[0]["a"]["secure"] = cookies[0]["a"]["httponly"] = True
    assert (await sent(http_datum(cookies=cookies))).cookies == [
        "a=b%2Fc; max-age=60; domain=d.e; path=/x; secure; samesite=lax; httponly",
        "t=1; expires=Wed, 21 Oct 2026 07:28:00 GMT; domain=; path=",
        "u=2; domain=; path=; samesite=none",
    ]


@pytest.mark.parametrize("cookie", ["a=1; Max-Age=soon", "a=1; Expires=tomorrow"])
async def test_response_cookie_that_the_library_cannot_read_is_500(cookie: str) -> None:
    assert (await sent(http_datum(cookies=[SimpleCookie(cookie)]))).status == 500


PLAIN = "text/plain; charset=utf-8"


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("hello", "hello"),
        ("", ""),
        ("{not json", "{not json"),
        ("NaN", "NaN"),
        ('"quoted é"', "quoted é"),
        ("5", "5"),
        ("1.50", "1.5"),
        ("true", "True"),
        ("null", ""),
        ('{"a":[1,{}],"b":"é"}', '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": "é"\n}'),
        ("[1, 2]", "[\n  1,\n  2\n]"),
        ("[" * 100_000, "[" * 100_000),
    ],
)
async def test_response_text_is_looked_at_for_json(text: str, body: str) -> None:
    reply = await sent(Datum(text, "string"))
    assert (reply.status, reply.headers["content-type"], reply.body.decode()) == (200, PLAIN, body)


async def test_response_text_that_describes_a_response_is_one() -> None:
    described = {"Body": {"a": 1}, "statusCode": 418, "headers": {"Content-Type": "application/json", "X-N": 5}}
    reply = await sent(Datum(json.dumps(described), "string"))
    assert (reply.status, reply.body) == (418, b'{"a":1}')
    assert (reply.headers["content-type"], reply.headers["x-n"]) == ("application/json; charset=utf-8", "5")


@pytest.mark.parametrize(
    ("described", "status", "body"),
    [
        ({"body": "x", "status": "404"}, 404, "x"),
        ({"body": None}, 200, ""),
        ({"body": False, "status": None}, 200, "False"),
        ({"status": 404}, 200, '{\n  "status": 404\n}'),
        ({"body": "x", "headers": "none"}, 200, "x"),
    ],
)
async def test_response_text_described_in_part_fills_in_the_rest(described: object, status: int, body: str) -> None:
    reply = await sent(Datum(json.dumps(described), "string"))
    assert (reply.status, reply.headers["content-type"], reply.body.decode()) == (status, PLAIN, body)


async def test_response_of_a_function_that_fails_is_500_without_a_body() -> None:
    recorder = Recorder(Outcome(ok=False, error="Traceback: secret"))
    async with serving(http_function("f"), invoke=recorder) as served:
        reply = await served.get("/api/f")
    assert (reply.status, reply.body, reply.headers["content-length"]) == (500, b"", "0")


async def test_response_of_a_function_without_a_return_is_an_empty_200() -> None:
    reply = await sent(None)
    assert (reply.status, reply.body) == (200, b"")


async def test_custom_headers_are_added_where_they_are_not_yet() -> None:
    custom = {"X-Frame-Options": "DENY", "X-A": "host"}
    reply = await sent(http_datum(headers={"x-a": "function"}), http={"custom_headers": custom})
    assert (reply.headers["x-frame-options"], reply.headers["x-a"]) == ("DENY", "function")
    async with serving(http={"custom_headers": custom}) as served:
        assert (await served.get("/none")).headers["x-frame-options"] == "DENY"
