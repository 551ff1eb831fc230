"""Schedules on local clocks: the two awkward hours of the year."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from devhost.timers.cron import CronPattern
from devhost.timers.schedule import NEVER, CronSchedule, IntervalSchedule, parse_schedule

PACIFIC = ZoneInfo("America/Los_Angeles")  # 2018: forward on 11 March at 02:00, back on 4 November at 02:00
BERLIN = ZoneInfo("Europe/Berlin")


def times(expression: str, after: str, count: int, zone: ZoneInfo = PACIFIC) -> list[str]:
    """The next times as local clocks show them, with their offset."""
    schedule = CronSchedule(CronPattern.parse(expression), zone)
    moment, found = datetime.fromisoformat(after), []
    for _ in range(count):
        moment = schedule.next_after(moment)
        assert moment.tzinfo is UTC
        found.append(moment.astimezone(zone).isoformat()[5:-9] + moment.astimezone(zone).isoformat()[-6:-3])
    return found


def test_cron_of_a_fixed_time_fires_once_in_the_repeated_hour() -> None:
    found = times("0 30 1 * * *", "2018-11-02T12:00:00-07:00", 3)
    assert found == ["11-03T01:30-07", "11-04T01:30-07", "11-05T01:30-08"]


def test_cron_of_an_interval_runs_through_the_repeated_hour() -> None:
    found = times("0 */30 * * * *", "2018-11-04T00:30:00-07:00", 6)
    assert found == [
        "11-04T01:00-07", "11-04T01:30-07", "11-04T01:00-08", "11-04T01:30-08", "11-04T02:00-08", "11-04T02:30-08",
    ]  # fmt: skip


def test_cron_of_an_hour_runs_through_the_repeated_hour() -> None:
    assert times("0 * * * *", "2018-11-04T00:10:00-07:00", 3) == ["11-04T01:00-07", "11-04T01:00-08", "11-04T02:00-08"]


def test_cron_started_in_the_second_of_the_two_hours_takes_the_fixed_time_as_done() -> None:
    assert times("0 30 1 * * *", "2018-11-04T01:29:00-08:00", 2) == ["11-05T01:30-08", "11-06T01:30-08"]
    assert times("0 20,40 1 * * *", "2018-11-04T01:10:00-08:00", 1) == ["11-05T01:20-08"]


def test_cron_started_in_the_first_of_the_two_hours_fires_in_it() -> None:
    assert times("0 30 1 * * *", "2018-11-04T01:29:00-07:00", 2) == ["11-04T01:30-07", "11-05T01:30-08"]


def test_cron_of_a_skipped_time_fires_as_long_after_the_change() -> None:
    found = times("0 30 2 * * *", "2018-03-10T12:00:00-08:00", 2)
    assert found == ["03-11T03:30-07", "03-12T02:30-07"]


def test_cron_of_an_interval_goes_on_after_the_skipped_hour() -> None:
    found = times("0 */30 * * * *", "2018-03-11T01:30:00-08:00", 3)
    assert found == ["03-11T03:00-07", "03-11T03:30-07", "03-11T04:00-07"]


def test_cron_across_the_change_stays_at_the_hour_of_the_clocks() -> None:
    found = times("0 0 9 * * *", "2026-10-24T12:00:00+02:00", 2, BERLIN)
    assert found == ["10-25T09:00+01", "10-26T09:00+01"]


def test_cron_without_a_match_fires_never() -> None:
    schedule = CronSchedule(CronPattern.parse("0 0 0 30 2 *"), PACIFIC)
    assert schedule.next_after(datetime(2026, 1, 1, tzinfo=UTC)) == NEVER


def test_interval_across_the_change_keeps_its_length() -> None:
    schedule = IntervalSchedule(timedelta(hours=1))
    before = datetime.fromisoformat("2018-11-04T01:30:00-07:00")
    assert schedule.next_after(before) - before == timedelta(hours=1)


def test_interval_beyond_the_calendar_fires_never() -> None:
    assert IntervalSchedule(timedelta(days=10_000_000)).next_after(datetime(2026, 1, 1, tzinfo=UTC)) == NEVER


@pytest.mark.parametrize(("period", "often"), [(59.9, True), (60, False), (0, True), (-3600, True)])
def test_interval_below_a_minute_is_more_than_once_a_minute(period: float, often: bool) -> None:
    assert IntervalSchedule(timedelta(seconds=period)).is_more_than_once_a_minute is often


@pytest.mark.parametrize("text", ["", " ", "0 0", "@hourly", "0 0 0 0 0 0", "1h", "* * * * * MON L", "00:60:00"])
def test_schedule_that_is_neither_is_refused_in_the_hosts_words(text: str) -> None:
    with pytest.raises(ValueError, match="was not recognized as a valid cron expression or timespan string"):
        parse_schedule(text, UTC)


def test_schedule_tells_whether_it_follows_the_clocks() -> None:
    assert parse_schedule("0 0 9 * * *", UTC).adjusts_for_dst
    assert not parse_schedule("09:00:00", UTC).adjusts_for_dst


def test_schedule_as_text_is_the_hosts() -> None:
    assert str(parse_schedule("0 */30 * * * *", UTC)) == "Cron: '0 0,30 * * * *'"
    assert str(parse_schedule("00:05:00", UTC)) == "Constant: 00:05:00"
