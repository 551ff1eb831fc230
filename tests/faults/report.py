"""Sums up, at the end of a run, what the tests in this folder did to the product. A plugin of pytest."""

from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.support.tally import counted

FOLDER = Path(__file__).parent
SURVIVED = "survived"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Keep with a test's result what happened in it: the reports of all processes reach the one that sums up."""
    before = counted()
    try:
        return (yield)
    finally:
        if item.path.is_relative_to(FOLDER):
            item.user_properties.append((SURVIVED, dict(counted() - before)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line, if there is something to tell."""
    reports = [
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        if report.when == "call"
    ]
    totals: Counter[str] = Counter()
    failed = 0
    for report in reports:
        happened = [value for name, value in report.user_properties if name == SURVIVED]
        for each in happened:
            totals.update(each)
        failed += bool(happened and report.failed)
    if totals:
        told = ", ".join(f"{times:,} {what}" for what, times in totals.most_common())
        end = f"NOT survived in {failed} tests" if failed else "all survived"
        terminalreporter.write_line(f"tests/faults: {told}: {end}.")
