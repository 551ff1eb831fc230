"""What a timer makes of the status it finds."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from devhost.dotnet.iso_time import UNSET
from devhost.timers.cron import CronPattern
from devhost.timers.schedule import CronSchedule, IntervalSchedule, Schedule
from devhost.timers.status import TimerStatus, status_at_start

NOW = datetime(2026, 11, 30, 13, 58, 9, 250000, UTC)
FIVE_MINUTES = CronSchedule(CronPattern.parse("0 */5 * * * *"), UTC)
DAILY = CronSchedule(CronPattern.parse("0 0 9 * * *"), UTC)


def at(clock: str, day: int = 30) -> datetime:
    return datetime.fromisoformat(f"2026-11-{day}T{clock}+00:00")


def after_a_run(schedule: Schedule, last: datetime) -> TimerStatus:
    return TimerStatus(last=last, next=schedule.next_after(last), last_updated=last)


def test_status_at_the_first_start_waits_for_the_next_time() -> None:
    assert status_at_start(None, FIVE_MINUTES, NOW) == TimerStatus(next=at("14:00"), last_updated=NOW)


def test_status_of_a_schedule_on_time_is_kept() -> None:
    stored = after_a_run(FIVE_MINUTES, at("13:55:00.004"))
    assert status_at_start(stored, FIVE_MINUTES, NOW) is stored


def test_status_of_a_schedule_that_missed_a_time_is_kept_and_past_due() -> None:
    stored = after_a_run(FIVE_MINUTES, at("12:55"))
    assert status_at_start(stored, FIVE_MINUTES, NOW) is stored
    assert stored.next == at("13:00")


def test_status_that_never_fired_counts_from_its_writing() -> None:
    stored = TimerStatus(next=at("13:00"), last_updated=at("12:58"))
    assert status_at_start(stored, FIVE_MINUTES, NOW) is stored


def test_status_of_an_edited_schedule_counts_from_the_last_run() -> None:
    stored = after_a_run(FIVE_MINUTES, at("13:55"))
    assert status_at_start(stored, DAILY, NOW) == TimerStatus(
        next=at("09:00", 30) + timedelta(days=1), last_updated=at("13:55")
    )


def test_status_of_an_edited_schedule_whose_time_has_passed_counts_from_now() -> None:
    stored = after_a_run(DAILY, at("09:00"))
    assert status_at_start(stored, FIVE_MINUTES, NOW) == TimerStatus(next=at("14:00"), last_updated=NOW)


def test_status_without_any_time_counts_from_now() -> None:
    stored = TimerStatus(next=at("10:00"))
    assert status_at_start(stored, FIVE_MINUTES, NOW) == TimerStatus(next=at("14:00"), last_updated=NOW)


def test_status_of_an_interval_keeps_its_phase() -> None:
    schedule = IntervalSchedule(timedelta(minutes=7))
    stored = after_a_run(schedule, at("13:57:01.000007"))
    again = TimerStatus.from_json(_text(stored), UTC)
    assert again is not None
    assert status_at_start(again, schedule, NOW) is again


def test_status_written_by_the_real_host_is_read() -> None:
    text = (
        '{"Last":"2026-11-30T14:55:00.0041234+01:00","Next":"2026-11-30T15:00:00+01:00",'
        '"LastUpdated":"2026-11-30T14:55:00.0041234+01:00"}'
    )
    status = TimerStatus.from_json(text, UTC)
    assert status == TimerStatus(last=at("13:55:00.004123"), next=at("14:00"), last_updated=at("13:55:00.004123"))
    assert status_at_start(status, FIVE_MINUTES, NOW) is status


def test_status_of_a_start_without_a_run_has_dates_that_were_never_set() -> None:
    text = _text(TimerStatus(next=at("14:00"), last_updated=NOW))
    assert '"Last": "0001-01-01T00:00:00+00:00"' in text
    assert TimerStatus.from_json(text, UTC) == TimerStatus(last=UNSET, next=at("14:00"), last_updated=NOW)


@pytest.mark.parametrize("text", ["", "  ", "null"])
def test_status_of_an_empty_blob_is_none(text: str) -> None:
    assert TimerStatus.from_json(text, UTC) is None


@pytest.mark.parametrize("text", ["[]", "{", '{"Next": 5}', '{"Last": null}', '"x"', '{"Next": "soon"}'])
def test_status_that_is_something_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        TimerStatus.from_json(text, UTC)


def _text(status: TimerStatus) -> str:
    return json.dumps(status.to_dict(UTC))
