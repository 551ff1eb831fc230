"""A server on a free port with functions of the test's choosing, and a client that sends bytes as they are."""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from azure_functions_runtime.bindings.datumdef import Datum

from devhost.functions import Binding, Function
from devhost.http.server import HttpServer
from devhost.invocation import Call, Invoke, Outcome
from devhost.settings.configuration import Configuration
from devhost.settings.host_json import HostOptions, HttpOptions, SingletonOptions
from devhost.settings.queue_options import QueueOptions


def http_function(
    name: str, route: str | None = None, methods: Sequence[str] | None = None, **properties: Any
) -> Function:
    """An HTTP function as the worker reports it; keys with the value None are left out."""
    given = {"authLevel": "ANONYMOUS", "route": route, "methods": methods, **properties}
    trigger = Binding(
        type="httpTrigger",
        direction="in",
        name="req",
        properties={key: value for key, value in given.items() if value is not None},
    )
    return Function(name=name, id=name, bindings=(trigger, Binding(type="http", direction="out", name="$return")))


def http_datum(
    body: bytes = b"", *, status: str = "200", headers: Mapping[str, str] | None = None, cookies: Any = None
) -> Datum:
    """What the worker library makes of a `func.HttpResponse`."""
    return Datum(
        {
            "status_code": Datum(status, "string"),
            "headers": {name: Datum(value, "string") for name, value in (headers or {}).items()},
            "cookies": cookies,
            "body": Datum(body, "bytes"),
        },
        "http",
    )


@dataclass
class Recorder:
    """Runs calls by remembering them; every function returns `outcome`."""

    outcome: Outcome = field(default_factory=lambda: Outcome(ok=True, returned=http_datum(b"ok")))
    calls: list[Call] = field(default_factory=list)

    async def __call__(self, call: Call) -> Outcome:
        self.calls.append(call)
        return self.outcome

    @property
    def last(self) -> Mapping[str, Any]:
        """The request of the latest call: method, url, body, and headers, params, query as plain texts."""
        value = self.calls[-1].trigger.value
        maps = {
            key: {name: datum.value for name, datum in value[key].items()} for key in ("headers", "params", "query")
        }
        return {key: value[key].value for key in ("method", "url", "body")} | maps


def host_options(**http: Any) -> HostOptions:
    return HostOptions(
        functions=None,
        function_timeout=None,
        queues=QueueOptions(
            batch_size=16,
            new_batch_threshold=8,
            max_polling_interval=timedelta(seconds=2),
            max_dequeue_count=5,
            visibility_timeout=timedelta(0),
            message_encoding="base64",
        ),
        http=HttpOptions(**http),
        singleton=SingletonOptions(),
        extension_bundle=None,
    )


@dataclass
class Served:
    """A running server."""

    server: HttpServer
    port: int

    async def send(self, data: bytes) -> "Reply":
        """Sends the bytes and reads what comes until the server closes or one whole answer is there."""
        return (await self.send_all(data, 1))[0]

    async def send_all(self, data: bytes, answers: int) -> list["Reply"]:
        """Sends the bytes and reads this many answers from one connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(data)
            return [await read_reply(reader, has_body=not data.startswith(b"HEAD ")) for _ in range(answers)]
        finally:
            writer.close()

    async def get(self, target: str, method: str = "GET", **headers: str) -> "Reply":
        """A request without a body; header names with '_' for '-'."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: localhost:{self.port}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return await self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    async def post(self, target: str, body: bytes, **headers: str) -> "Reply":
        """A POST with a Content-Length."""
        lines = [f"POST {target} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return await self.send(("\r\n".join(lines) + "\r\n\r\n").encode() + body)


@dataclass
class Reply:
    """An answer. `headers` by lower-case name, the last of several; `cookies` all of Set-Cookie."""

    status: int
    headers: Mapping[str, str]
    cookies: list[str]
    body: bytes


async def read_reply(reader: asyncio.StreamReader, *, has_body: bool = True) -> Reply:
    """The next answer on a connection."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in head[1:] if line)]
    headers = dict(pairs)
    length = int(headers.get("content-length", "0")) if has_body else 0
    return Reply(
        status=int(head[0].split(" ")[1]),
        headers=headers,
        cookies=[value for name, value in pairs if name == "set-cookie"],
        body=await reader.readexactly(length),
    )


@asynccontextmanager
async def serving(
    *functions: Function,
    invoke: Invoke | None = None,
    settings: Mapping[str, str] | None = None,
    http: Mapping[str, Any] | None = None,
    **options: Any,
) -> AsyncIterator[Served]:
    """A server for these functions; `http` are the options of host.json's `extensions.http`."""
    server = HttpServer(
        functions,
        host_options(**(http or {})),
        Configuration(settings or {}),
        invoke or Recorder(),
        **options,
    )
    port = await server.start("127.0.0.1", 0)
    try:
        yield Served(server, port)
    finally:
        await server.stop(5)


def closed_by_server(port: int, data: bytes) -> bytes:
    """Everything the server sends for these bytes until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(data)
        received = b""
        while piece := connection.recv(65536):
            received += piece
    return received
