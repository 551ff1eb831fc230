"""What happens to a request between its arrival and its answer, in the real host's order.

CORS → /admin → is the host running → throttle → route → keys → disabled → sign-in → body → function.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from aiohttp.web import RequestPayloadError

from devhost.functions import Function
from devhost.http.admin import AdminApi
from devhost.http.cors import Cors
from devhost.http.exchange import Exchange
from devhost.http.home_page import home_page
from devhost.http.keys import Keys, Level, read_level
from devhost.http.request import parse_query, request_datum
from devhost.http.request_body import BodyTooLarge
from devhost.http.response import Answer, UnusableResponse, make_answer
from devhost.http.route_matcher import RouteValues
from devhost.http.routes import Routes
from devhost.http.sign_in import UnknownUser, load_sign_in
from devhost.http.throttle import Throttle, TooManyRequests
from devhost.invocation import CALLED_OVER_HTTP, Call, Invoke, Outcome
from devhost.settings.configuration import Configuration
from devhost.settings.host_json import HttpOptions

NOT_READY_SECONDS = 30.0
"""How long a request waits for the host to be running."""


_NOT_FOUND = Answer(status=404)
_NOT_RUNNING = Answer(
    status=503,
    headers=(("Content-Type", "text/plain; charset=utf-8"),),
    body=b"Function host is not running.",
)
_CLOSE = (("Connection", "close"),)

_log = logging.getLogger("devhost.http")


class HttpPipeline:
    """Answers requests with the functions of one app."""

    def __init__(
        self,
        functions: Sequence[Function],
        options: HttpOptions,
        configuration: Configuration,
        invoke: Invoke,
        *,
        keys: Keys | None,
        admin: AdminApi | None,
        cors: Cors | None,
        running: asyncio.Event | None,
    ) -> None:
        """Raises HostConfigError where the setting DEVHOST_SIGN_IN names a file that cannot be used."""
        self._configuration = configuration
        self._invoke = invoke
        self._keys = keys
        self._admin = admin
        self._cors = cors
        self._running = running
        self._sign_in = load_sign_in(configuration)
        self._routes = Routes(functions, options.route_prefix)
        self._throttle = Throttle(
            outstanding=options.max_outstanding_requests, concurrent=options.max_concurrent_requests
        )

    @property
    def errors(self) -> Mapping[str, str]:
        """Why a function has no route, by its name."""
        return self._routes.errors

    async def answer(self, exchange: Exchange) -> Answer:
        """The answer to this request."""
        if self._cors is None:
            return await self._answer(exchange)
        if preflight := self._cors.preflight(exchange.line.method, exchange.headers):
            return preflight
        answer = await self._answer(exchange)
        return replace(answer, headers=(*answer.headers, *self._cors.headers(exchange.headers)))

    async def _answer(self, exchange: Exchange) -> Answer:
        try:
            if answer := await self._answer_admin(exchange):
                return answer
            if not await self._is_running():
                return _NOT_RUNNING
            async with self._throttle.admitted():
                found = self._routes.find(exchange.line.method, exchange.line.path)
                if found:
                    return await self._answer_function(exchange, *found)
            page = home_page(self._configuration) if exchange.line.path == "/" else None
            return page or _NOT_FOUND
        except TooManyRequests:
            return Answer(status=429, headers=(("X-FUNCTION-SCALEOUT", "1"),))
        except BodyTooLarge:
            return Answer(status=413, headers=_CLOSE)
        except RequestPayloadError:
            return Answer(status=400, headers=_CLOSE)

    async def _answer_admin(self, exchange: Exchange) -> Answer | None:
        if self._admin is None or not exchange.line.path.lower().startswith("/admin/"):
            return None
        return await self._admin.answer(
            exchange.line.method,
            exchange.line.path,
            level=self._level(exchange),
            base_url=f"http://{exchange.headers.get('host', '')}",
            body=await exchange.body(),
        )

    async def _answer_function(self, exchange: Exchange, function: Function, values: RouteValues) -> Answer:
        level = self._level(exchange)
        if level < read_level(function.trigger.properties.get("authLevel")):
            return Answer(status=401)
        if self._configuration.is_disabled(function.name) and not (self._keys and level is Level.ADMIN):
            return _NOT_FOUND
        headers = exchange.request.headers.items()
        try:
            sent = self._sign_in.apply(headers) if self._sign_in else headers
        except UnknownUser:
            return Answer(status=401)
        trigger = request_datum(exchange.line, sent, values, await exchange.body())
        return self._outcome_answer(
            function, await self._invoke(Call(function=function, trigger=trigger, reason=CALLED_OVER_HTTP))
        )

    def _outcome_answer(self, function: Function, outcome: Outcome) -> Answer:
        if not outcome.ok:
            return Answer(status=500)
        try:
            return make_answer(outcome.returned)
        except UnusableResponse as error:
            _log.error("The response of function '%s' cannot be sent: %s", function.name, error)
            return Answer(status=500)

    def _level(self, exchange: Exchange) -> Level:
        if self._keys is None:
            return Level.ADMIN
        return self._keys.level_of(exchange.headers, parse_query(exchange.line.query))

    async def _is_running(self) -> bool:
        if self._running is None or self._running.is_set():
            return True
        with suppress(TimeoutError):
            await asyncio.wait_for(self._running.wait(), NOT_READY_SECONDS)
        return self._running.is_set()
