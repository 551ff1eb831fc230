"""How a timer fires, without storage: the rules of its schedule."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from devhost.invocation import Outcome
from devhost.timers.cron import CronPattern
from devhost.timers.loop import TimerLoop
from devhost.timers.schedule import CronSchedule, IntervalSchedule, Schedule
from tests.unit.devhost_timers.stepped_clock import SteppedClock
from tests.unit.devhost_timers.timers import CallLog, timer_function

START = datetime(2026, 11, 30, 13, 58, 9, tzinfo=UTC)
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


def cron(text: str) -> Schedule:
    return CronSchedule(CronPattern.parse(text), UTC)


class Running:
    """A loop on a clock that a test moves."""

    def __init__(self, schedule: Schedule, *, run_on_startup: bool = False) -> None:
        self.clock = SteppedClock(START)
        self.log = CallLog()
        self.loop = TimerLoop(
            timer_function("tick"),
            schedule,
            self.log,
            store=None,
            run_on_startup=run_on_startup,
            clock=self.clock,
            zone=UTC,
        )

    async def begin(self) -> "Running":
        await self.loop.begin()
        await asyncio.sleep(0)
        return self

    @property
    def fired(self) -> list[str]:
        """The clock times of the calls so far."""
        return [call.reason.removeprefix("Timer fired at 2026-").partition(".")[0] for call in self.log.calls]


@pytest.fixture
async def five_minutes() -> AsyncIterator[Running]:
    running = await Running(cron("0 */5 * * * *")).begin()
    yield running
    await running.loop.end()


async def test_timer_fires_at_each_time_of_its_schedule(five_minutes: Running) -> None:
    await five_minutes.clock.advance(12 * MINUTE)
    assert five_minutes.fired == ["11-30T14:00:00", "11-30T14:05:00", "11-30T14:10:00"]
    assert [payload["IsPastDue"] for payload in five_minutes.log.payloads] == [False] * 3


async def test_timer_does_not_fire_at_its_start(five_minutes: Running) -> None:
    await five_minutes.clock.advance(1 * MINUTE)
    assert five_minutes.fired == []


async def test_timer_that_runs_on_startup_fires_at_once_and_then_on_schedule() -> None:
    running = await Running(cron("0 */5 * * * *"), run_on_startup=True).begin()
    await running.clock.until_sleeping(1)
    await running.clock.advance(2 * MINUTE)
    assert running.fired == ["11-30T13:58:09", "11-30T14:00:00"]
    assert [call.details for call in running.log.calls] == ["UnscheduledInvocationReason: RunOnStartup", ""]
    assert running.log.payloads[0]["IsPastDue"] is False
    await running.loop.end()


async def test_timer_whose_run_is_longer_than_its_period_never_overlaps(five_minutes: Running) -> None:
    five_minutes.log.gate.clear()
    five_minutes.clock.wake_first()
    await five_minutes.log.until_called(1)
    # The run of 14:00 lasts until 14:12.
    five_minutes.clock.elapse(12 * MINUTE)
    five_minutes.log.gate.set()
    await five_minutes.clock.until_sleeping(1)
    await five_minutes.clock.advance(4 * MINUTE)
    # What was missed is one run, at once.
    assert five_minutes.fired == ["11-30T14:00:00", "11-30T14:12:00", "11-30T14:15:00"]


@pytest.mark.parametrize("outcome", [Outcome(ok=False, error="boom"), RuntimeError("worse")])
async def test_timer_whose_run_fails_goes_on(five_minutes: Running, outcome: Outcome | Exception) -> None:
    five_minutes.log.outcome = outcome
    await five_minutes.clock.advance(12 * MINUTE)
    assert len(five_minutes.fired) == 3


async def test_timer_that_wakes_early_does_not_fire_twice_for_one_time(five_minutes: Running) -> None:
    five_minutes.clock.wake_early(timedelta(milliseconds=40))
    await five_minutes.clock.until_sleeping(1)
    assert five_minutes.fired == ["11-30T13:59:59"]
    assert five_minutes.clock.alarms == [datetime(2026, 11, 30, 14, 5, tzinfo=UTC)]


async def test_timer_that_waits_for_months_sleeps_in_pieces() -> None:
    running = await Running(cron("0 0 0 1 3 *")).begin()
    await running.clock.until_sleeping(1)
    assert running.clock.alarms == [START + timedelta(days=24)]
    await running.clock.advance(timedelta(days=90))
    assert running.fired == []
    await running.clock.advance(timedelta(days=1))
    assert [call.reason[:25] for call in running.log.calls] == ["Timer fired at 2027-03-01"]
    await running.loop.end()


async def test_timer_that_never_fires_waits(capsys: pytest.CaptureFixture[str]) -> None:
    running = await Running(cron("0 0 0 30 2 *")).begin()
    assert "fires next never" in capsys.readouterr().out
    await running.clock.until_sleeping(1)
    await running.clock.advance(timedelta(days=400))
    assert running.fired == []
    await running.loop.end()


async def test_timer_of_an_interval_counts_from_its_last_firing() -> None:
    running = await Running(IntervalSchedule(timedelta(minutes=2))).begin()
    await running.clock.until_sleeping(1)
    await running.clock.advance(5 * MINUTE)
    assert running.fired == ["11-30T14:00:09", "11-30T14:02:09"]
    await running.loop.end()


async def test_timer_of_no_interval_fires_without_a_pause() -> None:
    running = await Running(IntervalSchedule(timedelta(0))).begin()
    await running.clock.until_sleeping(1)
    await running.clock.advance(timedelta(milliseconds=5))
    assert len(running.fired) == 5
    await running.loop.end()


async def test_timer_that_ends_fires_no_more(five_minutes: Running) -> None:
    await five_minutes.loop.end()
    await five_minutes.clock.advance(12 * MINUTE)
    assert five_minutes.fired == []


async def test_timer_that_ends_during_a_run_waits_for_it(five_minutes: Running) -> None:
    five_minutes.log.gate.clear()
    five_minutes.clock.wake_first()
    await five_minutes.log.until_called(1)
    ending = asyncio.create_task(five_minutes.loop.end())
    await asyncio.sleep(0)
    assert not ending.done()
    five_minutes.log.gate.set()
    await ending
    assert five_minutes.log.done == 1


async def test_timer_that_begins_again_goes_on(five_minutes: Running) -> None:
    await five_minutes.loop.end()
    await five_minutes.loop.begin()
    await five_minutes.clock.until_sleeping(1)
    await five_minutes.clock.advance(2 * MINUTE)
    assert five_minutes.fired == ["11-30T14:00:00"]
