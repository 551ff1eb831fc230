"""The channel of callbacks: one signed POST to a receiver that nobody vouches for."""

import asyncio
import ssl
from collections.abc import Sequence
from datetime import datetime, timedelta
from time import monotonic

import aiohttp
from yarl import URL

from shared.channels.checked_addresses import CheckedResolver, Lookup, NotPublic, checked_addresses, system_lookup
from shared.domain.callback_answer import Answer, Problem
from shared.domain.callback_rule import Allowed, host_and_port, url_problem
from shared.domain.retry_after import retry_after
from shared.domain.webhook_signature import signed_headers

ANSWER_MAX = 64 * 1024
"""Bytes of an answer's body that are read; the rest is left, and the status stands."""

_NO_TIMEOUT = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)
"""There is one deadline for all of it, ours: one for each step would let a receiver drip."""


class CallbackChannel:
    """Delivers callbacks. Import this module, and make the channel, only when one is to be delivered."""

    def __init__(
        self,
        *,
        keys: Sequence[bytes],
        allowed: Allowed,
        seconds: float,
        agent: str,
        lookup: Lookup = system_lookup,
    ) -> None:
        """`seconds` is for looking up, connecting, sending and the whole answer together; `agent` names this client."""
        self._keys = keys
        self._allowed = allowed
        self._seconds = seconds
        self._agent = agent
        self._lookup = lookup
        self._tls = ssl.create_default_context()  # of its own: aiohttp's reads SSL_CERT_FILE at its import alone

    async def deliver(self, url: str, body: bytes, *, event_id: str, now: datetime) -> Answer:
        """Make one attempt, and tell what came of it; never raises for what a receiver does.

        `body` is JSON in UTF-8. The answer's body is dropped. A redirect is an answer like any other.
        """
        started = monotonic()
        status: int | None = None
        problem: Problem | None = None
        after: float | None = None
        try:
            async with asyncio.timeout(self._seconds):
                status, asked = await self._post(url, body, signed_headers(event_id, body, self._keys, now))
                after = retry_after(asked, now + timedelta(seconds=monotonic() - started))
        except _Failed as failed:
            problem = failed.problem
        except TimeoutError:
            problem = "timeout"
        milliseconds = round((monotonic() - started) * 1_000)
        return Answer(milliseconds=milliseconds, status=status, problem=problem, after=after)

    async def _post(self, url: str, body: bytes, signed: dict[str, str]) -> tuple[int, str]:
        """The status and the header Retry-After of the answer, once it is read."""
        addresses = await self._addresses(url)
        # A connector for each attempt: a connection that is kept would skip the check of its address.
        connector = aiohttp.TCPConnector(
            resolver=CheckedResolver(addresses), use_dns_cache=False, force_close=True, ssl=self._tls
        )
        headers = {
            "Content-Type": "application/json",
            "User-Agent": self._agent,
            "Accept-Encoding": "identity",
            **signed,
        }
        try:
            async with (
                aiohttp.ClientSession(
                    connector=connector,
                    cookie_jar=aiohttp.DummyCookieJar(),  # the other one quotes in the log what it cannot read
                    timeout=_NO_TIMEOUT,
                    auto_decompress=False,
                    trust_env=False,
                ) as client,
                client.post(URL(url, encoded=True), data=body, headers=headers, allow_redirects=False) as response,
            ):
                await _read(response)
                return response.status, response.headers.get("Retry-After", "")
        except aiohttp.ClientError as error:
            raise _Failed(_problem(error)) from None

    async def _addresses(self, url: str) -> Sequence[str]:
        # The list of what is allowed may be shorter than it was when the task was taken.
        if url_problem(url, self._allowed):
            raise _Failed("not_allowed")
        try:
            return await checked_addresses(*host_and_port(url), self._allowed, self._lookup)
        except NotPublic:
            raise _Failed("not_public") from None
        except (OSError, UnicodeError):
            raise _Failed("dns") from None


class _Failed(Exception):
    """No whole answer came."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


async def _read(response: aiohttp.ClientResponse) -> None:
    """Read the answer to its end, or as much of it as is read of any."""
    left = ANSWER_MAX
    while left and (chunk := await response.content.read(left)):
        left -= len(chunk)


def _problem(error: aiohttp.ClientError) -> Problem:
    """The word for what aiohttp raised."""
    if isinstance(error, aiohttp.ClientSSLError):
        return "tls"
    if isinstance(error, aiohttp.ClientConnectorError):
        # Accepted, and ended before it was secure: nothing refused the connection.
        return "tls" if isinstance(error.os_error, ConnectionResetError) else "refused"
    if isinstance(error, aiohttp.ClientResponseError):
        return "malformed"
    return "cut"
