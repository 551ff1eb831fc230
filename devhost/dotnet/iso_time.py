"""Moments as text, as .NET writes and reads them: on the clocks of a zone, with their offset."""

from datetime import MAXYEAR, MINYEAR, UTC, datetime, tzinfo

UNSET = datetime.min.replace(tzinfo=UTC)
"""A moment that was never set; .NET's least date stands for it."""


def json_time(moment: datetime, zone: tzinfo) -> str:
    """The way of Newtonsoft.Json: `2026-11-30T13:58:09.5+01:00`, up to six digits, none that are not needed."""
    whole, point, rest = _local(moment, zone).isoformat().partition(".")
    return whole + (point + rest[:6]).rstrip("0") + rest[6:] if point else whole


def round_trip_time(moment: datetime, zone: tzinfo) -> str:
    """The format "o": `2026-11-30T13:58:09.5000000+01:00`, always seven digits."""
    text = _local(moment, zone).isoformat(timespec="microseconds")
    return f"{text[:26]}0{text[26:]}"


def parse_time(text: str, zone: tzinfo) -> datetime:
    """The moment in UTC; without an offset the text is in the zone. Digits after the sixth are dropped.

    Anything in the first year is UNSET: .NET writes its least date with whatever offset the zone had.

    Raises:
        ValueError: it is no ISO 8601 time.
    """
    moment = datetime.fromisoformat(text)
    if moment.year == MINYEAR:
        return UNSET
    if moment.year == MAXYEAR:
        return moment.replace(tzinfo=UTC)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def _local(moment: datetime, zone: tzinfo) -> datetime:
    # At the two ends of the calendar another zone may be out of reach, and its offset means nothing.
    return moment if moment.year in (MINYEAR, MAXYEAR) else moment.astimezone(zone)
