"""The HTTP trigger: a server that takes requests, finds their function, runs it and sends what it returned."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress

from aiohttp import web
from multidict import CIMultiDict

from devhost.functions import Function
from devhost.http.admin import AdminApi
from devhost.http.cors import Cors
from devhost.http.exchange import Exchange
from devhost.http.keys import Keys
from devhost.http.pipeline import HttpPipeline
from devhost.http.request_body import size_limit
from devhost.http.request_line import RequestRefused, check_host, read_request_line
from devhost.http.response import Answer
from devhost.http.wire import SERVER, WireServer, refusal
from devhost.invocation import Invoke
from devhost.settings.configuration import Configuration
from devhost.settings.host_json import HostOptions

_CUT_SECONDS = 0.5
"""What a connection gets to send its last bytes, and its handler to notice that it is cancelled."""


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

        Raises:
            HostConfigError: the setting DEVHOST_SIGN_IN names a file that cannot be used.
        """
        self._pipeline = HttpPipeline(
            functions, options.http, configuration, invoke, keys=keys, admin=admin, cors=cors, running=running
        )
        self._admin = admin
        self._custom_headers = options.http.custom_headers
        self._size_limit = size_limit(configuration)
        self._listening: asyncio.Server | None = None
        self._stopping = False
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def errors(self) -> Mapping[str, str]:
        return self._pipeline.errors

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
        self._wire.close_idle()
        with suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await self._idle.wait()
                if self._admin:
                    await self._admin.finish()
        await self._wire.shutdown(_CUT_SECONDS)
        self._listening = None

    async def _handle(self, request: web.BaseRequest) -> web.Response:
        self._in_flight += 1
        self._idle.clear()
        try:
            line = read_request_line(request.raw_path.encode("latin-1"))
            check_host(line, request.headers.getall("Host", []))
            exchange = Exchange(request, line, self._size_limit)
            return self._response(exchange, await self._pipeline.answer(exchange))
        except RequestRefused as refused:
            return refusal(refused)
        finally:
            self._in_flight -= 1
            if not self._in_flight:
                self._idle.set()

    def _response(self, exchange: Exchange, answer: Answer) -> web.Response:
        headers: CIMultiDict[str] = CIMultiDict(answer.headers)
        for name, value in (*self._custom_headers.items(), ("Server", SERVER)):
            headers.setdefault(name, value)
        if self._stopping or exchange.wants_close:
            headers["Connection"] = "close"
        elif exchange.line.http_10:
            headers.setdefault("Connection", "keep-alive")
        response = web.Response(status=answer.status, headers=headers, body=answer.body or None)
        if headers.get("Connection", "").lower() == "close":
            response.force_close()
        return response
