"""Each check of the infrastructure is one line, and what it found follows."""

import json

import pytest

from tools.infra.__main__ import tell
from tools.infra.result import Failed, Skipped, carry_out


def raising(error: Exception) -> str:
    raise error


def test_check_that_passes_says_what_it_looked_at() -> None:
    result = carry_out("checkov", lambda: "12 resources")
    assert result.line().split() == ["checkov", "passed", "in", "0", "s:", "12", "resources"]


def test_check_that_fails_shows_all_that_was_found() -> None:
    result = carry_out("checkov", lambda: raising(Failed("one\ntwo")))
    assert result.outcome == "FAILED"
    assert result.line().splitlines()[1:] == ["    one", "    two"]


def test_check_that_is_skipped_says_why_in_its_line() -> None:
    assert carry_out("checkov", lambda: raising(Skipped("it is not there"))).line().endswith("skipped: it is not there")


def test_results_are_told_to_programs_too(capsys: pytest.CaptureFixture[str]) -> None:
    results = [carry_out("one", lambda: "12 resources"), carry_out("two", lambda: raising(Failed("wrong\nhere")))]
    assert tell(results[:1], as_json=False) == 0
    assert capsys.readouterr().out == ""
    assert tell(results, as_json=True) == 1
    assert [{**each, "seconds": 0} for each in json.loads(capsys.readouterr().out)] == [
        {"name": "one", "outcome": "passed", "details": "12 resources", "seconds": 0},
        {"name": "two", "outcome": "FAILED", "details": "wrong\nhere", "seconds": 0},
    ]


def test_check_that_breaks_is_not_taken_for_one_that_passed() -> None:
    with pytest.raises(ZeroDivisionError):
        carry_out("checkov", lambda: str(1 // 0))
