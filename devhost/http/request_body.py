"""The body of a request: only what comes with a Content-Length, and only up to a limit."""

from aiohttp import web

from devhost.settings.configuration import Configuration

DEFAULT_LIMIT_BYTES = 104_857_600
LIMIT_VARIABLE = "FUNCTIONS_REQUEST_BODY_SIZE_LIMIT"


class BodyTooLarge(Exception):
    """The client announced more than the limit; nothing of it was read."""


def size_limit(configuration: Configuration) -> int:
    """The limit in bytes: 100 MiB, or what FUNCTIONS_REQUEST_BODY_SIZE_LIMIT says if that is a whole number."""
    wanted = configuration.get(LIMIT_VARIABLE) or ""
    return int(wanted) if wanted.strip().isdecimal() else DEFAULT_LIMIT_BYTES


async def read_body(request: web.BaseRequest, limit: int) -> bytes:
    """The body, empty where there is no Content-Length; the client is told to go on if it waits for that.

    Raises:
        BodyTooLarge: announced longer than the limit.
        aiohttp.web.RequestPayloadError: the client broke off.
    """
    length = int(request.headers.get("Content-Length", "0"))
    if length > limit:
        raise BodyTooLarge
    if length == 0:
        return b""
    if request.headers.get("Expect", "").lower() == "100-continue" and request.transport:
        request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    return await request.content.read()
