"""Listens for one timer trigger: its lock first, then its schedule.

Source: WebJobs SDK, SingletonListener.cs and FunctionListener.cs; WebJobs.Extensions, TimerListener.cs.
"""

import asyncio
import logging
import os
from dataclasses import dataclass, replace
from datetime import timedelta, tzinfo

from devhost.backoff import MINIMUM, PollingBackoff
from devhost.console import log
from devhost.errors import FunctionError
from devhost.functions import Function
from devhost.host_id import host_id
from devhost.invocation import Call, Invoke
from devhost.settings.configuration import Configuration
from devhost.timers.call import timer_call
from devhost.timers.clock import Clock
from devhost.timers.host_blobs import HostBlobs
from devhost.timers.loop import TimerLoop
from devhost.timers.schedule import parse_schedule
from devhost.timers.singleton import SingletonLock
from devhost.timers.status import TimerStatusStore
from devhost.timers.time_zone import local_zone


@dataclass(frozen=True, kw_only=True)
class TimerPeriods:
    """How long things take that depend on other hosts and on storage; tests shorten them."""

    lease: timedelta = timedelta(seconds=60)
    """Whole seconds, 15 to 60: what storage allows."""
    lock_poll: timedelta = timedelta(seconds=60)
    first_retry: timedelta = timedelta(seconds=2)
    longest_retry: timedelta = timedelta(minutes=2)


class TimerListener:
    """One function's timer. Of all hosts with one host id on one account, one fires it; the others stand by."""

    def __init__(
        self,
        function: Function,
        configuration: Configuration,
        invoke: Invoke,
        *,
        clock: Clock | None = None,
        zone: tzinfo | None = None,
        periods: TimerPeriods | None = None,
    ) -> None:
        """The zone is that of the process, unless given.

        Raises:
            FunctionError: the schedule is not one, or names a setting that is not there.
        """
        self._function = function
        self._configuration = configuration
        self._invoke = invoke
        self._clock = clock or Clock()
        self._zone = zone or local_zone(os.environ)
        self._periods = periods or TimerPeriods()
        properties = function.trigger.properties
        text = configuration.expand(str(properties.get("schedule") or ""))
        try:
            self._schedule = parse_schedule(text, self._zone)
        except ValueError as error:
            raise FunctionError(str(error)) from error
        wants_monitor = properties.get("useMonitor") is not False
        self._is_monitored = wants_monitor and not self._schedule.is_more_than_once_a_minute
        self._opened: _Opened | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._tried = asyncio.Event()

    async def start(self) -> None:
        """The lock was asked for once, and the schedule runs if it was free. What failed is tried again for ever."""
        self._supervisor = asyncio.create_task(self._supervise())
        await self._tried.wait()

    async def stop(self) -> None:
        """Nothing fires any more; a run under way has ended, its status is stored and the lock is free."""
        if self._supervisor is not None:
            self._supervisor.cancel()
            await asyncio.gather(self._supervisor, return_exceptions=True)
        if self._opened is not None:
            await self._opened.loop.end()
            await self._opened.lock.release()
            await self._opened.blobs.close()

    async def manual_call(self, reason: str) -> Call:
        """The call for someone who asks for it outside the schedule, which it leaves as it is.

        Raises:
            FunctionError, AzureError, ValueError: the status of a monitored timer cannot be read.
        """
        store = self._open().store
        status = await store.read() if store else None
        call = timer_call(self._function, self._schedule, status, fired_at=self._clock.now(), zone=self._zone)
        return replace(call, reason=reason)

    async def _supervise(self) -> None:
        name = f"'Functions.{self._function.name}'"
        backoff, is_told = self._new_backoff(), False
        while True:
            try:
                opened = self._open()
                if await opened.lock.acquire():
                    await opened.loop.begin()
                    self._tried.set()
                    backoff, is_told = self._new_backoff(), False
                    await opened.lock.lost.wait()
                    await opened.loop.end()
                    continue
                pause = self._periods.lock_poll
                if not is_told:
                    log(f"The timer {name} is another host's at present; it is asked for every {pause}")
                    is_told = True
            except Exception as error:  # whatever it is, the other functions go on
                pause = backoff.next_delay(found=False) * (self._periods.first_retry / MINIMUM)
                reason = str(error).partition("\n")[0]
                log(f"The listener for function {name} was unable to start: {reason}", logging.ERROR)
            self._tried.set()
            await self._clock.sleep(pause)

    def _new_backoff(self) -> PollingBackoff:
        # The strategy's unit is its minimum; here it stands for the first retry.
        return PollingBackoff(self._periods.longest_retry / (self._periods.first_retry / MINIMUM))

    def _open(self) -> "_Opened":
        if self._opened is None:
            name, host = self._function.name, host_id(self._configuration)
            blobs = HostBlobs.open(self._configuration)
            store = TimerStatusStore(blobs, host, name, self._zone) if self._is_monitored else None
            self._opened = _Opened(
                blobs=blobs,
                store=store,
                lock=SingletonLock(
                    blobs,
                    f"locks/{host}/Host.Functions.{name}.Listener",
                    clock=self._clock,
                    period=self._periods.lease,
                ),
                loop=TimerLoop(
                    self._function,
                    self._schedule,
                    self._invoke,
                    store=store,
                    run_on_startup=bool(self._function.trigger.properties.get("runOnStartup")),
                    clock=self._clock,
                    zone=self._zone,
                ),
            )
        return self._opened


@dataclass(frozen=True, kw_only=True)
class _Opened:
    """What there is once the connection is known."""

    blobs: HostBlobs
    store: TimerStatusStore | None
    lock: SingletonLock
    loop: TimerLoop
