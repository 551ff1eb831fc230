"""Which texts .NET's `DateTime.TryParse` takes for a date, a time or both, with the invariant culture.

Generous, as the original is: `2026-11-30`, `11/30`, `10:00 PM, 30 Nov 2026`, `1.5` (January 5th of this year).
Found by asking .NET, text by text. Not read here: eras (`A.D.`), Chinese date marks, AM or PM away from its time.
"""

import re
from calendar import monthrange
from datetime import UTC, date, datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_GAP = r"(?:\s*[-/]\s*|[\s,.]+)"

_WEEKDAY = re.compile(
    r"(?<![a-z])(mon|tue|wed|thu|fri|sat|sun)((?<=tue)s|(?<=wed)nes|(?<=thu)rs|(?<=sat)ur)?(day)?(?![a-z])"
)
_TIME = re.compile(
    r"(?<![\d:])(?:(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d*)?)?(?:\s*(am|pm))?|(\d{1,2})\s*(am|pm))(?![\d:a-z])"
)
_ISO = re.compile(r"(\d{3,4}-\d{1,2}-\d{1,2})\s*t\s*(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(z|[+-][\d:]+)?")
_ZONE = re.compile(r"\s*(?:(?<![a-z])(?:z|gmt)|([+-])(\d{1,2})(?::?(\d{1,2}))?)$")
_NUMERIC = re.compile(rf"(\d+){_GAP}(\d+)(?:{_GAP}(\d+))?")
_NAMED = re.compile(rf"(?:(\d+){_GAP}?)?(?:(?<!\d)(\d+){_GAP}?)?({_MONTH})(?:{_GAP}?(\d+))?(?:{_GAP}(\d+))?")


def is_datetime(text: str) -> bool:
    """Whether the text is read as a moment; a missing date is today, a missing year this year."""
    rest = text.strip().lower()
    if iso := _ISO.fullmatch(rest):
        day, hour, minute, second, zone = iso.groups()
        return _is_time(hour, minute, second, None) and (not zone or _is_zone(zone)) and _date(day) is not None
    if _is_local(rest):
        return True
    zone_at = _ZONE.search(rest)
    return zone_at is not None and _is_zone(zone_at[0]) and _is_local(rest[: zone_at.start()])


def _is_local(text: str) -> bool:
    """A date, a time or both, without a zone."""
    weekday = _WEEKDAY.search(text)
    if weekday:
        text = f"{text[: weekday.start()]} {text[weekday.end() :]}"
    time = _TIME.search(text)
    if time:
        if not _is_time(time[1] or time[5], time[2], time[3], time[4] or time[6]):
            return False
        before, after = (part.strip(" \t,.") for part in (text[: time.start()], text[time.end() :]))
        if before and after:
            return False
        if before and time[2] and not _may_precede_time(before, with_seconds=time[3] is not None):
            return False
        text = before or after
    text = text.strip(" \t,.")
    found = _date(text) if text else None
    if found is None:
        if text or not time:
            return False
        found = _today()
    return weekday is None or found.weekday() == _WEEKDAYS.index(weekday[1])


def _may_precede_time(day: str, *, with_seconds: bool) -> bool:
    """Of a day without its year, the hour that follows is taken for the year: only "30 Nov 10:00" gets away with it."""
    pieces = re.findall(r"\d+|[a-z]+", day)
    return len(pieces) > 2 or (
        not with_seconds
        and any(map(str.isalpha, pieces))
        and all(len(piece) <= 2 for piece in pieces if piece.isdigit())
    )


def _is_time(hour: str, minute: str | None, second: str | None, half: str | None) -> bool:
    last_hour = 12 if half == "am" else 23
    return int(hour) <= last_hour and int(minute or 0) <= 59 and int(second or 0) <= 59


def _is_zone(text: str) -> bool:
    match = _ZONE.fullmatch(text)
    if match is None or not match[1]:
        return match is not None
    hours, minutes = int(match[2]), int(match[3] or 0)
    return minutes <= 59 and hours * 60 + minutes <= 14 * 60


def _date(text: str) -> date | None:
    """The day the text says: its order is month, day, year, unless it begins with a year of three or four digits."""
    if match := _NAMED.fullmatch(text):
        month = _MONTHS.index(match[3][:3]) + 1
        numbers = [number for number in (match[1], match[2], match[4], match[5]) if number]
        return _named_date(month, numbers, before_month=bool(match[1] or match[2]))
    match = _NUMERIC.fullmatch(text)
    if match is None:
        return None
    first, second, third = match.groups()
    if third is None:
        if len(first) >= 3 or len(second) >= 3:
            year, rest = (first, second) if len(first) >= 3 else (second, first)
            return _day(year, int(rest), 1) if len(rest) <= 2 else None
        return _day(str(_today().year), int(first), int(second))
    if len(second) >= 3:
        first, second = second, first
    if len(first) >= 3:
        return _day(first, int(second), int(third)) if len(second) <= 2 and len(third) <= 2 else None
    return _day(third, int(first), int(second))


def _named_date(month: int, numbers: list[str], *, before_month: bool) -> date | None:
    if len(numbers) == 1:
        number = numbers[0]
        as_day = _day(str(_today().year), month, int(number)) if len(number) <= 2 else None
        return as_day or (_day(number, month, 1) if before_month or len(number) > 2 else None)
    if len(numbers) != 2:
        return None
    for day, year in (numbers, reversed(numbers)):
        if len(day) <= 2 and (found := _day(year, month, int(day))):
            return found
    return None


def _day(year_text: str, month: int, day: int) -> date | None:
    year = int(year_text)
    if len(year_text) <= 2:
        year += 2000 if year < 50 else 1900
    if len(year_text) > 4 or year == 0 or not 1 <= month <= 12 or not 1 <= day <= monthrange(year, month)[1]:
        return None
    return date(year, month, day)


def _today() -> date:
    return datetime.now(UTC).astimezone().date()
