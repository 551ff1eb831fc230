"""A receiver of callbacks beside a test that does not wait for it: it runs on a thread of its own."""

import asyncio
import threading
from types import TracebackType
from typing import Self

from tests.support.receiver import Behaviour, Received, Receiver


class RunningReceiver:
    """A Receiver that listens until the block ends."""

    def __init__(self, *behaviours: Behaviour) -> None:
        self._receiver = Receiver(*behaviours)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def requests(self) -> list[Received]:
        """What came so far, in its order."""
        return list(self._receiver.requests)

    @property
    def connections(self) -> int:
        return self._receiver.connections

    @property
    def place(self) -> str:
        """What FIXIT_CALLBACK_ALLOW must say."""
        return f"localhost:{self._receiver.port}"

    @property
    def ca_file(self) -> str:
        """For SSL_CERT_FILE."""
        return self._receiver.ca_file

    def url(self, path: str = "/") -> str:
        return self._receiver.url(path)

    def behave(self, *behaviours: Behaviour) -> None:
        """From now on, and forget what came."""
        self._receiver.requests.clear()
        self._receiver.behaviours = behaviours

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._receiver.start(), self._loop).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._receiver.stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
