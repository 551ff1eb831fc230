"""Everything running for once: an emulator in memory and the local host, on free ports."""

import json
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tools.dev.azurite import Azurite
from tools.dev.host import Host
from tools.dev.paths import LOGS, ROOT
from tools.dev.problem import Problem
from tools.dev.start import CONNECTIONS

READY_SECONDS = {"devhost": 60, "func": 300}
"""Core Tools fetch their extensions when they run for the first time."""


class Stage:
    """The app, with data of its own that is gone afterwards. What the host prints goes to `log`.

    `url` is where it answers, `connection_string` its storage account. It has the settings of the example file, and
    those given.
    """

    def __init__(
        self, log: Path = LOGS / "demo.log", *, host: str = "devhost", settings: Mapping[str, str] | None = None
    ) -> None:
        self.log = log
        self._settings = dict(settings or {})
        self._azurite = Azurite()
        self._patience = READY_SECONDS[host]
        self._host = Host(host, port=0, on_line=self._note, on_ready=lambda port: self._ready.set())
        self._ready = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._host.port}"

    @property
    def connection_string(self) -> str:
        return self._azurite.connection_string

    def __enter__(self) -> Self:
        self.log.parent.mkdir(exist_ok=True)
        self._output = self.log.open("w", encoding="utf-8")
        try:
            self._azurite.start()
            example = json.loads((ROOT / "local.settings.example.json").read_text(encoding="utf-8"))
            accounts = dict.fromkeys(CONNECTIONS, self.connection_string)
            self._host.extra = {**example["Values"], **accounts, **self._settings}
            self._host.start()
            self._wait_ready()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Nothing of it is running."""
        self._host.stop()
        self._azurite.stop()
        self._output.close()

    def _wait_ready(self) -> None:
        deadline = time.monotonic() + self._patience
        while not self._ready.wait(0.1):
            if self._host.has_ended:
                raise Problem(f"The host does not start: {self._host.wait()}  All it said is in {self.log}")
            if time.monotonic() > deadline:
                raise Problem(f"The host is not ready after {self._patience} s; what it said is in {self.log}")

    def _note(self, line: str) -> None:
        self._output.write(line + "\n")
        self._output.flush()
