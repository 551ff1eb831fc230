"""A receiver of callbacks on real sockets, with a certificate of its own authority, that can do whatever one may do."""

import asyncio
import atexit
import contextlib
import functools
import ssl
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import trustme

Behaviour = Callable[[asyncio.StreamWriter], Awaitable[None]]
"""What is done once a request came; the connection is closed after it."""


@dataclass(frozen=True, kw_only=True)
class Received:
    """One request, byte for byte: `head` up to the blank line, and `body`."""

    head: bytes
    body: bytes

    @property
    def line(self) -> str:
        """`POST /path HTTP/1.1`."""
        return self.head.decode("latin-1").split("\r\n")[0]

    @property
    def headers(self) -> dict[str, str]:
        """The headers, by names in lower case."""
        lines = self.head.decode("latin-1").strip().split("\r\n")[1:]
        return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


class Receiver:
    """An https server on 127.0.0.1 that keeps every request. All methods belong to one event loop.

    `behaviours` are for the first requests, one each; the last of them is for all that follow.
    """

    def __init__(
        self,
        *behaviours: Behaviour,
        names: Iterable[str] = (),
        address: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        """`names`: what its certificate is for besides localhost and its address."""
        self.behaviours = behaviours or (reply(),)
        self.requests: list[Received] = []
        self.connections = 0
        self.port = port
        self._address = address
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        _authority()[0].issue_cert("localhost", address, *names).configure_cert(self._tls)
        self._server: asyncio.Server | None = None
        self._at_work: set[asyncio.Task[None]] = set()

    @property
    def ca_file(self) -> str:
        """The certificate of the authority of all receivers of this process, for SSL_CERT_FILE."""
        return _authority()[1]

    def url(self, path: str = "/", host: str = "localhost") -> str:
        return f"https://{host}:{self.port}{path}"

    async def start(self) -> None:
        """Listen: at first on a free port unless one was given, then always on the same one."""
        self._server = await asyncio.start_server(self._serve, self._address, self.port, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Refuse connections, and cut the open ones. Harmless when it does already."""
        if self._server is None:
            return
        self._server.close()
        self._server.abort_clients()
        self._server = None
        for task in self._at_work:
            task.cancel()
        await asyncio.gather(*self._at_work, return_exceptions=True)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)
        self.connections += 1
        # The client may hang up at any time, and stop() at all times.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = Received(head=head, body=b"").headers.get("content-length", "0")
            received = Received(head=head, body=await reader.readexactly(int(length)))
            behaviour = self.behaviours[min(len(self.requests), len(self.behaviours) - 1)]
            self.requests.append(received)
            await behaviour(writer)
            await writer.drain()
        writer.close()


@functools.cache
def _authority() -> tuple[trustme.CA, str]:
    """The authority, and the file of its certificate, which lasts as long as this process."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    authority = trustme.CA()
    path = Path(folder.name) / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return authority, str(path)


def reply(status: int = 200, body: bytes = b"", **headers: str) -> Behaviour:
    """An honest answer. `retry_after="5"` is the header `Retry-After`; a length is added unless one is given."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    lines = {"Content-Length": str(len(body)), **named}.items()
    head = "".join(f"{name}: {value}\r\n" for name, value in lines)
    return raw(f"HTTP/1.1 {status} Word\r\n{head}\r\n".encode("latin-1") + body)


def redirect(location: str) -> Behaviour:
    return reply(302, location=location)


def lie(length: int, body: bytes = b"short") -> Behaviour:
    """An answer that says another length than it has."""
    return reply(200, body, content_length=str(length))


def raw(answer: bytes) -> Behaviour:
    """These bytes, and the end of the connection; none at all closes it early."""

    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(answer)

    return write


def late(seconds: float, behaviour: Behaviour) -> Behaviour:
    """The same after a while."""

    async def wait(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        await behaviour(writer)

    return wait


def reset() -> Behaviour:
    """The connection is cut without a word of goodbye."""

    async def cut(writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    return cut


def drip(start: bytes, every: float) -> Behaviour:
    """These bytes at once, then one `x` after the other, until the client hangs up.

    A start that ends within a header drips that header, one that ends after the blank line drips a body.
    """

    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        while not writer.is_closing():
            await writer.drain()
            await asyncio.sleep(every)
            writer.write(b"x")

    return write


def drip_headers(every: float) -> Behaviour:
    return drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", every)


def drip_body(every: float) -> Behaviour:
    return drip(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", every)


def flood(length: int, sent: list[int]) -> Behaviour:
    """A body of so many bytes, as fast as the client takes it; `sent` tells how many went out, chunk by chunk."""
    chunk = b"x" * 65_536

    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n".encode())
        for _ in range(length // len(chunk)):
            writer.write(chunk)
            await writer.drain()
            sent.append(len(chunk))

    return write


def hang() -> Behaviour:
    """Nothing, for as long as the client waits."""

    async def wait(writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            await asyncio.sleep(0.01)

    return wait


@asynccontextmanager
async def without_tls(answer: bytes | None) -> AsyncIterator[int]:
    """The port of a server that meets the start of a TLS handshake with these bytes, then hangs up; None: it hangs."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        if answer is None:
            with contextlib.suppress(OSError):
                await reader.read()
        else:
            writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
        server.abort_clients()
