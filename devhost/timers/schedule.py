"""When a timer fires: a cron expression on local clocks, or a fixed period.

Source: WebJobs.Extensions, Timers/Scheduling (TimerSchedule.cs, CronSchedule.cs, ConstantSchedule.cs).
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal, Protocol

from devhost.dotnet.timespan import format_timespan, parse_timespan
from devhost.timers.cron import CronPattern
from devhost.timers.time_zone import instant, is_ambiguous, offset_at

NEVER = datetime.max.replace(tzinfo=UTC)
"""The next time of a schedule that has none left."""


class Schedule(Protocol):
    """What both kinds can say."""

    @property
    def kind(self) -> Literal["cron", "interval"]: ...

    @property
    def adjusts_for_dst(self) -> bool:
        """Whether it follows the clocks on the wall; the function is told."""
        ...

    @property
    def is_more_than_once_a_minute(self) -> bool:
        """Too often to keep a status for."""
        ...

    def next_after(self, moment: datetime) -> datetime:
        """The first time to fire after the moment; both are aware, the answer is in UTC, NEVER if there is none."""
        ...


@dataclass(frozen=True)
class CronSchedule:
    """The clocks of `zone` show what the pattern asks for.

    When clocks are put back, a schedule of fixed times fires in the first of the two hours alone, and one that is an
    interval goes on through both. When they are put forward, a skipped time is moved on with the clocks.
    """

    pattern: CronPattern
    zone: tzinfo
    kind: Literal["cron"] = "cron"
    adjusts_for_dst: Literal[True] = True

    @property
    def is_more_than_once_a_minute(self) -> bool:
        return self.pattern.is_more_than_once_a_minute

    def next_after(self, moment: datetime) -> datetime:
        shown = moment.astimezone(self.zone).replace(tzinfo=None)
        wall = self.pattern.next_after(shown)
        if wall is None:
            return NEVER
        found = instant(wall, self.zone)
        shift = offset_at(found, self.zone) - offset_at(moment, self.zone)
        if self.pattern.is_interval:
            # 01:30 (first) → 02:00 skips 01:00 (second), and 00:30 → 01:00 means the first one.
            crosses = is_ambiguous(shown, self.zone) or is_ambiguous(wall, self.zone)
            return found + shift if crosses and shift else found
        if not is_ambiguous(wall, self.zone):
            return found
        if shift:
            return found + shift  # still summer: the first of the two
        # Winter already: that time had its turn in the first hour.
        while wall is not None and is_ambiguous(wall, self.zone):
            wall = self.pattern.next_after(wall)
        return instant(wall, self.zone) if wall else NEVER

    def __str__(self) -> str:
        return f"Cron: '{self.pattern}'"


@dataclass(frozen=True)
class IntervalSchedule:
    """A fixed period, whatever the clocks do. It may be zero or negative, which fires without a pause."""

    period: timedelta
    kind: Literal["interval"] = "interval"
    adjusts_for_dst: Literal[False] = False

    @property
    def is_more_than_once_a_minute(self) -> bool:
        return self.period < timedelta(minutes=1)

    def next_after(self, moment: datetime) -> datetime:
        try:
            return moment.astimezone(UTC) + self.period
        except OverflowError:
            return NEVER

    def __str__(self) -> str:
        return f"Constant: {format_timespan(self.period)}"


def parse_schedule(text: str, zone: tzinfo) -> Schedule:
    """Read a cron expression of five or six fields, or else a .NET TimeSpan ("30" is thirty days).

    Raises:
        ValueError: it is neither; the text is the real host's.
    """
    try:
        return CronSchedule(CronPattern.parse(text), zone)
    except ValueError as not_cron:
        try:
            return IntervalSchedule(parse_timespan(text))
        except ValueError:
            raise ValueError(
                f"The schedule expression '{text}' was not recognized as a valid cron expression or timespan string."
            ) from not_cron
