"""Moments as .NET writes them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from devhost.dotnet.iso_time import UNSET, json_time, parse_time, round_trip_time
from devhost.timers.schedule import NEVER

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        ("2026-11-30T12:58:09+00:00", "2026-11-30T13:58:09+01:00"),
        ("2026-11-30T12:58:09.500000+00:00", "2026-11-30T13:58:09.5+01:00"),
        ("2026-07-01T12:00:00.123456+00:00", "2026-07-01T14:00:00.123456+02:00"),
        ("2026-07-01T12:00:00.000010+00:00", "2026-07-01T14:00:00.00001+02:00"),
    ],
)
def test_json_time_has_the_digits_it_needs_and_the_zones_offset(moment: str, text: str) -> None:
    assert json_time(datetime.fromisoformat(moment), BERLIN) == text
    assert parse_time(text, BERLIN) == datetime.fromisoformat(moment)


def test_json_time_tells_the_two_hours_apart() -> None:
    first, second = datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert json_time(first, BERLIN) == "2026-10-25T02:30:00+02:00"
    assert json_time(second, BERLIN) == "2026-10-25T02:30:00+01:00"


def test_round_trip_time_has_seven_digits() -> None:
    assert round_trip_time(datetime(2026, 11, 30, 12, 58, 9, 5000, UTC), BERLIN) == "2026-11-30T13:58:09.0050000+01:00"


@pytest.mark.parametrize("zone", [UTC, BERLIN, ZoneInfo("America/Los_Angeles"), ZoneInfo("Pacific/Kiritimati")])
@pytest.mark.parametrize("moment", [UNSET, NEVER])
def test_time_at_an_end_of_the_calendar_comes_back(moment: datetime, zone: ZoneInfo) -> None:
    assert parse_time(json_time(moment, zone), zone) == moment


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("0001-01-01T00:00:00", UNSET),
        ("0001-01-01T00:00:00-08:00", UNSET),
        ("0001-01-01T14:00:00+14:00", UNSET),
        ("2026-11-30T13:58:09.1234567+01:00", datetime(2026, 11, 30, 12, 58, 9, 123456, UTC)),
        ("2026-11-30T13:58:09", datetime(2026, 11, 30, 12, 58, 9, tzinfo=UTC)),
        ("2026-11-30T12:58:09Z", datetime(2026, 11, 30, 12, 58, 9, tzinfo=UTC)),
        ("9999-12-31T23:59:59.9999999", NEVER),
    ],
)
def test_time_written_by_the_real_host_is_understood(text: str, moment: datetime) -> None:
    assert parse_time(text, BERLIN) == moment


def test_time_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_time("soon", UTC)
