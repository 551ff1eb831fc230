"""One HTTP request while it is being answered."""

from aiohttp import web

from devhost.http.request import joined_headers
from devhost.http.request_body import read_body
from devhost.http.request_line import RequestLine


class Exchange:
    """A request whose line was accepted. `headers` by lower-case name, joined."""

    def __init__(self, request: web.BaseRequest, line: RequestLine, size_limit: int) -> None:
        self.request = request
        self.line = line
        self.headers = joined_headers(request.headers.items())
        self._size_limit = size_limit

    @property
    def wants_close(self) -> bool:
        """Whether the client asked for the connection to end with this answer, or did not ask HTTP/1.0 to keep it."""
        wishes = {wish.strip().lower() for wish in self.headers.get("connection", "").split(",")}
        return "close" in wishes or (self.line.http_10 and "keep-alive" not in wishes)

    async def body(self) -> bytes:
        """What was sent with a Content-Length; a chunked body is not delivered.

        Raises:
            BodyTooLarge: it is longer than the limit; it was not read.
            aiohttp.web.RequestPayloadError: the client broke off.
        """
        return await read_body(self.request, self._size_limit)
