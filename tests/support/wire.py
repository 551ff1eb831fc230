"""The wire between an app and its storage: records every request, and breaks the ones a test chooses.

Proxies with an event loop in a thread of their own, so that synchronous and asynchronous tests and hosts in other
processes all use them the same way.
"""

import asyncio
import threading
import time
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Literal, Self, Unpack

import aiohttp
from aiohttp import web

from tests.support.fault import Damage, Fault, Kind, Which, error_response, is_of
from tests.support.listener import Listener
from tests.support.passing_on import pass_on
from tests.support.storage_request import StorageRequest, operation
from tools.dev.azurite import Azurite, connection_string

SERVICES = ("blob", "queue", "table")
PAUSE_SECONDS = 0.01


class Wire:
    """A proxy in front of one emulator, on ports of its own. Use it as a context manager.

    Several may stand in front of the same emulator: give each client its own to tell their requests apart.
    """

    def __init__(self, azurite: Azurite) -> None:
        self._upstream = {s: f"http://127.0.0.1:{getattr(azurite, f'{s}_port')}" for s in SERVICES}
        self._listeners: dict[str, Listener] = {}
        self._requests: list[StorageRequest] = []
        self._faults: list[Fault] = []
        self._lock = threading.Lock()
        self._began = time.monotonic()

    @property
    def connection_string(self) -> str:
        """The account, reached through this wire."""
        return connection_string({s.capitalize(): listener.port for s, listener in self._listeners.items()})

    @property
    def requests(self) -> list[StorageRequest]:
        """All requests so far, in the order in which they came."""
        with self._lock:
            return list(self._requests)

    def of(self, **kind: Unpack[Kind]) -> list[StorageRequest]:
        """The requests of a kind so far, in their order: `wire.of(service="queue", op="put")`."""
        return [request for request in self.requests if is_of(request, kind)]

    def clear(self) -> None:
        """Forget the requests so far. Faults stay."""
        with self._lock:
            self._requests.clear()

    def fail(
        self,
        *,
        status: int = 500,
        code: str = "InternalError",
        after: bool = False,
        cut: bool = False,
        delay: float = 0,
        **which: Unpack[Which],
    ) -> Fault:
        """Break the next request of a kind (or others, by `nth` and `times`).

        By default it never reaches storage and is answered with `status` and the storage error `code`. `after` lets
        storage do it first and loses the true answer. `cut` closes the connection instead of answering. `delay` passes
        that many seconds before it all.
        """
        return self.damage(Damage(status=status, code=code, after=after, cut=cut, delay=delay), **which)

    def slow(self, delay: float, **which: Unpack[Which]) -> Fault:
        """Let the next request of a kind reach storage only after `delay` seconds, and then work."""
        return self.damage(Damage(delay=delay), **which)

    def hold(self, *, after: bool = False, **which: Unpack[Which]) -> Fault:
        """Keep the next request of a kind until `release()` is called on what this returns; `after`: keep its answer.

        With `wait_hit()` first, a test stops the app at an exact place without sleeping.
        """
        return self.damage(Damage(held=True, after=after), **which)

    def silence(self, *, after: bool = False, late: bool = False, **which: Unpack[Which]) -> Fault:
        """Never answer the next request of a kind: its client gives up in the end.

        By default storage never gets it. `after`: storage does it at once. `late`: storage gets it only once the client
        has given up, as a request does that was long on its way.
        """
        return self.damage(Damage(silent=True, after=after, late=late), **which)

    def duplicate(self, *, answer: Literal["first", "second"] = "second", **which: Unpack[Which]) -> Fault:
        """Let storage get the next request of a kind twice, and give the client one of the two answers."""
        return self.damage(Damage(twice=answer), **which)

    def damage(self, damage: Damage, **which: Unpack[Which]) -> Fault:
        """Do this to the next request of a kind (or to others, by `nth` and `times`)."""
        fault = Fault(which, damage)
        with self._lock:
            self._faults.append(fault)
        return fault

    def heal(self) -> None:
        """Take back every fault, release what is held, and bring services up again."""
        with self._lock:
            faults, self._faults = self._faults, []
        for fault in faults:
            fault.release()
        for service in SERVICES:
            self.up(service)

    def down(self, service: str) -> None:
        """Refuse connections to the service and cut the open ones, until `up`. The port stays reserved."""
        self._run(self._listeners[service].down())

    def up(self, service: str) -> None:
        """Accept connections to the service again, on the same port."""
        self._run(self._listeners[service].up())

    def __enter__(self) -> Self:
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live(started)), daemon=True)
        self._thread.start()
        started.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    async def _live(self, started: threading.Event) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        try:
            async with aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None),
                auto_decompress=False,
            ) as self._client:
                for service in SERVICES:
                    self._listeners[service] = Listener(self._handler(service))
                    await self._listeners[service].up()
                started.set()
                await self._over.wait()
                for listener in self._listeners.values():
                    await listener.close()
        finally:
            started.set()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _handler(self, service: str) -> Any:
        async def handle(request: web.BaseRequest) -> web.StreamResponse:
            record = await self._record(service, request)
            try:
                response = await self._answer(record, request)
            finally:
                record.seconds = time.monotonic() - self._began - record.at
            if response is not None:
                record.status = response.status
                return response
            if request.transport is not None:
                request.transport.abort()
            return web.Response()

        return handle

    async def _record(self, service: str, request: web.BaseRequest) -> StorageRequest:
        at = time.monotonic() - self._began
        query = {name.lower(): value for name, value in request.query.items()}
        op, target = operation(service, request.method, request.path, query, request.headers)
        record = StorageRequest(
            service=service,
            op=op,
            target=target,
            method=request.method,
            path=request.path,
            query=query,
            headers=request.headers.copy(),
            body=await request.read(),
            at=at,
        )
        with self._lock:
            self._requests.append(record)
        return record

    async def _answer(self, record: StorageRequest, request: web.BaseRequest) -> web.Response | None:
        """The answer to give, or None to cut the connection."""
        with self._lock:
            # All of them count it, so that `nth` means the same whatever else is broken; the oldest one acts.
            acting = [fault for fault in self._faults if fault.counts_in(record)]
        if not acting:
            return await self._true_answer(record, request)
        fault, damage = acting[0], acting[0].damage
        await asyncio.sleep(damage.delay)
        answer = await self._true_answer(record, request) if damage.after or damage.twice else None
        fault.hit(record)
        if damage.held:
            await fault.released()
        elif damage.twice:
            second = await self._true_answer(record, request)
            return answer if damage.twice == "first" else second
        elif damage.silent:
            await _client_gone(request, fault)
            if damage.late:
                await self._true_answer(record, request)
            return None
        elif damage.cut:
            return None
        elif damage.status is not None:
            return error_response(record, damage.status, damage.code)
        return answer if damage.after else await self._true_answer(record, request)

    async def _true_answer(self, record: StorageRequest, request: web.BaseRequest) -> web.Response | None:
        answer = await pass_on(self._client, self._upstream[record.service], request, record.body)
        record.stored_status = answer.status if answer else None
        return answer


async def _client_gone(request: web.BaseRequest, fault: Fault) -> None:
    """Return once the client has closed its connection, or the fault is over."""
    while not fault.is_over and request.transport is not None and not request.transport.is_closing():
        await asyncio.sleep(PAUSE_SECONDS)
