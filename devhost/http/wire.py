"""aiohttp's server with Kestrel's manners: any method, the target as it was sent, refusals without a body.

aiohttp's own parser refuses unknown methods, joins and re-quotes paths, and answers what it refuses with a text and a
traceback in the log. Here it only frames messages; `request_line` judges the line, when the request's turn has come.
"""

import logging
import re
from typing import Any

from aiohttp import HttpVersion11, web
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong
from aiohttp.http_parser import HttpRequestParserPy, RawRequestMessage
from aiohttp.streams import StreamReader
from aiohttp.web_protocol import RequestHandler
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from devhost.http.request_line import RequestRefused

MAX_HEADERS = 100
MAX_HEADER_BYTES = 32 * 1024
KEEP_ALIVE_SECONDS = 130
"""Kestrel's limits."""

SERVER = "Kestrel"

_HEADER = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([^\r\0]*?)[ \t]*")
_NOT_USED = URL("/")

type _Fed = tuple[list[tuple[RawRequestMessage, StreamReader]], bool, bytes]

_log = logging.getLogger("devhost.http")


class _Refused(HttpProcessingError):
    """A message that cannot be framed; `code` is the status to answer."""


class _Parser(HttpRequestParserPy):
    """Frames messages: the request line goes into `path` untouched, as Latin-1; the headers decide about the body."""

    lax = True  # of chunks too, a line may end in LF alone

    def feed_data(self, data: bytes, *_: Any, **__: Any) -> _Fed:
        try:
            return super().feed_data(data, b"\n")
        except LineTooLong as error:
            raise _Refused(code=431 if self._lines else 414, message="") from error
        except HttpProcessingError as error:
            raise _Refused(code=431 if len(self._lines) > self.max_headers else error.code, message="") from error

    def parse_message(self, lines: list[bytes]) -> RawRequestMessage:
        if sum(len(line) + 2 for line in lines[1:]) > MAX_HEADER_BYTES:
            raise _Refused(code=431, message="")
        raw_headers = [self._header(line) for line in lines[1:-1]]
        headers: CIMultiDict[str] = CIMultiDict()
        for name, value in raw_headers:
            try:
                headers.add(name.decode(), value.decode())
            except UnicodeDecodeError:
                raise _Refused(code=400, message="") from None
        chunked = _is_chunked(headers)
        method = lines[0].partition(b" ")[0].decode("latin-1")
        return RawRequestMessage(
            # aiohttp gives CONNECT a tunnel; here it is a request like any other.
            method="GET" if method == "CONNECT" else method,
            path=lines[0].decode("latin-1"),
            version=HttpVersion11,  # of the answer, whatever was asked
            headers=CIMultiDictProxy(headers),
            raw_headers=tuple(raw_headers),
            should_close=False,  # the handler decides: here it would refuse whatever follows
            compression=None,
            upgrade=False,
            chunked=chunked,
            url=_NOT_USED,
        )

    @staticmethod
    def _header(line: bytes) -> tuple[bytes, bytes]:
        match = _HEADER.fullmatch(line)
        if match is None:
            raise _Refused(code=400, message="")
        return match[1], match[2]


def _is_chunked(headers: CIMultiDict[str]) -> bool:
    """Whether the body is chunked, which then overrides its Content-Length.

    Raises:
        _Refused: it cannot be told where the body ends.
    """
    codings = headers.getall("Transfer-Encoding", [])
    if codings:
        if codings[-1].rpartition(",")[2].strip().lower() != "chunked":
            raise _Refused(code=400, message="")
        if length := headers.popall("Content-Length", []):
            headers["X-Content-Length"] = ",".join(length)
        return True
    lengths = headers.getall("Content-Length", [])
    if len(lengths) > 1 or any(not re.fullmatch("[0-9]{1,18}", length) for length in lengths):
        raise _Refused(code=400, message="")
    return False


class _Connection(RequestHandler):
    """One connection. What aiohttp would answer by itself is answered as Kestrel does, and not logged."""

    def __init__(self, server: web.Server, **options: Any) -> None:
        super().__init__(server, **options)
        self._parser = _Parser(
            self,
            self._loop,
            self._read_bufsize,
            max_line_size=MAX_HEADER_BYTES,
            max_field_size=MAX_HEADER_BYTES,
            max_headers=MAX_HEADERS + 2,  # it counts the request line and the empty one
            payload_exception=web.RequestPayloadError,
            auto_decompress=False,
            max_msg_queue_size=self._max_msg_queue_size,
        )

    def eof_received(self) -> bool:  # type: ignore[override] # the base class stays silent, asyncio asks for this
        """A client that has sent all it will still gets the answer to what it sent in full."""
        busy = self._request_in_progress or bool(self._messages)
        if busy and isinstance(self._parser, _Parser) and self._parser._payload_parser is None:
            self._close = True
            return True
        return False

    def close_if_idle(self) -> None:
        """Ends the connection unless a request on it is being read or answered."""
        between_requests = isinstance(self._parser, _Parser) and not self._parser._lines and not self._parser._tail
        if between_requests and not self._request_in_progress and not self._messages:
            self.force_close()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if isinstance(exc, _Refused):
            return empty_response(exc.code, close=True)
        if not isinstance(exc, ConnectionError):
            _log.error("%s %s could not be answered", request.method, request.path, exc_info=exc)
        return empty_response(500, close=True)


class WireServer(web.Server):
    """aiohttp's low-level server for such connections. One request at a time on each, as HTTP/1.1 has it."""

    def __call__(self) -> RequestHandler:
        return _Connection(
            self, loop=self._loop, access_log=None, keepalive_timeout=KEEP_ALIVE_SECONDS, lingering_time=5.0
        )

    def close_idle(self) -> None:
        """Ends the connections that wait for a next request."""
        for connection in self.connections:
            if isinstance(connection, _Connection):
                connection.close_if_idle()

    def _make_request(self, message: RawRequestMessage, *rest: Any) -> web.BaseRequest:
        # What could not be framed is handed in as a request of HTTP/1.0.
        return super()._make_request(message._replace(version=HttpVersion11), *rest)


def empty_response(status: int, *, close: bool = False) -> web.Response:
    """An answer without a body."""
    response = web.Response(status=status, headers={"Server": SERVER})
    if close:
        response.force_close()
    return response


def refusal(refused: RequestRefused) -> web.Response:
    """The answer to a request that was refused for its line or its Host header."""
    response = empty_response(refused.status, close=True)
    if refused.allow:
        response.headers["Allow"] = refused.allow
    return response
