"""Requests to Azure Communication Services, signed in by identity, and what their failures mean.

The SDKs are not used: that for SMS gives each call a new repeatability id, which is the one thing that must stay the
same at a repeat, and both repeat a request by themselves whose outcome is not known.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from shared.domain.errors import DependencyDown, OutcomeUnknown, SettingsError, TryLater
from shared.domain.outgoing import SEND_SECONDS
from shared.domain.retry_after import retry_after

if TYPE_CHECKING:
    import ssl

    from azure.core.credentials_async import AsyncTokenCredential

SCOPE = "https://communication.azure.com//.default"
CONNECT_SECONDS = 10.0
ANSWER_MAX = 64 * 1024

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_CODE = re.compile(r"[A-Za-z]{1,60}")

_TAKEN = frozenset({200, 202})
_OURS = {
    401: "our sign-in",
    403: "our sign-in: the identity needs a role on the resource",
    404: "the resource that FIXIT_ACS_ENDPOINT leads to, or what is linked to it",
}


@dataclass(frozen=True)
class Answer:
    """A status, what the body says (nothing where it is no JSON object), and in how many seconds to ask again."""

    status: int
    body: Mapping[str, Any]
    after: float | None

    @property
    def code(self) -> str:
        """The error's code, which is one word, or nothing. Its text may quote an address, and is never told."""
        error = self.body.get("error")
        code = error.get("code") if isinstance(error, dict) else None
        return code if isinstance(code, str) and _CODE.fullmatch(code) else ""


@dataclass(kw_only=True)
class Acs:
    """`endpoint` without a slash at its end; `tls` is for a server whose certificate is of no public authority.

    The sign-in is made at the first request, and kept.
    """

    endpoint: str
    sign_in: "Callable[[], AsyncTokenCredential]"
    environment_proxy: bool = False
    tls: "ssl.SSLContext | None" = field(default=None, repr=False)
    seconds: float = SEND_SECONDS
    _credential: "AsyncTokenCredential | None" = field(default=None, init=False, repr=False)

    async def ask(
        self, method: str, path: str, *, version: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """The answer, whatever its status.

        Raises:
            DependencyDown: our own sign-in was refused; nothing was sent.
            TryLater: nothing was sent.
            OutcomeUnknown: the request was sent, and no whole answer came.
        """
        import aiohttp

        is_sent = False
        try:
            async with asyncio.timeout(self.seconds):
                token = await self._token()
                connect = aiohttp.ClientTimeout(total=None, connect=CONNECT_SECONDS)
                # A connection of its own: one that was kept may be closed by now, and whoever writes to it learns that
                # from the missing answer alone.
                connector = aiohttp.TCPConnector(force_close=True, ssl=self.tls or True)
                async with aiohttp.ClientSession(
                    connector=connector, timeout=connect, trust_env=self.environment_proxy
                ) as session:
                    is_sent = True
                    async with session.request(
                        method,
                        f"{self.endpoint}{path}",
                        params={"api-version": version},
                        json=body,
                        headers={"Authorization": f"Bearer {token}", "Accept": "application/json", **(headers or {})},
                        allow_redirects=False,
                    ) as response:
                        return await _read(response)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            if isinstance(error, aiohttp.ClientSSLError):
                raise DependencyDown("the provider's certificate, or its TLS, is wrong") from error
            raise TryLater("the provider cannot be reached") from error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            if not is_sent:
                raise DependencyDown("we cannot sign in to the provider in time") from error
            raise OutcomeUnknown("the provider has the request, and did not say what becomes of it") from error

    async def _token(self) -> str:
        from azure.core.exceptions import AzureError

        try:
            self._credential = self._credential or self.sign_in()
            return (await self._credential.get_token(SCOPE)).token
        except (AzureError, ValueError) as error:
            raise DependencyDown(f"we cannot sign in to the provider: {type(error).__name__}") from error


def check(answer: Answer) -> None:
    """Raise what a status means that is about us, or about now."""
    told = f"the provider said {answer.status} {answer.code}".rstrip()
    if answer.status in _OURS:
        raise DependencyDown(f"{told}, which is about {_OURS[answer.status]}")
    if answer.status == 429 or (answer.status == 503 and answer.after is not None):
        raise TryLater(told, after=answer.after)
    if answer.status not in _TAKEN and (answer.status < 400 or answer.status == 408 or answer.status >= 500):
        raise OutcomeUnknown(told)


def check_endpoint(endpoint: str) -> None:
    """SettingsError for an address at which our token would be sent in clear to another machine."""
    parts = urlsplit(endpoint)
    if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
        raise SettingsError("FIXIT_ACS_ENDPOINT must begin with https://")


async def _read(response: Any) -> Answer:
    text = b""
    async for part in response.content.iter_any():
        text += part
        if len(text) > ANSWER_MAX:
            text = b""
            break
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    after = retry_after(response.headers.get("Retry-After", ""), datetime.now(UTC))
    return Answer(response.status, body if isinstance(body, dict) else {}, after)
