"""Every recorded row of Microsoft's own timer trigger comes out equal."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from devhost.timers.schedule import NEVER, parse_schedule

ROWS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data/timer-schedules.json").read_text(encoding="utf-8")
)


def outcome(expression: str, after: str) -> dict[str, Any]:
    """What a recording says about an expression: its next four times, or why there are none."""
    try:
        schedule = parse_schedule(expression, UTC)
    except ValueError:
        return {"kind": None, "next": None, "error": "refused"}
    moment, times = datetime.fromisoformat(after).replace(tzinfo=UTC), []
    for _ in range(4):
        moment = schedule.next_after(moment)
        times.append(moment.replace(tzinfo=None).isoformat())
    if moment == NEVER:
        return {"kind": None, "next": None, "error": "never"}
    return {"kind": schedule.kind, "next": times, "error": None}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['expression']}|{row['after']}")
def test_schedule_recorded_comes_out_equal(row: dict[str, Any]) -> None:
    expected = {key: row[key] for key in ("kind", "next", "error")}
    assert outcome(row["expression"], row["after"]) == expected
