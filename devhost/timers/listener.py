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
from devhost.settings.host_json import SingletonOptions
from devhost.timers.call import timer_call
from devhost.timers.clock import Clock
from devhost.timers.host_blobs import HostBlobs
from devhost.timers.loop import TimerLoop
from devhost.timers.schedule import parse_schedule
from devhost.timers.singleton import SingletonLock
from devhost.timers.status import TimerStatusStore
from devhost.timers.time_zone import local_zone

FIRST_RETRY, LONGEST_RETRY = timedelta(seconds=2), timedelta(minutes=2)
"""How long a listener that could not start waits before it tries again."""


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
        singleton: SingletonOptions | None = None,
    ) -> None:
        """The zone is that of the process, unless given; `singleton` says how long the lock lasts and is waited for.

        Raises:
            FunctionError: the schedule is not one, or names a setting that is not there.
        """
        self._function = function
        self._configuration = configuration
        self._invoke = invoke
        self._clock = clock or Clock()
        self._zone = zone or local_zone(os.environ)
        self._singleton = singleton or SingletonOptions()
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
        opened, self._opened = self._opened, None  # a client that was closed cannot be used again: a start opens anew
        if opened is not None:
            await opened.loop.end()
            await opened.lock.release()
            await opened.blobs.close()

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
                pause = self._singleton.listener_lock_recovery_polling_interval
                if not is_told:
                    log(f"The timer {name} is another host's at present; it is asked for every {pause}")
                    is_told = True
            except Exception as error:  # whatever it is, the other functions go on
                pause = backoff.next_delay(found=False) * (FIRST_RETRY / MINIMUM)
                reason = str(error).partition("\n")[0]
                log(f"The listener for function {name} was unable to start: {reason}", logging.ERROR)
            self._tried.set()
            await self._clock.sleep(pause)

    def _new_backoff(self) -> PollingBackoff:
        # The strategy's unit is its minimum; here it stands for the first retry.
        return PollingBackoff(LONGEST_RETRY / (FIRST_RETRY / MINIMUM))

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
                    period=self._singleton.listener_lock_period,
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
