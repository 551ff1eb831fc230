"""The HTTP trigger: a server that takes requests, finds their function, runs it and sends what it returned."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from aiohttp import web
from multidict import CIMultiDict

from devhost.admin import AdminApi
from devhost.configuration import Configuration
from devhost.cors import Cors
from devhost.exchange import Exchange
from devhost.functions import Function
from devhost.home_page import home_page
from devhost.host_json import HostOptions
from devhost.http_wire import SERVER, WireServer, refusal
from devhost.invocation import Call, Invoke
from devhost.keys import Keys, Level, read_level
from devhost.request import parse_query, request_datum
from devhost.request_body import BodyTooLarge, size_limit
from devhost.request_line import RequestRefused, check_host, read_request_line
from devhost.response import Answer, UnusableResponse, make_answer
from devhost.route_matcher import RouteValues
from devhost.routes import Routes
from devhost.throttle import Throttle, TooManyRequests

NOT_READY_SECONDS = 30.0
"""How long a request waits for the host to be running."""

REASON = "This function was programmatically called via the host APIs."

_log = logging.getLogger("devhost.http")


class HttpServer:
    """Serves the HTTP functions of one app, and /admin. `start` once.

    `errors` says, by function name, why a function has no route; the others are served.
    """

    def __init__(
        self,
        functions: Sequence[Function],
        options: HostOptions,
        configuration: Configuration,
        invoke: Invoke,
        *,
        keys: Keys | None = None,
        admin: AdminApi | None = None,
        cors: Cors | None = None,
        running: asyncio.Event | None = None,
    ) -> None:
        """`keys` None: every caller may do everything. `running`: set while functions may be called; None: always.

        Disabled functions belong among `functions`: they answer 404 and hide what stands behind them.
        """
        self._options = options.http
        self._configuration = configuration
        self._invoke = invoke
        self._keys = keys
        self._admin = admin
        self._cors = cors
        self._running = running
        self._routes = Routes(functions, options.http.route_prefix)
        self._size_limit = size_limit(configuration)
        self._throttle = Throttle(
            outstanding=options.http.max_outstanding_requests, concurrent=options.http.max_concurrent_requests
        )
        self._stopping = False
        self._listening: asyncio.Server | None = None

    @property
    def errors(self) -> Mapping[str, str]:
        return self._routes.errors

    async def start(self, address: str, port: int) -> int:
        """Listens; the port is in the answer, a free one for 0.

        Raises:
            OSError: the port is taken or the address is not this machine's.
        """
        self._wire = WireServer(self._handle)
        self._listening = await asyncio.get_running_loop().create_server(self._wire, address, port)
        return int(self._listening.sockets[0].getsockname()[1])

    async def stop(self, grace: float = 30.0) -> None:
        """Nothing new is taken; what was running has ended, or was cut off after `grace` seconds."""
        if self._listening is None:
            return
        self._stopping = True
        self._listening.close()
        self._wire.pre_shutdown()
        await self._wire.shutdown(grace)
        if self._admin:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._admin.finish(), grace)
        self._listening = None

    async def _handle(self, request: web.BaseRequest) -> web.Response:
        try:
            line = read_request_line(request.raw_path.encode("latin-1"))
            check_host(line, request.headers.getall("Host", []))
        except RequestRefused as refused:
            return refusal(refused)
        exchange = Exchange(request, line, self._size_limit)
        preflight = self._cors.preflight(line.method, exchange.headers) if self._cors else None
        answer = preflight or await self._answer(exchange)
        if self._cors and not preflight:
            answer = replace(answer, headers=(*answer.headers, *self._cors.headers(exchange.headers)))
        return self._response(exchange, answer)

    async def _answer(self, exchange: Exchange) -> Answer:
        try:
            if answer := await self._answer_admin(exchange):
                return answer
            if not await self._is_running():
                return Answer(
                    status=503,
                    headers=(("Content-Type", "text/plain; charset=utf-8"),),
                    body=b"Function host is not running.",
                )
            async with self._throttle.admitted():
                found = self._routes.find(exchange.line.method, exchange.line.path)
                if found:
                    return await self._answer_function(exchange, *found)
            if exchange.line.path == "/" and (page := home_page(self._configuration)):
                return page
            return Answer(status=404)
        except TooManyRequests:
            return Answer(status=429, headers=(("X-FUNCTION-SCALEOUT", "1"),))
        except BodyTooLarge:
            return Answer(status=413, headers=(("Connection", "close"),))
        except web.RequestPayloadError:
            return Answer(status=400, headers=(("Connection", "close"),))

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
            return Answer(status=404)
        trigger = request_datum(exchange.line, exchange.request.headers.items(), values, await exchange.body())
        outcome = await self._invoke(Call(function=function, trigger=trigger, reason=REASON))
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

    def _response(self, exchange: Exchange, answer: Answer) -> web.Response:
        headers: CIMultiDict[str] = CIMultiDict(answer.headers)
        for name, value in (*self._options.custom_headers.items(), ("Server", SERVER)):
            headers.setdefault(name, value)
        response = web.Response(status=answer.status, headers=headers, body=answer.body or None)
        if self._stopping or exchange.wants_close or headers.get("Connection", "").lower() == "close":
            response.force_close()
        return response
