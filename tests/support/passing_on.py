"""Hands a request on to the emulator as it came, and its answer back."""

import io
from collections.abc import Iterable

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

# What belongs to one connection and is not passed on: RFC 9110, section 7.6.1.
HOP = {"connection", "keep-alive", "transfer-encoding", "proxy-connection", "te", "trailer", "upgrade"}
# Headers that aiohttp would add where the client sent none.
ADDED = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")


async def pass_on(
    client: aiohttp.ClientSession, upstream: str, request: web.BaseRequest, body: bytes
) -> web.Response | None:
    """The emulator's answer, untouched; None when it gives none (it is gone, or it dropped the connection).

    The Host stays the one that the client named, so that links in the answer lead back here. No signature covers it.
    """
    url = URL(upstream + request.raw_path, encoded=True)
    sent = client.request(
        request.method,
        url,
        headers=_end_to_end(request.headers.items()),
        data=io.BytesIO(body),
        allow_redirects=False,
        skip_auto_headers=ADDED,
    )
    try:
        async with sent as answer:
            content = await answer.read()
            headers = _end_to_end(answer.headers.items())
            return web.Response(status=answer.status, reason=answer.reason, headers=headers, body=content)
    except aiohttp.ClientError:
        return None


def _end_to_end(headers: Iterable[tuple[str, str]]) -> CIMultiDict[str]:
    return CIMultiDict((name, value) for name, value in headers if name.lower() not in HOP)
