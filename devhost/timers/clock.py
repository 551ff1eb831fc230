"""Time, as an argument: what waits for long takes a clock, so that a test can bring its own."""

import asyncio
from datetime import UTC, datetime, timedelta


class Clock:
    """The real one."""

    def now(self) -> datetime:
        """The present moment, in UTC."""
        return datetime.now(UTC)

    async def sleep(self, duration: timedelta) -> None:
        """Return when the duration is over; at once if it is not positive."""
        await asyncio.sleep(duration.total_seconds())
