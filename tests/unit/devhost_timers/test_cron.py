"""When a cron pattern matches next."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devhost.timers.cron import CronPattern


def next_of(expression: str, after: str) -> str | None:
    found = CronPattern.parse(expression).next_after(datetime.fromisoformat(after))
    return found.isoformat(" ") if found else None


@pytest.mark.parametrize(
    ("expression", "after", "expected"),
    [
        # Seconds start anew when the minute, the hour or the day is not that of the moment.
        ("* 0-1 10 * * *", "2021-02-24 09:50:35", "2021-02-24 10:00:00"),
        ("* * 10 * * *", "2021-02-24 09:35:35", "2021-02-24 10:00:00"),
        ("* 55 * * * *", "2021-02-24 09:35:35", "2021-02-24 09:55:00"),
        ("*/30 * 23,0,1,2 * * 1-5", "2023-08-31 14:40:25", "2023-08-31 23:00:00"),
        # A fraction of a second does not count.
        ("* * * * * *", "2026-11-30 13:58:09.999999", "2026-11-30 13:58:10"),
        ("*/5 * * * *", "2026-11-30 13:55:00.000001", "2026-11-30 14:00:00"),
        # Strictly after.
        ("0 0 0 1 1 *", "2027-01-01 00:00:00", "2028-01-01 00:00:00"),
        # The 31st, the 30th and the 29th of February.
        ("0 0 0 30,31 * *", "2026-01-31 00:00:00", "2026-03-30 00:00:00"),
        ("0 0 0 29 2 *", "2096-03-01 00:00:00", "2104-02-29 00:00:00"),
        ("0 0 0 29 2 0", "2026-01-01 00:00:00", "2032-02-29 00:00:00"),
        ("0 0 0 31 2,4,6,9,11 *", "2026-01-01 00:00:00", None),
        ("0 0 12 30 2,4 *", "2026-01-01 00:00:00", "2026-04-30 12:00:00"),
        # The end of the calendar.
        ("* * * * * *", "9999-12-31 23:59:58", "9999-12-31 23:59:59"),
        ("* * * * * *", "9999-12-31 23:59:59", None),
    ],
)
def test_pattern_after_a_moment_matches_next(expression: str, after: str, expected: str | None) -> None:
    assert next_of(expression, after) == expected


@pytest.mark.parametrize(
    "expression", ["", " ", "* * * *", "* * * * * * *", "*\t*\t*\t*\t*", "*\u00a0* * * * *", "* * * * *\n"]
)
def test_pattern_without_five_or_six_fields_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        CronPattern.parse(expression)


@pytest.mark.parametrize(
    ("expression", "is_interval"),
    [
        ("0 30 1 * * *", False), ("0 0,30 1 * * *", False), ("0 0 */2 * * *", False), ("30 1 * * *", False),
        ("0 */30 * * * *", True), ("0 0 1-3 * * *", True), ("0 0,1 1 * * *", True), ("0-1 0 1 * * *", True),
        ("*/30 * * * *", True), ("0 */2 * * *", False), ("0 0 1 1-5 * 1-5", False),
    ],
)  # fmt: skip
def test_pattern_with_neighbouring_times_is_an_interval(expression: str, is_interval: bool) -> None:
    assert CronPattern.parse(expression).is_interval is is_interval


@pytest.mark.parametrize(
    ("expression", "often"),
    [
        ("* * * * * *", True), ("*/30 * * * * *", True), ("0,30 * * * * *", True), ("0 * * * * *", False),
        ("* * * * *", False), ("*/10 0-30 * * * *", False), ("*/10 * * * * 1-5", False), ("*/10 * * * * 0-6", True),
    ],
)  # fmt: skip
def test_pattern_of_every_minute_and_more_is_told(expression: str, often: bool) -> None:
    assert CronPattern.parse(expression).is_more_than_once_a_minute is often


def test_pattern_as_text_is_written_out() -> None:
    assert str(CronPattern.parse("0 */20 9-11,13 * Jan-Mar Mon,Wed")) == "0 0,20,40 9-11,13 * 1-3 1,3"
    assert str(CronPattern.parse("*/5 0-23 * * *")) == "0,5,10,15,20,25,30,35,40,45,50,55 * * * *"


def some(low: int, high: int) -> st.SearchStrategy[str]:
    values = st.lists(st.integers(low, high), min_size=1, max_size=4).map(lambda found: ",".join(map(str, found)))
    return st.just("*") | values


MOMENTS = st.datetimes(min_value=datetime(2023, 1, 1), max_value=datetime(2029, 1, 1))  # noqa: DTZ001 - wall clocks


@settings(deadline=None)  # the long way round may try each second of a day
@given(second=some(0, 59), minute=some(0, 59), hour=some(0, 23), moment=MOMENTS)
def test_pattern_of_times_of_day_skips_none(second: str, minute: str, hour: str, moment: datetime) -> None:
    pattern = CronPattern.parse(f"{second} {minute} {hour} * * *")
    seconds, minutes, hours = pattern.fields[:3]
    start = moment.replace(microsecond=0)
    candidates = (
        start.replace(hour=0, minute=0, second=0) + timedelta(days=day, hours=h, minutes=m, seconds=s)
        for day in (0, 1)
        for h in hours
        for m in minutes
        for s in seconds
    )
    assert pattern.next_after(moment) == next(candidate for candidate in candidates if candidate > start)


@given(day=some(1, 31), month=some(1, 12), weekday=some(0, 6), moment=MOMENTS)
def test_pattern_of_dates_skips_none(day: str, month: str, weekday: str, moment: datetime) -> None:
    pattern = CronPattern.parse(f"0 0 12 {day} {month} {weekday}")
    days, months, weekdays = pattern.fields[3:]
    noon = moment.replace(hour=12, minute=0, second=0, microsecond=0)
    candidates = (noon + timedelta(days=number) for number in range(366 * 5))
    matching = (
        candidate
        for candidate in candidates
        if candidate > moment.replace(microsecond=0)
        and candidate.day in days
        and candidate.month in months
        and candidate.isoweekday() % 7 in weekdays
    )
    found, expected = pattern.next_after(moment), next(matching, None)
    if expected is not None or found is None:
        assert found == expected
    else:
        assert found > noon + timedelta(days=366 * 5 - 1)
