"""The request line as Kestrel reads it: which ones it refuses, with which status, and what the others ask for.

Source: Kestrel's HttpParser, Http1Connection and HttpUtilities (ASP.NET Core 10).
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from devhost.http.request_path import decode_path, remove_dot_segments

MAX_LINE_BYTES = 8192
"""Of a request line with its line end."""

_LINE = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([^ ?%][^ ?]*)(\?[^ ]*)? +([^ ].{7})\r?", re.DOTALL)
_AUTHORITY = re.compile(rb"[0-9A-Za-z:.\-\[\]@]+")
_HOST = re.compile(r"(?:[0-9A-Za-z!$&'()\-._~]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?")
_ABSOLUTE = re.compile(r"https?://(?:[^/#@]*@)?([^/#@:\[]+|\[[^\]/]+\])(:[0-9]*)?(/[^#]*)?(?:#.*)?", re.DOTALL)
_DEFAULT_PORTS = {"http:": ":80", "https": ":443"}


class RequestRefused(Exception):
    """The request is answered with this status and no body, and its connection is closed."""

    def __init__(self, status: int, *, allow: str = "") -> None:
        super().__init__(status)
        self.status = status
        self.allow = allow


@dataclass(frozen=True, kw_only=True)
class RequestLine:
    """`path` is decoded, and empty for `OPTIONS *` and CONNECT; `query` is as sent, with its '?', or empty.

    `authority` is what the Host header has to say, None if anything will do.
    """

    method: str
    path: str
    query: str
    http_10: bool
    authority: frozenset[str] | None = None


def read_request_line(line: bytes) -> RequestLine:
    """Reads a request line without its LF.

    Raises:
        RequestRefused: 400, 405, 414 or 505.
    """
    if len(line) + 1 > MAX_LINE_BYTES:
        raise RequestRefused(414)
    match = _LINE.fullmatch(line)
    if match is None or b"\0" in line:
        raise RequestRefused(400)
    method, target, query, version = match[1].decode(), match[2], match[3] or b"", match[4]
    if version not in (b"HTTP/1.1", b"HTTP/1.0"):
        raise RequestRefused(505)
    if not (target + query).isascii():
        raise RequestRefused(400)
    path, authority = _read_target(method, target, query)
    return RequestLine(
        method=method,
        path=path,
        query="" if target == b"*" else query.decode(),
        http_10=version == b"HTTP/1.0",
        authority=authority,
    )


def check_host(line: RequestLine, hosts: list[str]) -> None:
    """Raises RequestRefused (400) unless there is one Host header that is valid and fits the target."""
    if not hosts and line.http_10:
        return
    if len(hosts) != 1 or not _HOST.fullmatch(hosts[0]):
        raise RequestRefused(400)
    if line.authority is not None and hosts[0] not in line.authority:
        raise RequestRefused(400)


def _read_target(method: str, target: bytes, query: bytes) -> tuple[str, frozenset[str] | None]:
    """The decoded path and what the Host header may be."""
    if target.startswith(b"/"):
        try:
            return decode_path(target), None
        except ValueError:
            raise RequestRefused(400) from None
    if target == b"*" and not query:
        if method != "OPTIONS":
            raise RequestRefused(405, allow="OPTIONS")
        return "", None
    if target.startswith((b"http://", b"https://")):
        return _read_absolute(target.decode())
    if query or not _AUTHORITY.fullmatch(target):
        raise RequestRefused(400)
    if method != "CONNECT":
        raise RequestRefused(405, allow="CONNECT")
    return "", frozenset({target.decode()})


def _read_absolute(target: str) -> tuple[str, frozenset[str]]:
    """An absolute target goes through `System.Uri`, which unescapes its whole path."""
    match = _ABSOLUTE.fullmatch(target)
    if match is None:
        raise RequestRefused(400)
    host, port = match[1].lower(), match[2] or ""
    default = _DEFAULT_PORTS[target[:5]]
    hosts = {host, host + default} if port in ("", ":", default) else {host + port}
    path = re.sub("%2[eE]", ".", match[3] or "/")
    return unquote(remove_dot_segments(path.encode()).decode(), errors="replace"), frozenset(hosts)
