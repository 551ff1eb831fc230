"""Cron expressions on the clock on the wall: no time zone here.

Source: NCrontab 3.3.3, CrontabSchedule.cs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import MAXYEAR, date, datetime, time, timedelta
from itertools import pairwise
from typing import Self

from devhost.timers.cron_field import FIELDS, CronField


@dataclass(frozen=True)
class CronPattern:
    """The allowed values of each field, ascending; `fields` as they were written: six, or five without the seconds."""

    fields: tuple[tuple[int, ...], ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read five or six fields, separated by spaces (no other white space).

        Raises:
            ValueError: another number of fields, or one that cannot be read.
        """
        tokens = [token for token in text.split(" ") if token]
        if len(tokens) not in (len(FIELDS) - 1, len(FIELDS)):
            raise ValueError(f"'{text}' has {len(tokens)} fields, not 5 or 6")
        kinds = FIELDS[-len(tokens) :]
        return cls(tuple(kind.parse(token) for kind, token in zip(kinds, tokens, strict=True)))

    def next_after(self, moment: datetime) -> datetime | None:
        """The first match after the moment (neither has a time zone); None if there is none up to the year 9999.

        Day of month and day of week must both match.
        """
        try:
            earliest = moment.replace(microsecond=0) + timedelta(seconds=1)
        except OverflowError:
            return None
        for day in self._days_from(earliest.date()):
            clock = (0, 0, 0) if day > earliest.date() else (earliest.hour, earliest.minute, earliest.second)
            if found := _at_or_after(self._times, clock):
                hour, minute, second = found
                return datetime.combine(day, time(hour, minute, second))
        return None

    @property
    def is_interval(self) -> bool:
        """Whether it counts as running through the day rather than at fixed times, for the end of daylight saving time.

        It does if two neighbouring seconds, minutes or hours are allowed, judged by the fields that were written.
        """
        # .NET looks for `*` or `-` in its rendering of these fields, which joins neighbours: `*/2` hours are fixed.
        return any(later - earlier == 1 for values in self.fields[:-3] for earlier, later in pairwise(values))

    @property
    def is_more_than_once_a_minute(self) -> bool:
        """Whether it matches in every minute, and twice or more in one."""
        every_minute = all(_is_whole(kind, values) for kind, values in self._kinds[1:])
        return len(self.fields) == len(FIELDS) and every_minute and len(self.fields[0]) > 1

    def __str__(self) -> str:
        return " ".join("*" if _is_whole(kind, values) else _runs(values) for kind, values in self._kinds)

    @property
    def _kinds(self) -> list[tuple[CronField, tuple[int, ...]]]:
        return list(zip(FIELDS[-len(self.fields) :], self.fields, strict=True))

    @property
    def _times(self) -> tuple[tuple[int, ...], ...]:
        """Hours, minutes, seconds."""
        *clock, _days, _months, _weekdays = self.fields
        return (*reversed(clock), (0,))[:3]

    def _days_from(self, first: date) -> Iterator[date]:
        days, months, weekdays = self.fields[-3:]
        for year in range(first.year, MAXYEAR + 1):
            for month in months:
                if (year, month) < (first.year, first.month):
                    continue
                for number in days:
                    try:
                        day = date(year, month, number)
                    except ValueError:  # this month is shorter
                        break
                    if day >= first and day.isoweekday() % 7 in weekdays:
                        yield day


def _at_or_after(choices: tuple[tuple[int, ...], ...], floor: tuple[int, ...]) -> tuple[int, ...] | None:
    """The smallest pick, one from each of the choices, that does not come before the floor."""
    if not choices:
        return ()
    for value in choices[0]:
        if value > floor[0]:
            return (value, *(rest[0] for rest in choices[1:]))
        if value == floor[0] and (tail := _at_or_after(choices[1:], floor[1:])) is not None:
            return (value, *tail)
    return None


def _is_whole(kind: CronField, values: tuple[int, ...]) -> bool:
    return len(values) == kind.high - kind.low + 1


def _runs(values: tuple[int, ...]) -> str:
    """`1-3,7` for 1, 2, 3, 7."""
    runs: list[list[int]] = []
    for value in values:
        if runs and runs[-1][-1] == value - 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
