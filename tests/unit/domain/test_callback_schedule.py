"""When a callback is tried again, and what its receiver may say to that."""

import itertools
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from shared.domain.callback_schedule import ATTEMPTS, DELAYS, WAIT_MAX, next_delay
from shared.domain.retry_after import retry_after

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
QUEUE_MAX = 604_800


def test_delays_are_those_that_are_promised() -> None:
    assert DELAYS == (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)


@pytest.mark.parametrize("attempt", range(1, 10))
def test_delay_is_within_a_tenth_of_the_promised_one(attempt: int) -> None:
    promised = DELAYS[attempt - 1]
    drawn = [next_delay(attempt) or 0 for _ in range(200)]
    assert promised * 0.9 <= min(drawn) < max(drawn) <= promised * 1.1 + 1
    assert {type(each) for each in drawn} == {int}


def test_delays_grow_whatever_is_drawn() -> None:  # WD-09
    for _ in range(1_000):
        drawn = [next_delay(attempt) or 0 for attempt in range(1, ATTEMPTS)]
        assert all(earlier < later for earlier, later in itertools.pairwise(drawn))


@pytest.mark.parametrize("attempt", [10, 11, 1_000])
def test_tenth_attempt_is_the_last_whatever_its_receiver_says(attempt: int) -> None:
    assert next_delay(9) is not None
    assert next_delay(attempt) is None
    assert next_delay(attempt, after=5) is None


def test_wait_that_the_receiver_asks_for_is_never_cut_by_jitter() -> None:
    assert {next_delay(1, after=90) for _ in range(100)} == {90}
    assert {next_delay(1, after=89.2) for _ in range(100)} == {90}


def test_shorter_wait_than_planned_is_not_taken_up() -> None:
    assert all((next_delay(2, after=1) or 0) >= 270 for _ in range(100))


@pytest.mark.parametrize("after", [864_000, 604_800, 1e30, float("inf")])
def test_wait_is_no_longer_than_a_queue_message_may(after: float) -> None:  # WD-10
    assert next_delay(1, after=after) == WAIT_MAX < QUEUE_MAX


def test_scale_makes_all_of_it_shorter() -> None:
    assert next_delay(1, after=864_000, scale=1 / WAIT_MAX) == 1
    assert 8_640 * 0.9 <= (next_delay(9, scale=0.1) or 0) <= 8_640 * 1.1 + 1
    assert next_delay(9, scale=0) == 0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("120", 120),
        (" 7 ", 7),
        ("007", 7),
        ("864000", 864_000),
        ("9" * 5_000, float("inf")),
        ("Mon, 30 Nov 2026 12:02:00 GMT", 120),
        ("Monday, 30-Nov-26 12:02:00 GMT", 120),
        ("Mon Nov 30 12:02:00 2026", 120),
        ("Mon, 30 Nov 2026 13:02:00 +0100", 120),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", (datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC) - NOW).total_seconds()),
        ("", None),
        ("-5", None),
        ("+5", None),
        ("1.5", None),
        ("1e3", None),
        ("5, 6", None),
        ("٣", None),
        ("soon", None),
        ("Mon, 30 Nov", None),
        ("Mon, 99 Nov 2026 12:02:00 GMT", None),
        ("Mon, 30 Nov 99999 12:02:00 GMT", None),
        ("Mon, 30 Nov 2026 12:02:00 +9999999999", None),
        ("\x00", None),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_retry_after_is_seconds_or_a_date(text: str, seconds: float | None) -> None:
    assert retry_after(text, NOW) == seconds


def test_date_is_read_as_it_is_written() -> None:
    assert retry_after(format_datetime(NOW.replace(hour=13), usegmt=True), NOW) == 3_600
