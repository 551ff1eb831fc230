"""An HTTP server on a port of its own that can refuse connections for a while and come back on the same port."""

import asyncio
import socket
from typing import Any

from aiohttp import web


class Listener:
    """One handler on 127.0.0.1. All methods belong to one event loop."""

    def __init__(self, handler: Any) -> None:
        # Bodies are handed on as they are, and may be as large as a photo.
        self._server = web.Server(handler, request_factory=_request, auto_decompress=False, access_log=None)
        self._listening: asyncio.Server | None = None
        self._reserved: socket.socket | None = None
        self.port = 0

    async def up(self) -> None:
        """Listen: at first on a free port, then always on the same one. Harmless when it does already."""
        if self._listening:
            return
        if self._reserved:
            self._reserved.close()
        self._listening = await asyncio.get_running_loop().create_server(self._server, "127.0.0.1", self.port)
        self.port = self._listening.sockets[0].getsockname()[1]

    async def down(self) -> None:
        """Refuse connections and cut the open ones. Harmless when it does already."""
        if self._listening is None:
            return
        self._listening.close()
        self._listening = None
        self._reserved = socket.socket()
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", self.port))  # bound without listening: refuses, and nobody else takes it
        for connection in self._server.connections:
            if connection.transport:
                connection.transport.abort()

    async def close(self) -> None:
        """End for good: handlers that still run are cancelled."""
        await self.down()
        if self._reserved:
            self._reserved.close()
        await self._server.shutdown(0.01)  # 0 would mean for ever


def _request(message: Any, payload: Any, protocol: Any, writer: Any, task: Any) -> web.BaseRequest:
    return web.BaseRequest(message, payload, protocol, writer, task, asyncio.get_running_loop(), client_max_size=2**30)
