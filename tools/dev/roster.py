"""Says who runs where, once all are there."""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tools.dev.announcement import try_it
from tools.dev.azurite import Azurite
from tools.dev.host import Host
from tools.dev.lanes import Lanes

INTAKE = "intake"


def called(name: str) -> str:
    """A process in a sentence about it, by its short name."""
    return "Intake" if name == INTAKE else f"Lane {name}"


class Roster:
    """Processes by their short names: `intake` and those of the lanes. `hosts` is set before any of them starts."""

    def __init__(
        self,
        say: Callable[[str], None],
        lanes: Lanes,
        accounts: Mapping[str, Azurite],
        *,
        data: Path,
        away_seconds: float,
    ) -> None:
        self._say, self._lanes, self._accounts = say, lanes, accounts
        self._data, self._away_seconds = data, away_seconds
        self._names = {INTAKE: "", **{lane.short_name: f"lane {lane.name}" for lane in lanes.each}}
        self._missing = set(self._names)
        self._turn = threading.Lock()
        self.hosts: Mapping[str, Host] = {}

    def column(self, name: str) -> str:
        """The name as the beginning of a line, as wide as all of them."""
        return f"{name:<{max(map(len, self._names))}}  "

    def ready(self, name: str, port: int) -> None:
        """One of them listens. Called from several threads."""
        with self._turn:
            if not self._missing:
                self._say(f"dev.py: {called(name)} runs again, process {self.hosts[name].pid}.")
            elif self._missing == {name}:
                self._missing.clear()
                for line in self._announcement():
                    self._say(line)
            self._missing.discard(name)

    def _announcement(self) -> Iterator[str]:
        intake = self.hosts[INTAKE]
        yield from ("", "Ready; Ctrl-C stops everything. The hosts:", "")
        for name, what in self._names.items():
            yield f"  {self.column(name)}process {self.hosts[name].pid:<8}{what or f'http://localhost:{intake.port}'}"
        yield from (
            "",
            "The storage accounts; tables and blobs are in the first, and the data of all below",
            f"{self._data}:",
        )
        yield ""
        for name, account in self._accounts.items():
            ports = f"ports {account.blob_port}, {account.queue_port}, {account.table_port}"
            yield f"  {name:<15}process {account.child.pid:<8}{ports}"
        yield from ("", "Try it:", "", *try_it(intake.port), "")
        if len(self._accounts) > 1:
            yield "Lose the last account, and watch: its lanes end after half a minute, intake goes on without it,"
            yield f"and after {self._away_seconds:g} s it comes back."
            end = "taskkill /F /PID" if sys.platform == "win32" else "kill"
            yield from ("", f"  {end} {account.child.pid}", "")
