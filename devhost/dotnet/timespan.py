"""Durations as .NET writes them.

Source: .NET, TimeSpanParse.cs with the invariant culture; measured on Microsoft's own binder.
"""

import re
from datetime import timedelta

from devhost.dotnet.trim import trim

TICKS_PER_SECOND = 10_000_000
MOST_TICKS = 2**63 - 1
LARGEST_NUMBER = 0xFFF_FFFF  # in any one place; more is out of range, whatever the place
LIMITS = {"d": 10_675_199, "h": 23, "m": 59, "s": 59}
SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}

# In the order in which .NET tries them: "24:00:00" is no time of day, so it is read as 24 days.
FORMS = (
    *("d", "h:m", "h:m:s", "d.h:m", "h:m:.f", "d:h:m"),
    *("h:m:s.f", "d.h:m:s", "d.h:m:.f", "d:h:m:s", "d:h:m:.f", "d.h:m:s.f", "d:h:m:s.f"),
)
PATTERNS = tuple(re.compile(re.sub(r"[dhmsf]", r"(?P<\g<0>>[0-9]+)", form.replace(".", r"\."))) for form in FORMS)


def parse_timespan(text: str) -> timedelta:
    """The duration that `TimeSpan.Parse` reads; "30" is thirty days.

    What is finer than a microsecond is cut off.

    Raises:
        ValueError: the text is no duration, or one of its numbers is too large for its place. The text is .NET's.
    """
    trimmed = trim(text)
    is_negative = trimmed.startswith("-")
    matches = [match for pattern in PATTERNS if (match := pattern.fullmatch(trimmed, int(is_negative)))]
    if not matches:
        raise ValueError(f"String '{text}' was not recognized as a valid TimeSpan.")
    ticks = next((ticks for match in matches if (ticks := _ticks(match.groupdict())) is not None), None)
    if ticks is None or ticks > MOST_TICKS + is_negative:
        raise ValueError(
            f"The TimeSpan string '{text}' could not be parsed because at least one of the numeric components "
            "is out of range or contains too many digits."
        )
    duration = timedelta(microseconds=ticks // 10)
    return -duration if is_negative else duration


def format_timespan(value: timedelta) -> str:
    """The constant ("c") format: `[-][d.]hh:mm:ss[.fffffff]`."""
    size = abs(value)
    minutes, seconds = divmod(size.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if value < timedelta(0) else ""
    days = f"{size.days}." if size.days else ""
    fraction = f".{size.microseconds:06}0" if size.microseconds else ""
    return f"{sign}{days}{hours:02}:{minutes:02}:{seconds:02}{fraction}"


def _ticks(places: dict[str, str]) -> int | None:
    if any(int(digits) > LARGEST_NUMBER for digits in places.values()):
        return None
    fraction = _fraction(places.pop("f", "0"))
    if fraction is None or any(int(digits) > LIMITS[place] for place, digits in places.items()):
        return None
    seconds: int = sum(SECONDS[place] * int(digits) for place, digits in places.items())
    return seconds * TICKS_PER_SECOND + fraction


def _fraction(digits: str) -> int | None:
    """Ticks; digits past the seventh are rounded, but only where the first digit is 0."""
    if len(digits) <= 7:
        return int(digits.ljust(7, "0"))
    if int(digits) == 0:
        return 0
    if not digits.startswith("0"):
        return None
    scale: int = 10 ** (len(digits) - 7)
    return (2 * int(digits) + scale) // (2 * scale)
