"""How soon to ask again follows what waits, costs few requests, and fails nobody."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

import pytest

from shared import log
from shared.domain import instants
from shared.domain.lane import Lane
from shared.services import backlog
from shared.services.backlog import LOOK_SECONDS, Backlog, seconds_for, under_way_since
from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from shared.storage.queues import PEEK_MAX, Queues, Waiting
from tests.support.raw_messages import MADE_AT, TASK_ID, event
from tests.support.stores import Stores
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

CONNECTION = "FixItStorage"
NOW = datetime.now(UTC)


class Bench:
    """One lane on an emulator, behind a wire."""

    def __init__(self, wire: Wire, stores: Stores, lane: Lane) -> None:
        self.wire, self.stores, self.lane = wire, stores, lane
        self.account = Account(StorageConnections.resolve({CONNECTION: wire.connection_string}, CONNECTION))
        self.queues = Queues(lambda connection: self.account)
        self.backlog = Backlog([lane], queues=self.queues)

    def looks(self) -> list[str]:
        return [request.op for request in self.wire.of(service="queue")]


@pytest.fixture
async def bench(azurite: Azurite, wire: Wire, unique_name: Callable[[], str]) -> AsyncIterator[Bench]:
    lane = Lane(queue=unique_name())
    with Stores(azurite.connection_string) as stores:
        stores.queue(lane.queue).create_queue()
        made = Bench(wire, stores, lane)
        yield made
        await made.account.close()
        stores.queue(lane.queue).delete_queue()


@pytest.mark.parametrize(
    ("count", "age", "seconds"),
    [(0, 0, 1), (20, 10, 1), (21, 0, 2), (300, 0, 15), (300, 301, 31), (0, 7 * 86_400, 60), (10**9, 0, 60)],
)
def test_the_formula(count: int, age: float, seconds: int) -> None:
    assert seconds_for(count, age) == seconds


@pytest.mark.parametrize(
    ("text", "since"),
    [
        (event(), MADE_AT),
        (event(reopenedat="2026-01-02T03:04:05Z"), "2026-01-02T03:04:05Z"),
        (event(time="soon"), None),
        ('{"title":"t"}', None),
        ("not json", None),
    ],
    ids=["event", "reopened", "wrong time", "bare task", "no message"],
)
def test_a_task_is_as_old_as_its_event_says_and_else_as_its_message(text: str, since: str | None) -> None:
    assert under_way_since(Waiting(text=text, inserted_at=NOW)) == (instants.from_text(since) if since else NOW)


async def test_an_empty_queue_and_a_missing_one_say_one_second(bench: Bench) -> None:
    assert await bench.backlog.seconds(TASK_ID) == 1
    missing = Backlog([Lane(queue=f"{bench.lane.queue}x")], queues=bench.queues)
    assert await missing.seconds(TASK_ID) == 1
    assert f"{bench.lane.queue}x" not in bench.stores.queue_names()  # a look makes nothing


async def test_many_waiting_messages_say_more_and_old_ones_more_still_up_to_the_cap(bench: Bench) -> None:
    now = instants.to_text(datetime.now(UTC))
    await asyncio.gather(
        *(bench.queues.put(CONNECTION, bench.lane.queue, event(time=now)) for _ in range(300))  # as one would wait
    )
    crowded = await bench.backlog.seconds(TASK_ID)
    assert crowded == 15
    for age, seconds in ((400, 40), (86_400, 60)):
        bench.stores.queue(bench.lane.queue).clear_messages()
        bench.stores.put(event(time=instants.to_text(datetime.now(UTC) - timedelta(seconds=age - 1))), bench.lane.queue)
        assert await Backlog([bench.lane], queues=bench.queues).seconds(TASK_ID) == seconds


async def test_a_look_takes_nothing_from_the_queue(bench: Bench) -> None:
    bench.stores.put(event(), bench.lane.queue)
    assert len(await bench.queues.peek(CONNECTION, bench.lane.queue, limit=PEEK_MAX, try_seconds=5)) == 1
    (message,) = bench.stores.queue(bench.lane.queue).receive_messages()
    assert message.dequeue_count == 1
    # It is being worked on: counted, and not to be seen.
    assert await bench.queues.count(CONNECTION, bench.lane.queue, try_seconds=5) == 1
    assert await bench.queues.peek(CONNECTION, bench.lane.queue, limit=PEEK_MAX, try_seconds=5) == []


async def test_readers_share_one_look_which_serves_for_some_seconds(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.stores.put(event(), bench.lane.queue)
    await asyncio.gather(*(bench.backlog.seconds(TASK_ID) for _ in range(50)))
    assert bench.looks() == ["metadata", "peek"]
    await bench.backlog.seconds(TASK_ID)
    assert len(bench.looks()) == 2
    monkeypatch.setattr(backlog, "REFRESH_SECONDS", 0)
    await bench.backlog.seconds(TASK_ID)
    assert len(bench.looks()) == 4


async def test_what_is_known_is_told_without_a_request_and_is_forgotten(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bench.backlog.known_seconds(TASK_ID) == 1
    assert bench.looks() == []
    bench.stores.put(event(time=instants.to_text(NOW - timedelta(days=1))), bench.lane.queue)
    await bench.backlog.seconds(TASK_ID)
    assert bench.backlog.known_seconds(TASK_ID) == 60
    monkeypatch.setattr(backlog, "OUTLIVED_SECONDS", -1)
    assert bench.backlog.known_seconds(TASK_ID) == 1


@pytest.mark.parametrize("outage", ["down", "silent", "refused"])
async def test_a_queue_that_cannot_be_looked_at_delays_a_reader_a_little_once_and_fails_nobody(
    bench: Bench, outage: str
) -> None:
    match outage:
        case "down":
            await asyncio.to_thread(bench.wire.down, "queue")
        case "silent":
            bench.wire.silence(service="queue", times=None)
        case _:
            bench.wire.fail(service="queue", times=None, status=403, code="AuthorizationFailure")
    began = time.monotonic()
    assert await asyncio.gather(*(bench.backlog.seconds(TASK_ID) for _ in range(20))) == [1] * 20
    assert time.monotonic() - began < LOOK_SECONDS + 1
    again = time.monotonic()
    assert await bench.backlog.seconds(TASK_ID) == 1
    assert time.monotonic() - again < LOOK_SECONDS
    assert asyncio.all_tasks() == {asyncio.current_task()}
    bench.wire.heal()


async def test_a_look_is_none_of_the_request_that_came_first(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.wire.fail(service="queue", times=None, status=403, code="AuthorizationFailure")
    with log.about(task="of the first"):
        assert await bench.backlog.seconds(TASK_ID) == 1
    (line,) = [record.getMessage() for record in caplog.records if "backlog of a lane" in record.getMessage()]
    assert "of the first" not in line
    bench.wire.heal()


async def test_each_priority_has_the_lane_that_takes_it_first(bench: Bench) -> None:
    bench.stores.put(event(time=instants.to_text(NOW - timedelta(days=1))), bench.lane.queue)
    slow = Lane(queue=bench.lane.queue, use="low")
    lanes = Backlog([slow, Lane(queue=f"{bench.lane.queue}x")], queues=bench.queues)
    assert await lanes.seconds(TASK_ID, "low") == 60
    assert await lanes.seconds(TASK_ID, "high") == 1
    assert await lanes.seconds(TASK_ID) == 60  # nobody knows which it has
