"""The request line, as Kestrel reads it."""

import pytest

from devhost.http.request_line import RequestRefused, check_host, read_request_line


@pytest.mark.parametrize(
    ("line", "method", "path", "query"),
    [
        (b"GET / HTTP/1.1", "GET", "/", ""),
        (b"get /a HTTP/1.0", "get", "/a", ""),
        (b"F-O_O! /a HTTP/1.1\r", "F-O_O!", "/a", ""),
        (b"GET /a?b=c?d HTTP/1.1", "GET", "/a", "?b=c?d"),
        (b"GET /?%00 HTTP/1.1", "GET", "/", "?%00"),
        (b"GET /a   HTTP/1.1", "GET", "/a", ""),
        (b"GET /a#b HTTP/1.1", "GET", "/a#b", ""),
        (b"GET /a\tb\x7f HTTP/1.1", "GET", "/a\tb\x7f", ""),
        (b"GET /a/../b/./c HTTP/1.1", "GET", "/b/c", ""),
        (b"GET /a/%2e%2E/b HTTP/1.1", "GET", "/b", ""),
        (b"GET /../.. HTTP/1.1", "GET", "/", ""),
        (b"GET /a/. HTTP/1.1", "GET", "/a/", ""),
        (b"GET /a/b/.. HTTP/1.1", "GET", "/a/", ""),
        (b"GET /a//../b HTTP/1.1", "GET", "/a/b", ""),
        (b"GET /.../..a HTTP/1.1", "GET", "/.../..a", ""),
        (b"GET /%41%2f%2F%5c HTTP/1.1", "GET", "/A%2f%2F\\", ""),
        (b"GET /%zz%4 HTTP/1.1", "GET", "/%zz%4", ""),
        (b"GET /%E9%C3%A9%C3%41 HTTP/1.1", "GET", "/%E9é%C3A", ""),
        (b"GET /%E2%82%AC%E2%82x%ED%A0%80%C0%AF HTTP/1.1", "GET", "/€%E2%82x%ED%A0%80%C0%AF", ""),
        (b"OPTIONS * HTTP/1.1", "OPTIONS", "", ""),
        (b"CONNECT a.b:80 HTTP/1.1", "CONNECT", "", ""),
        (b"GET http://h HTTP/1.1", "GET", "/", ""),
        (b"GET http://u:p@H:80/a%2Fb/%2e./c?q#f HTTP/1.1", "GET", "/c", "?q#f"),
        (b"GET https://h:8/a%20b HTTP/1.1", "GET", "/a b", ""),
    ],
)
def test_request_line_good_is_taken_apart(line: bytes, method: str, path: str, query: str) -> None:
    read = read_request_line(line)
    assert (read.method, read.path, read.query) == (method, path, query)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"", 400), (b"\r", 400), (b"GET", 400), (b"GET ", 400), (b"GET /", 400), (b"GET / ", 400),
        (b"GET  / HTTP/1.1", 400),
        (b" GET / HTTP/1.1", 400), (b"G T / HTTP/1.1", 400), (b"G\xc3\xa9T / HTTP/1.1", 400), (b"G(T / HTTP/1.1", 400),
        (b"GET /\0 HTTP/1.1", 400), (b"GET /%00 HTTP/1.1", 400), (b"GET /a%0 HTTP/1.1x", 400), (b"GET ? HTTP/1.1", 400),
        (b"GET %2F HTTP/1.1", 400), ("GET /é HTTP/1.1".encode(), 400), ("GET /?é HTTP/1.1".encode(), 400),
        (b"GET / HTTP/1", 400), (b"GET / HTTP/1.11", 400), (b"GET /a b HTTP/1.1", 400), (b"GET / HTTP/2.0", 505),
        (b"GET / http/1.1", 505), (b"GET / FTP/10.1", 505), (b"PRI * HTTP/2.0", 505), (b"GET * HTTP/1.1", 405),
        (b"GET a:80 HTTP/1.1", 405), (b"GET a HTTP/1.1", 405), (b"GET a/b HTTP/1.1", 400),
        (b"CONNECT a?b HTTP/1.1", 400),
        (b"GET HTTP://h/ HTTP/1.1", 400), (b"GET http:///a HTTP/1.1", 400), (b"GET ftp://h/a HTTP/1.1", 400),
        (b"OPTIONS *?x HTTP/1.1", 400), (b"GET /" + b"a" * 8177 + b" HTTP/1.1\r", 414),
    ],
)  # fmt: skip
def test_request_line_bad_is_refused_with_its_status(line: bytes, status: int) -> None:
    with pytest.raises(RequestRefused) as refused:
        read_request_line(line)
    assert refused.value.status == status


def test_request_line_of_exactly_the_limit_is_taken() -> None:
    assert read_request_line(b"GET /" + b"a" * 8176 + b" HTTP/1.1\r").path == "/" + "a" * 8176


@pytest.mark.parametrize(
    ("target", "hosts", "fits"),
    [
        ("/", ["localhost:7071"], True), ("/", [""], True), ("/", ["[::1]:80"], True), ("/", ["a_b.c"], True),
        ("/", [], False), ("/", ["a", "a"], False), ("/", ["a b"], False), ("/", ["a/b"], False), ("/", ["a:"], False),
        ("/", ["a:b"], False), ("/", ["u@h"], False), ("http://H/", ["h"], True), ("http://h/", ["h:80"], True),
        ("http://h:80/", ["h"], True), ("http://h/", ["x"], False), ("http://h:81/", ["h"], False),
        ("http://h:81/", ["h:81"], True), ("https://h/", ["h:443"], True),
    ],
)  # fmt: skip
def test_host_header_is_held_against_the_target(target: str, hosts: list[str], fits: bool) -> None:
    line = read_request_line(f"GET {target} HTTP/1.1".encode())
    if fits:
        check_host(line, hosts)
    else:
        with pytest.raises(RequestRefused):
            check_host(line, hosts)


def test_host_header_may_be_missing_in_http_10() -> None:
    check_host(read_request_line(b"GET / HTTP/1.0"), [])
