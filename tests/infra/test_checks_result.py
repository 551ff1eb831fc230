"""Each check of the infrastructure is one line, and what it found follows."""

import pytest

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


def test_check_that_breaks_is_not_taken_for_one_that_passed() -> None:
    with pytest.raises(ZeroDivisionError):
        carry_out("checkov", lambda: str(1 // 0))
