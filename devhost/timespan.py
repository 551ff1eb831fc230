"""Durations as .NET writes them."""

from datetime import timedelta


def parse_timespan(text: str) -> timedelta:
    """The duration that .NET's TimeSpan.Parse reads; "30" is thirty days.

    Raises:
        ValueError: the text is no duration.
    """
    raise NotImplementedError


def format_timespan(value: timedelta) -> str:
    """The constant ("c") format: `[-][d.]hh:mm:ss[.fffffff]`."""
    raise NotImplementedError
