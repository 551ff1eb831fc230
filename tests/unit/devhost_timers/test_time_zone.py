"""Which zone is local, and what its clocks mean."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from devhost.timers.time_zone import instant, is_ambiguous, local_zone

BERLIN = ZoneInfo("Europe/Berlin")
SUMMER = datetime(2026, 7, 1, tzinfo=UTC)


def summer_offset(name: str) -> float:
    offset = SUMMER.astimezone(local_zone({"TZ": name})).utcoffset()
    assert offset is not None
    return offset.total_seconds() / 3600


@pytest.mark.parametrize(
    ("name", "hours"),
    [("Europe/Berlin", 2), (":Europe/Berlin", 2), ("UTC", 0), ("EST5EDT", -4), ("", 0), ("Nowhere", 0), ("America", 0),
     ("../etc/passwd", 0), ("CET-1CEST,M3.5.0,M10.5.0/3", 0), ("/nowhere", 0)],
)  # fmt: skip
def test_zone_named_by_tz_is_that_of_the_database_else_utc(name: str, hours: float) -> None:
    assert summer_offset(name) == hours


def test_zone_named_by_tz_as_a_file_is_read_from_it() -> None:
    file = Path("/usr/share/zoneinfo/Europe/Berlin")
    if not file.exists():
        pytest.skip("no time zone files here")
    assert summer_offset(str(file)) == 2


def test_zone_without_tz_is_the_machines() -> None:
    assert SUMMER.astimezone(local_zone({})).utcoffset() == SUMMER.astimezone().utcoffset()


def test_wall_time_shown_twice_means_the_second() -> None:
    twice = datetime.fromisoformat("2026-10-25T02:30:00")
    assert is_ambiguous(twice, BERLIN)
    assert instant(twice, BERLIN) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_wall_time_that_is_skipped_is_moved_on() -> None:
    skipped = datetime.fromisoformat("2026-03-29T02:30:00")
    assert not is_ambiguous(skipped, BERLIN)
    assert instant(skipped, BERLIN).astimezone(BERLIN).isoformat() == "2026-03-29T03:30:00+02:00"
