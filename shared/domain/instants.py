"""Instants as text: RFC 3339, UTC, six digits, so that they sort as they read."""

import re
from datetime import UTC, datetime

_RFC_3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})", re.IGNORECASE
)
_LEAP_SECOND = re.compile(r"(T[0-9]{2}:[0-9]{2}):60")


def to_text(instant: datetime) -> str:
    """`2026-11-30T15:24:46.000000Z`; the instant must carry an offset."""
    if instant.tzinfo is None:
        raise ValueError("an instant without an offset")
    return f"{instant.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def from_text(text: str) -> datetime:
    """The instant of an RFC 3339 text, to the microsecond; ValueError when it is not one.

    A leap second is read as the second before it, which is what clocks that do not know them show.
    """
    if not _RFC_3339.fullmatch(text):
        raise ValueError("not an RFC 3339 instant")
    try:
        return datetime.fromisoformat(_LEAP_SECOND.sub(r"\1:59", text.upper())).astimezone(UTC)
    except OverflowError:  # in UTC it is of the year 0 or 10,000
        raise ValueError("not an instant that can be kept") from None
