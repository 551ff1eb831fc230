"""What Azure Communication Services promise of mail and SMS, as a server: an operation, and a repeat, count once.

After its REST reference: `POST /emails:send` (2025-09-01), `GET /emails/operations/{id}`, `POST /sms` (2021-03-07).
"""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any
from uuid import UUID

from aiohttp import web
from azure.core.credentials import AccessToken

TOKEN = "secret.token"


class SignIn:
    """A sign-in that gives a token, or fails, or hangs."""

    def __init__(self, *, error: Exception | None = None, hangs: bool = False) -> None:
        self.scopes: list[str] = []
        self._error, self._hangs = error, hangs

    async def get_token(self, *scopes: str, **_: Any) -> AccessToken:
        self.scopes += scopes
        if self._hangs:
            await asyncio.Event().wait()
        if self._error:
            raise self._error
        return AccessToken(TOKEN, 2**31)

    async def close(self) -> None:
        """There is nothing to release."""

    async def __aenter__(self) -> "SignIn":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


@dataclass
class AcsServer:
    """`answers`: what the next requests to send are answered with, whatever becomes of them: a status with a body and
    headers, or `silence`, or `cut`; None and none left: as it is. `items`: the same for what becomes of an SMS.
    """

    port: int = 0
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    mails: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, Any] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)
    answers: list[Any] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)
    is_before: bool = False
    """Whether such an answer stands for the work, which is then not done."""
    is_speechless: bool = False
    """Whether it says nothing of operations."""

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        body = json.loads(await request.read() or b"null")
        self.requests.append((request.method, request.path_qs, body))
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return web.json_response({"error": {"code": "Unauthorized", "message": ""}}, status=401)
        if request.method == "GET" and self.is_speechless:
            return web.Response(status=500)
        if request.method == "GET":
            return self._operation(request.path.rpartition("/")[2])
        planned = self.answers.pop(0) if self.answers else None
        done = None if planned is not None and self.is_before else self._do(request, body)
        if planned == "silence":
            await asyncio.Event().wait()
        if planned == "cut":
            assert request.transport
            request.transport.abort()
        if isinstance(planned, tuple):
            status, said, headers = planned
            return web.Response(status=status, text=said, headers=headers)
        return done or web.Response()

    def _do(self, request: web.BaseRequest, body: Any) -> web.Response:
        if request.path == "/emails:send" and request.query["api-version"] == "2025-09-01":
            operation = str(UUID(request.headers["Operation-Id"]))
            self.mails.setdefault(operation, body)
            location = f"{request.url.origin()}/emails/operations/{operation}"
            said = {"id": operation, "status": self.statuses.setdefault(operation, "Running")}
            return web.json_response(said, status=202, headers={"Operation-Location": location, "Retry-After": "60"})
        if request.path == "/sms" and request.query["api-version"] == "2021-03-07":
            (to,) = body["smsRecipients"]
            assert parsedate_to_datetime(to["repeatabilityFirstSent"])
            item = {"to": to["to"], "repeatabilityResult": "accepted", "messageId": f"Outgoing_{len(self.texts)}"}
            item |= {"httpStatusCode": 202, "successful": True}
            if self.items:
                return web.json_response({"value": [item | self.items.pop(0)]}, status=202)
            self.texts.setdefault(str(UUID(to["repeatabilityRequestId"])), body)
            return web.json_response({"value": [item]}, status=202)
        return web.Response(status=404)

    def _operation(self, operation: str) -> web.Response:
        if operation not in self.statuses:
            return web.json_response({"error": {"code": "OperationNotFound", "message": "?"}}, status=404)
        return web.json_response({"id": operation, "status": self.statuses[operation]})


@asynccontextmanager
async def acs_server(*, tls: ssl.SSLContext | None = None, **parts: Any) -> AsyncIterator[AcsServer]:
    """A server on localhost, with TLS where it has some."""
    handler = AcsServer(**parts)
    served = web.Server(handler.handle, access_log=None)
    server = await asyncio.get_running_loop().create_server(served, "localhost", 0, ssl=tls)
    handler.port = server.sockets[0].getsockname()[1]
    try:
        yield handler
    finally:
        server.close()
        await served.shutdown(0.01)  # 0 would mean for ever
