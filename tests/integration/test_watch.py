"""Those who wait for one task share its reads, are told together, and leave nothing behind."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from shared.domain.errors import DependencyDown
from shared.domain.names import TASK_TABLE
from shared.domain.record import Record
from shared.domain.task import Task
from shared.services import watch as watching
from shared.services.status import Reading
from shared.services.watch import Watch
from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from shared.storage.tasks import TaskStore
from tests.support.eventually import eventually
from tests.support.storage_request import StorageRequest
from tests.support.wire import Wire

READ_SECONDS = 2


class Bench:
    """One task that is still queued, and a watch on the table behind a wire."""

    def __init__(self, wire: Wire, account: Account) -> None:
        self.wire = wire
        self.tasks = TaskStore(account)
        self.watch = Watch(self.tasks, read_seconds=READ_SECONDS)
        self.record = Record(
            id=str(uuid.uuid4()),
            task=Task(title="Tap drips"),
            caller="key",
            fingerprint="0" * 64,
            submitted_at=datetime.now(UTC),
            state="queued",
        )

    async def make(self) -> None:
        made = await self.tasks.create(self.record)
        assert made
        self.record = made

    async def settle(self) -> None:
        self.record = await self.tasks.change(replace(self.record, state="succeeded"))

    async def until(
        self,
        seconds: float,
        *,
        more: float = 0,
        enough: Callable[[Reading], bool] = lambda reading: is_settled(reading),
    ) -> Reading:
        ends = asyncio.get_running_loop().time() + seconds
        return await self.watch.until(self.record.id, enough, ends=ends, more_seconds=more)

    async def has_read(self, times: int) -> None:
        """Return once the table was asked so often."""
        await asyncio.to_thread(eventually, lambda: len(self.reads()) >= times)

    def reads(self) -> list[StorageRequest]:
        return self.wire.of(op="get", target=TASK_TABLE)


def polls() -> list[str]:
    """The polls that are running."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    return [repr(each) for each in others if "_Poll" in repr(each)]


def is_settled(reading: Reading) -> bool:
    return reading.record is not None and reading.record.is_settled


@pytest.fixture
async def bench(wire: Wire) -> AsyncIterator[Bench]:
    account = Account(StorageConnections.resolve({"FixItStorage": wire.connection_string}, "FixItStorage"))
    made = Bench(wire, account)
    await made.make()
    wire.clear()
    yield made
    await account.close()  # which gives what was told to end the turns in which it does
    assert not polls()


async def test_a_hundred_waiters_cost_one_read_at_a_time_and_are_told_together(bench: Bench) -> None:
    waiters = [asyncio.create_task(bench.until(20)) for _ in range(100)]
    await bench.has_read(6)
    reads = bench.reads()
    pauses = [after.at - before.at - before.seconds for before, after in pairwise(reads)]
    assert all(pause >= 0.05 * 2**number for number, pause in enumerate(pauses[1:]))  # the first served who came then
    await bench.settle()
    changed, seen = time.monotonic(), len(bench.reads())
    readings = await asyncio.gather(*waiters)
    assert time.monotonic() - changed < watching.LONGEST_PAUSE_SECONDS + 0.5
    assert {reading.record.state for reading in readings if reading.record} == {"succeeded"}
    assert len(bench.reads()) <= seen + 1


async def test_waiters_who_come_one_by_one_see_what_was_so_when_they_came_and_cost_no_read_each(bench: Bench) -> None:
    began = time.monotonic()
    waiters = []
    for _ in range(100):
        waiters.append(asyncio.create_task(bench.until(20)))
        await asyncio.sleep(0.005)  # they come apart
    assert len(bench.reads()) <= 1 + (time.monotonic() - began) / watching.FIRST_PAUSE_SECONDS
    await bench.settle()
    began = time.monotonic()
    assert is_settled(await bench.until(20))
    assert time.monotonic() - began < 1.5  # whatever the pause of the others had grown to
    await asyncio.gather(*waiters)


async def test_who_comes_late_is_served_soon_however_long_the_pause_has_grown(bench: Bench) -> None:
    waiter = asyncio.create_task(bench.until(20))
    await bench.has_read(6)  # the seventh is 1.6 s away
    began = time.monotonic()
    await bench.until(20, enough=lambda reading: True)
    assert time.monotonic() - began < 1.2
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)


async def test_a_read_that_was_begun_before_says_nothing_to_who_comes_after(bench: Bench) -> None:
    held = bench.wire.hold(op="get", target=TASK_TABLE, after=True)  # it has read that the task is queued
    first = asyncio.create_task(bench.until(20, enough=lambda reading: True))
    await asyncio.to_thread(held.wait_hit)
    await bench.settle()
    second = asyncio.create_task(bench.until(20, enough=lambda reading: True))
    await asyncio.sleep(0)
    held.release()
    assert not is_settled(await first)
    assert is_settled(await second)


async def test_who_has_to_go_is_told_what_is_so_then(bench: Bench) -> None:
    reading = await bench.until(0.3, more=READ_SECONDS)
    assert reading.record == bench.record
    first, *_, last = bench.reads()
    assert last.at - first.at > 0.2  # those before are begun after 0, 0.05, 0.15 s


async def test_table_that_is_down_is_waited_out(bench: Bench) -> None:
    outage = bench.wire.fail(op="get", target=TASK_TABLE, times=None, status=503, code="ServerBusy")
    waiter = asyncio.create_task(bench.until(20))
    await asyncio.to_thread(outage.wait_hit, hits=4)  # one read is three requests
    await bench.settle()
    outage.release()
    assert is_settled(await waiter)


@pytest.mark.parametrize("more", [0, 0.2])
async def test_table_that_does_not_answer_holds_nobody_longer_than_they_wait(bench: Bench, more: float) -> None:
    bench.wire.silence(op="get", target=TASK_TABLE, times=None)
    began = time.monotonic()
    reading = await bench.until(0.3, more=more)
    assert time.monotonic() - began < 0.3 + more + 1
    assert isinstance(reading.error, DependencyDown)
    bench.wire.heal()


async def test_a_read_that_hangs_leaves_time_for_the_one_after_the_end(bench: Bench) -> None:
    bench.wire.silence(op="get", target=TASK_TABLE)
    reading = await bench.until(0.3, more=READ_SECONDS)
    assert reading.record == bench.record
    bench.wire.heal()


async def test_those_who_go_away_end_the_poll_with_the_last_of_them(bench: Bench) -> None:
    waiters = [asyncio.create_task(bench.until(20)) for _ in range(3)]
    other = asyncio.create_task(bench.watch.until(str(uuid.uuid4()), is_settled, ends=float("inf")))
    await bench.has_read(2)
    assert len(polls()) == 2
    for waiter in (*waiters[:2], other):
        waiter.cancel()
    await asyncio.gather(*waiters[:2], other, return_exceptions=True)
    assert len(polls()) == 1
    waiters[2].cancel()
    await asyncio.gather(waiters[2], return_exceptions=True)
    await asyncio.sleep(0)
    assert not polls()
