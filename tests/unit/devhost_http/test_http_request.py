"""A request as the worker is given it, sent over a socket."""

import pytest

from devhost.http.request import parse_query
from tests.unit.devhost_http.serving import Recorder, http_function, serving


async def received(raw: bytes, route: str = "{*rest}") -> dict[str, object]:
    recorder = Recorder()
    async with serving(http_function("f", route), invoke=recorder, http={"route_prefix": ""}) as served:
        reply = await served.send(raw)
        assert reply.status == 200, reply
    return dict(recorder.last)


async def test_request_method_is_given_in_upper_case() -> None:
    assert (await received(b"pUrGe /a HTTP/1.1\r\nHost: h\r\n\r\n"))["method"] == "PURGE"


@pytest.mark.parametrize(
    ("target", "url"),
    [
        (b"/a/b?x=1&y=%20", "http://h:1/a/b?x=1&y=%20"),
        (b"/a%20b/%C3%A9/%2f", "http://h:1/a%20b/%C3%A9/%2f"),
        (b"/a/../%41?", "http://h:1/A?"),
        (b"/%zz#f?g#h", "http://h:1/%25zz%23f?g%23h"),
        (b"http://h:1/x?y", "http://h:1/x?y"),
    ],
)
async def test_request_url_is_rendered_from_host_path_and_query(target: bytes, url: str) -> None:
    assert (await received(b"GET " + target + b" HTTP/1.1\r\nHost: h:1\r\n\r\n"))["url"] == url


async def test_request_headers_are_lower_case_joined_with_a_bare_comma() -> None:
    raw = b"GET / HTTP/1.1\r\nHost: h\r\nX-One:  a \r\nx-one: b\r\nX-ONE:\r\nX-Empty:\r\nX-\xc3\xa9: no\r\n\r\n"
    async with serving() as served:
        assert (await served.send(raw)).status == 400
    headers = (await received(raw.replace("X-é: no\r\n".encode(), "X-Name: é\r\n".encode())))["headers"]
    assert headers == {"host": "h", "x-one": "a,b", "x-empty": "", "x-name": "é"}


async def test_request_query_drops_empty_values_and_joins_repeated_ones() -> None:
    query = (await received(b"GET /?a=1&A=2&b=&c&d=x%2By+z&a=&e=%E9%C3%A9 HTTP/1.1\r\nHost: h\r\n\r\n"))["query"]
    assert query == {"a": "1,2", "d": "x+y z", "e": "%E9é"}


@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        ("", {}),
        ("?", {}),
        ("?&&", {}),
        ("?=5", {"": "5"}),
        ("?a=b=c", {"a": "b=c"}),
        ("?a%20b=1", {"a b": "1"}),
        ("?%41=1&a=2", {"A": "1,2"}),
        ("?a=1;b=2", {"a": "1;b=2"}),
    ],
)
def test_query_is_read_as_aspnet_core_reads_it(query: str, parameters: dict[str, str]) -> None:
    assert parse_query(query) == parameters


async def test_request_parameters_without_a_value_are_left_out() -> None:
    raw = b"GET /a/1 HTTP/1.1\r\nHost: h\r\n\r\n"
    assert (await received(raw, "a/{x}/{y?}"))["params"] == {"x": "1"}
    assert (await received(raw, "a/1/{*rest}"))["params"] == {}


async def test_request_body_with_a_length_is_given_as_bytes() -> None:
    raw = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nContent-Encoding: gzip\r\n\r\n\0\xff\r\n"
    assert (await received(raw))["body"] == b"\0\xff\r\n"


@pytest.mark.parametrize("method", [b"GET", b"DELETE", b"FOO"])
async def test_request_body_of_any_method_is_given(method: bytes) -> None:
    assert (await received(method + b" / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi"))["body"] == b"hi"


async def test_request_body_chunked_arrives_empty() -> None:
    raw = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
    request = await received(raw)
    assert request["body"] == b""
    assert request["headers"] == {"host": "h", "transfer-encoding": "chunked"}


async def test_request_without_a_body_gives_empty_bytes() -> None:
    assert (await received(b"POST / HTTP/1.1\r\nHost: h\r\n\r\n"))["body"] == b""


async def test_request_body_beyond_the_limit_is_413_and_not_run() -> None:
    recorder = Recorder()
    settings = {"FUNCTIONS_REQUEST_BODY_SIZE_LIMIT": "10"}
    async with serving(http_function("f"), invoke=recorder, settings=settings) as served:
        reply = await served.post("/api/f", b"x" * 11)
        assert (reply.status, reply.body, reply.headers["connection"]) == (413, b"", "close")
        assert (await served.post("/api/other", b"x" * 11)).status == 404
        assert (await served.post("/api/f", b"x" * 10)).status == 200
    assert len(recorder.calls) == 1


async def test_request_body_default_limit_is_104857600_bytes() -> None:
    async with serving(http_function("f")) as served:
        head = b"POST /api/f HTTP/1.1\r\nHost: h\r\nContent-Length: 104857601\r\n\r\n"
        assert (await served.send(head)).status == 413
