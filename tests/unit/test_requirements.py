"""docs/requirements.md holds every ask once, says how it is met or that it is not, and names tests that run."""

import re

import pytest

from tests.support.references import missing_tests
from tools.dev.paths import ROOT

TEXT = (ROOT / "docs" / "requirements.md").read_text("utf-8")
NUMBERS = [f"{kind}{number}" for kind, most in (("S", 85), ("A", 14), ("K", 7)) for number in range(1, most + 1)]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
ROWS = {
    number: (ask, how, tests)
    for number, ask, how, tests in re.findall(r"^\| ([SAK]\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", TEXT, re.M)
}


def test_every_ask_has_one_row_and_they_stand_in_order() -> None:
    assert re.findall(r"^\| *([SAK]\d+)\b", TEXT, re.M) == NUMBERS == list(ROWS)


@pytest.mark.parametrize("number", NUMBERS)
def test_row_names_tests_that_run_or_says_that_there_is_none(number: str) -> None:
    ask, how, tests = ROWS[number]
    assert len(ask) > 10
    assert status(how) == "met" or len(how.partition(":** ")[2]) > 20, "what is missing is not said"
    if tests.startswith("no test: "):
        assert len(tests) > 20, "why is not said"
        return
    named = NAMED.findall(tests)
    assert tests == ", ".join(f"`{path}::{name}`" for path, name in named), "there is something else in the cell"
    assert named and len(set(named)) == len(named)
    assert missing_tests(tests) == []


def test_sum_is_that_of_the_rows() -> None:
    found = [status(how) for _, how, _ in ROWS.values()]
    untested = [number for number, (_, _, tests) in ROWS.items() if not NAMED.search(tests)]
    met, partly, missing = (found.count(each) for each in ("met", "in part", "not met"))
    said = f"Met: {met}, in part: {partly}, not met: {missing}. Without a test: {len(untested)}."
    assert said in TEXT.splitlines()


def status(how: str) -> str:
    """Whether it is met, as the third column says."""
    marked = re.match(r"\*\*([^*]+):\*\* ", how)
    if not marked:
        assert "**" not in how
        return "met"
    assert marked[1] in ("in part", "not met")
    return marked[1]
