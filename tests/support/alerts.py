"""The alerts of infra/common, and whether each fires over what a product wrote and answered."""

import json
import operator
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.kql import Row, run
from tools.dev.paths import ROOT

COMMON = ROOT / "infra" / "common"
ALERTS: list[dict[str, Any]] = json.loads((COMMON / "alerts.json").read_text("utf-8"))

_COMPARED = {"GreaterThan": operator.gt}
_UNITS = {"M": "minutes", "H": "hours", "D": "days"}
_BEGINS = re.compile(r"\[[\d:.TZ-]+\] ")


def query(alert: Mapping[str, Any], *, target: float = 60, apps: int = 1) -> str:
    """The query as the templates send it, with what they know put in."""
    return "\n".join(alert["query"]).replace("{targetSeconds}", f"{target:g}").replace("{apps}", f"{apps}")


def minutes(duration: str) -> int:
    """Of an ISO duration as the service has them: `PT5M`, `PT1H`, `P2D`."""
    number, unit = re.fullmatch(r"PT?(\d+)([MHD])", duration).groups()  # type: ignore[union-attr]
    return timedelta(**{_UNITS[unit]: int(number)}) // timedelta(minutes=1)


def firing(tables: Mapping[str, list[Row]], now: datetime, *, apps: int = 1) -> set[str]:
    """The names of the alerts that fire at that time."""
    return {alert["name"] for alert in ALERTS if _fires(alert, query(alert, apps=apps), tables, now)}


def _fires(alert: Mapping[str, Any], text: str, tables: Mapping[str, list[Row]], now: datetime) -> bool:
    window = timedelta(minutes=minutes(alert["window"]))
    failing, needed = 0, int(alert["failing"]["min"])
    for number in range(alert["failing"]["of"]):
        end = now - number * window
        rows = [row for row in tables[text.partition("\n")[0]] if end - window <= row["timestamp"] < end]
        failing += _COMPARED[alert["operator"]](len(run(text, rows, end)), alert["threshold"])
    return failing >= needed


class Watched:
    """A product whose clock is the test's: a report ends each minute, and what was logged since belongs to it.

    `tables` are what Azure would hold of it: `traces` its lines, `requests` what was asked for through `get`.
    """

    def __init__(self, fixit: FixIt) -> None:
        self.fixit = fixit
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.tables: dict[str, list[Row]] = {"traces": [], "requests": []}
        self._read = len(fixit.host.lines())

    def get(self, path: str) -> int:
        """Ask for it; the status."""
        status = self.fixit.get(path).status
        self.tables["requests"].append(
            {"timestamp": self.now, "resultCode": f"{status}", "url": f"{self.fixit.url}{path}"}
        )
        return status

    def passes(self, minutes: int) -> None:
        """So many minutes."""
        for _ in range(minutes):
            reports = self._reports()
            assert self.fixit.request("POST", "/admin/functions/report", b"{}").status == 202
            eventually(lambda before=reports: self._reports() > before, what="a report")  # type: ignore[misc]
            lines = self.fixit.host.lines()
            new, self._read = lines[self._read :], len(lines)
            self.tables["traces"] += [self._row(line) for line in _whole(new)]
            self.now += timedelta(minutes=1)

    def firing(self, *, after: timedelta = timedelta(0), apps: int = 1) -> set[str]:
        """The alerts that fire now, or after a time of silence."""
        return firing(self.tables, self.now + after, apps=apps)

    def _reports(self) -> int:
        return sum("Executed 'Functions.report'" in line for line in self.fixit.host.lines())

    def _row(self, message: str) -> Row:
        return {"timestamp": self.now, "message": message, "cloud_RoleName": "func-fixit"}


def _whole(lines: list[str]) -> Iterator[str]:
    """Each line of the log without the time that the local host prints before it, and with those that belong to it."""
    text = "\n".join(lines)
    yield from (part.rstrip("\n") for part in _BEGINS.split(text) if part)
