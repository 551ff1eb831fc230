"""Fires a timer on its schedule, one run after the other.

Source: WebJobs.Extensions, Timers/Listener/TimerListener.cs.
"""

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from devhost.console import log
from devhost.dotnet.iso_time import json_time, round_trip_time
from devhost.functions import Function
from devhost.invocation import Invoke
from devhost.queues.storage_failure import StorageFailure
from devhost.timers.call import timer_call
from devhost.timers.clock import Clock
from devhost.timers.schedule import NEVER, Schedule
from devhost.timers.status import TimerStatus, TimerStatusStore, status_at_start

LONGEST_WAIT = timedelta(days=24)
SHORTEST_WAIT = timedelta(milliseconds=1)


@dataclass(frozen=True)
class _Firing:
    """Why it fires now: on schedule, or at the start for one of two reasons."""

    is_past_due: bool = False
    is_scheduled: bool = True
    details: str = ""


class TimerLoop:
    """Runs from `begin` to `end`, and may begin again."""

    def __init__(
        self,
        function: Function,
        schedule: Schedule,
        invoke: Invoke,
        *,
        store: TimerStatusStore | None,
        run_on_startup: bool,
        clock: Clock,
        zone: tzinfo,
    ) -> None:
        """Without a `store` nothing is remembered: times missed while it did not run are missed for good."""
        self._function = function
        self._schedule = schedule
        self._invoke = invoke
        self._store = store
        self._run_on_startup = run_on_startup
        self._clock = clock
        self._zone = zone
        self._status = TimerStatus()
        self._running = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """The schedule runs. What was missed is made up for by one firing, in place of that on startup.

        Raises:
            AzureError, ValueError: the status cannot be read; nothing runs.
        """
        now = self._clock.now()
        stored = await self._store.read() if self._store else None
        self._status = status_at_start(stored, self._schedule, now)
        if self._status != stored:
            await self._remember()
        self._announce()
        self._task = asyncio.create_task(self._run(self._at_start(now)))

    async def end(self) -> None:
        """It fires no more. A run under way is waited for, and its status stored."""
        if self._task is None:
            return
        async with self._running:
            self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._task = None

    def _at_start(self, now: datetime) -> _Firing | None:
        if now > self._status.next:
            original = round_trip_time(self._status.next, self._zone)
            details = f"UnscheduledInvocationReason: IsPastDue, OriginalSchedule: {original}"
            return _Firing(is_past_due=True, is_scheduled=False, details=details)
        if self._run_on_startup:
            return _Firing(is_scheduled=False, details="UnscheduledInvocationReason: RunOnStartup")
        return None

    async def _run(self, first: _Firing | None) -> None:
        if first:
            await self._fire(first)
        while True:
            await self._wait_for(self._status.next)
            await self._fire(_Firing())

    async def _wait_for(self, moment: datetime) -> None:
        while (remaining := moment - self._clock.now()) > LONGEST_WAIT:
            await self._clock.sleep(LONGEST_WAIT)
        await self._clock.sleep(max(remaining, SHORTEST_WAIT))

    async def _fire(self, firing: _Firing) -> None:
        async with self._running:
            fired_at = self._clock.now()
            call = timer_call(
                self._function,
                self._schedule,
                self._status if self._store else None,
                fired_at=fired_at,
                zone=self._zone,
                is_past_due=firing.is_past_due,
                details=firing.details,
            )
            try:
                await self._invoke(call)
            except Exception as error:  # whatever happens in one run, the schedule goes on
                log(f"Error occurred during scheduled invocation for '{self._function.name}': {error!r}", logging.ERROR)
            # Waking a little early must not find the same time to be the next one again.
            last = max(fired_at, self._status.next) if firing.is_scheduled else fired_at
            self._status = TimerStatus(last=last, next=self._schedule.next_after(last), last_updated=last)
            await self._remember()

    async def _remember(self) -> None:
        """Best effort: at worst the next start fires once more than it should."""
        if self._store is None:
            return
        try:
            await self._store.write(self._status)
        except StorageFailure as error:
            name = self._function.name
            log(f"Function '{name}' failed to update the timer trigger status: {error}", logging.ERROR)

    def _announce(self) -> None:
        upcoming = self._status.next
        when = "never" if upcoming == NEVER else f"at {json_time(upcoming, self._zone)}"
        log(f"The timer '{self._function.name}' ({self._schedule}) fires next {when}")
