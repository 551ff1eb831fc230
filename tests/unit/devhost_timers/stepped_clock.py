"""A clock whose time passes when a test says so."""

import asyncio
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from devhost.timers.clock import Clock

PATIENCE_SECONDS = 20


class SteppedClock(Clock):
    """Starts at a moment and stands still. Sleepers wake in the order of their times, each at exactly its own."""

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._sleepers: dict[asyncio.Future[None], datetime] = {}

    def now(self) -> datetime:
        return self._now

    async def sleep(self, duration: timedelta) -> None:
        alarm: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers[alarm] = self._now + duration
        try:
            await alarm
        finally:
            self._sleepers.pop(alarm, None)

    @property
    def alarms(self) -> list[datetime]:
        """When those who sleep now want to be woken."""
        return sorted(self._sleepers.values())

    async def until_sleeping(self, count: int) -> None:
        """Wait, in real time, until so many sleep."""
        await self._until(lambda: len(self._sleepers) == count)

    async def until_alarms(self, *moments: datetime) -> None:
        """Wait, in real time, until just these are what sleepers wait for."""
        await self._until(lambda: self.alarms == sorted(moments))

    async def _until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            assert time.monotonic() < deadline, f"waiting for {self.alarms}"
            await asyncio.sleep(0.002)

    async def advance(self, duration: timedelta) -> None:
        """Let time pass. Whoever is woken does its work, however long that really takes, and sleeps again."""
        end = self._now + duration
        while self._sleepers and self.alarms[0] <= end:
            count = len(self._sleepers)
            self.wake_first()
            await self.until_sleeping(count)
        self._now = end

    def elapse(self, duration: timedelta) -> None:
        """Time passes and wakes nobody: whoever works is slow."""
        self._now += duration

    def wake_first(self) -> None:
        """The time of the first alarm has come."""
        alarm, moment = self._take_first()
        self._now = max(self._now, moment)
        alarm.set_result(None)

    def wake_early(self, by: timedelta) -> None:
        """The first alarm rings too early, as when the machine's clock was put back meanwhile."""
        alarm, moment = self._take_first()
        self._now = moment - by
        alarm.set_result(None)

    def _take_first(self) -> tuple[asyncio.Future[None], datetime]:
        first = min(self._sleepers, key=lambda alarm: self._sleepers[alarm])
        return first, self._sleepers.pop(first)
