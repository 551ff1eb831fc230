"""The time zone that schedules are read in, and its two awkward hours, decided as .NET decides them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

LOCAL_TIME = Path("/etc/localtime")


def local_zone(environment: Mapping[str, str]) -> tzinfo:
    """The zone of this process: `TZ` (a name of the time zone database, or a file), else the machine's own.

    An empty or unknown `TZ` is UTC, and so is a POSIX rule (`CET-1CEST,…`), for .NET reads none of these.
    Source: TimeZoneInfo.Unix.cs.
    """
    name = environment.get("TZ")
    if name is None:
        return _from_file(LOCAL_TIME) if LOCAL_TIME.exists() else _current_offset()
    name = name.removeprefix(":")
    if name.startswith("/"):
        return _from_file(Path(name))
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC


def is_ambiguous(wall: datetime, zone: tzinfo) -> bool:
    """Whether clocks in the zone show this time twice, having been put back."""
    return _offset(wall, zone, fold=0) > _offset(wall, zone, fold=1)


def instant(wall: datetime, zone: tzinfo) -> datetime:
    """When clocks in the zone show this time, in UTC.

    A time shown twice is the second of the two. One that is skipped is as long after the change as it is after the hour
    that was left out.
    """
    return wall.replace(tzinfo=zone, fold=int(is_ambiguous(wall, zone))).astimezone(UTC)


def offset_at(moment: datetime, zone: tzinfo) -> timedelta:
    """How far clocks in the zone are ahead of UTC at this moment."""
    return moment.astimezone(zone).utcoffset() or timedelta(0)


def _offset(wall: datetime, zone: tzinfo, *, fold: int) -> timedelta:
    return wall.replace(tzinfo=zone, fold=fold).utcoffset() or timedelta(0)


def _from_file(path: Path) -> tzinfo:
    try:
        with path.open("rb") as file:
            return ZoneInfo.from_file(file, key=str(path))
    except (ValueError, OSError):
        return UTC


def _current_offset() -> tzinfo:
    """Where there is no zone file (Windows): the offset of today, without its changes."""
    return datetime.now(UTC).astimezone().tzinfo or UTC
