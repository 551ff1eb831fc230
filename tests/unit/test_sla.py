"""docs/sla.md: every figure follows from the one table of what is promised."""

import re
from pathlib import Path

import pytest

from shared.settings import Settings

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "sla.md").read_text("utf-8")
PROMISED = {
    name: float(percent) / 100 for name, percent in re.findall(r"^\| `(\w+)` \| ([\d.]+) % \|", TEXT, re.MULTILINE)
}
ROWS = re.findall(r"^\| (.+) \| `([^`]+)` \| ([\d.]+) % \| (.+) \|$", TEXT, re.MULTILINE)
MONTH = 30 * 24 * 3_600


def _twice(one: float) -> float:
    return 1 - (1 - one) ** 2


def _available(arithmetic: str) -> float:
    names = {"__builtins__": {}, "twice": _twice, **PROMISED}
    return float(eval(arithmetic, names))


def _time(seconds: int) -> str:
    """The two largest parts of a time; from an hour on, to the minute."""
    if seconds >= 3_600:
        minutes = round(seconds / 60)
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"


def test_table_of_what_is_promised_holds_what_the_arithmetic_needs() -> None:
    used = {name for _, arithmetic, *_ in ROWS for name in re.findall(r"[a-z]+", arithmetic)} - {"twice"}
    assert used == set(PROMISED)
    assert all(0.9 < each < 1 for each in PROMISED.values())


@pytest.mark.parametrize(("what", "arithmetic", "percent", "out"), ROWS, ids=range(len(ROWS)))
def test_figure_follows(what: str, arithmetic: str, percent: str, out: str) -> None:
    available = _available(arithmetic)
    assert percent == f"{available * 100:.4f}", what
    assert out == _time(round((1 - available) * MONTH)), what


def test_queue_a_second_account_and_a_second_app_each_help_and_a_front_costs() -> None:
    accepting = [_available(arithmetic) for _, arithmetic, *_ in ROWS[:5]]
    assert accepting[:4] == sorted(accepting[:4])
    assert accepting[4] < accepting[3]
    assert f"one failed request in {1 / (1 - accepting[1]):.0f}" in TEXT


@pytest.mark.parametrize(
    ("said", "setting", "meant"),
    [
        ("within five minutes after its end", "FIXIT_DEFER_CAP_SECONDS", 5 * 60),
        ("`overdue` after a minute", "FIXIT_TARGET_SECONDS", 60),
        ("seven days", "FIXIT_GIVE_UP_DAYS", 7),
    ],
)
def test_bounds_are_those_of_the_settings(said: str, setting: str, meant: int) -> None:
    assert f"{said} (`{setting}`)" in TEXT
    assert getattr(Settings.from_environment({}), setting.removeprefix("FIXIT_").lower()) == meant
