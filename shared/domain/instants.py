"""Instants as text: RFC 3339, UTC, six digits, so that they sort as they read."""

from datetime import UTC, datetime


def to_text(instant: datetime) -> str:
    """`2026-11-30T15:24:46.000000Z`; the instant must carry an offset."""
    if instant.tzinfo is None:
        raise ValueError("an instant without an offset")
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def from_text(text: str) -> datetime:
    """The instant of an RFC 3339 text; ValueError when it is not one or has no offset."""
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None or "T" not in text.upper():
        raise ValueError("not an RFC 3339 instant")
    return instant.astimezone(UTC)
