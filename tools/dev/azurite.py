"""Azurite, the storage emulator, as a process of ours on 127.0.0.1."""

import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from tools.dev.child import Child, ChildEnded
from tools.dev.held import Held
from tools.dev.node import find_node
from tools.dev.paths import AZURITE
from tools.dev.ports import kept_port
from tools.dev.problem import Problem

ACCOUNT = "devstoreaccount1"
# The emulator's well-known key, the same everywhere: https://learn.microsoft.com/azure/storage/common/storage-use-azurite
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
READY = r"Azurite {} service is successfully listening at http://127\.0\.0\.1:(\d+)"


class Azurite:
    """Blob, queue and table service of one emulated account.

    `folder` keeps the data; None keeps it in memory (for tests: faster, but after thousands of deleted messages a
    minute that mode stalls for seconds). `ports` are those of blob, queue and table; 0 takes a free one, which stays
    the same when it is started again.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        ports: tuple[int, int, int] = (0, 0, 0),
        on_line: Callable[[str], None] | None = None,
    ) -> None:
        self._folder = folder
        self._held = Held(folder) if folder else None
        self._on_line = on_line
        self._child: Child | None = None
        self.blob_port, self.queue_port, self.table_port = (port or kept_port(self) for port in ports)

    @property
    def connection_string(self) -> str:
        """The account for any SDK. 127.0.0.1, never localhost, which may mean ::1, where Azurite does not listen."""
        ports = {"Blob": self.blob_port, "Queue": self.queue_port, "Table": self.table_port}
        return connection_string(ports)

    @property
    def child(self) -> Child:
        """The running process. An error before `start`."""
        if self._child is None:
            raise RuntimeError("Azurite was not started")
        return self._child

    def start(self) -> Self:
        """Start it; on return all three services answer.

        Raises:
            Problem: it cannot start (not installed, a port is taken, its data is broken or used by another one);
                nothing is left running.
        """
        if not AZURITE.exists():
            raise Problem("Azurite is not installed: run `python3 dev.py start`, or `npm ci`.")
        if self._held:
            self._held.take()
        where = ["--inMemoryPersistence"] if self._folder is None else ["--location", str(self._folder)]
        # The pinned SDKs speak newer API versions than any Azurite knows, hence --skipApiVersionCheck.
        options = ["--silent", "--disableTelemetry", "--skipApiVersionCheck"]
        for service in ("blob", "queue", "table"):
            options += [f"--{service}Host", "127.0.0.1", f"--{service}Port", str(getattr(self, f"{service}_port"))]
            # By default it closes idle connections after 5 s, aiohttp's clients theirs after 15: a request may be lost.
            options += [f"--{service}KeepAliveTimeout", "30"]
        # AZURITE_ACCOUNTS and its like would make it another account than ours.
        env = {name: value for name, value in os.environ.items() if not name.startswith("AZURITE_")}
        self._child = Child(
            [find_node(), AZURITE, *where, *options], cwd=Path(tempfile.gettempdir()), env=env, on_line=self._on_line
        )
        try:
            # Its own words, not an open port: that port may be another emulator's.
            for service in ("Blob", "Queue", "Table"):
                port = int(self._child.wait_line(READY.format(service), timeout=30)[1])
                setattr(self, f"{service.lower()}_port", port)
        except (ChildEnded, TimeoutError) as error:
            self.stop()
            raise Problem(f"Azurite does not start: {self._reason(str(error))}") from None
        return self

    def wait(self) -> str:
        """Once it has ended: its status and its last words."""
        return self.child.wait_reason()

    def stop(self) -> None:
        """End it. What `folder` holds is written first. Repeating it is harmless."""
        if self._child is not None:
            self._child.stop()
        if self._held:
            self._held.leave()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _reason(self, text: str) -> str:
        if taken := re.search(r"EADDRINUSE.*:(\d+)", text):
            return f"port {taken[1]} is taken by another program; end that one (another Azurite?) and try again."
        damaged = f" If its data is damaged, remove {self._folder} and try again." if self._folder else ""
        return text.strip().splitlines()[-1] + damaged


def connection_string(ports: dict[str, int]) -> str:
    """The emulator's account with its services (`Blob`, `Queue`, `Table`) at these ports of 127.0.0.1."""
    endpoints = "".join(f"{name}Endpoint=http://127.0.0.1:{port}/{ACCOUNT};" for name, port in ports.items())
    return f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};{endpoints}"
