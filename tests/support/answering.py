"""A server that gives the same answer to everything, in the place of storage."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tools.dev.azurite import connection_string


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[str]:
    """An account whose three services answer everything with these bytes, and hang up."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield connection_string({"Blob": port, "Queue": port, "Table": port})
