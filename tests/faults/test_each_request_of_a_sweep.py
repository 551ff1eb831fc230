"""Whichever request of one sweep over everything fails, and however: the next sweep brings it all to its end."""

import random
from collections.abc import AsyncIterator, Iterator

import pytest

from shared.domain.letter import Closing
from shared.domain.names import TASK_QUEUE
from shared.services import sweep as sweep_module
from shared.storage import clients
from tests.faults.breaks import BREAKS, SILENCES, Break
from tests.support.stores import Stores
from tests.support.sweeping import DAY, HOUR, REOPENED, Sweeper, keep, letter, reopen, sweeper, task
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

NOW = REOPENED + 8 * DAY
LATELY = NOW - DAY
UNMOVED, UNMARKED = task("k-1", reopened_at=LATELY), task("k-2", "succeeded", reopened_at=LATELY)
LATE, SETTLED = task("k-3"), task("k-4", "succeeded")
QUICK = {"500 before": range(1, 99, 6), "cut after": range(4, 99, 6)}
"""Which of the requests the quick run breaks so."""


@pytest.fixture
async def stores(azurite_of_sweeps: Azurite, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stores]:
    monkeypatch.setattr(sweep_module, "PAGE", 2)
    with Stores(azurite_of_sweeps.connection_string) as stores:
        stores.make_all()
        yield stores


@pytest.fixture(scope="module")
def azurite_of_sweeps() -> Iterator[Azurite]:
    with Azurite() as running:
        yield running


async def set_scene(sweeping: Sweeper, stores: Stores) -> None:
    """One of each kind that a sweep ends: more than fit on a page."""
    stores.clear()
    await reopen(sweeping, UNMOVED, at=LATELY)
    await reopen(sweeping, UNMARKED, at=LATELY, redriven=letter(key="k-2"))
    await reopen(sweeping, LATE)
    await reopen(sweeping, SETTLED)
    closing = Closing(by="ann", at=NOW - 9 * DAY, kept_until=NOW - 2 * DAY)
    old = letter("discarded", "k-5", closing=closing)
    await keep(sweeping, old)
    await sweeping.pointers.keep(old.id, ends=closing.kept_until)


async def check_end(sweeping: Sweeper, stores: Stores) -> None:
    """Everything came to its end; of the task that nothing moved the message is on the queue."""
    rows = {row["RowKey"]: row["state"] for row in stores.tasks()}
    assert rows == {UNMOVED.id: "queued", UNMARKED.id: "succeeded", LATE.id: "failed", SETTLED.id: "succeeded"}
    assert stores.waiting(TASK_QUEUE) >= 1
    letters = {row["taskId"]: (row["state"], row["class"]) for row in stores.letters()}
    assert letters == {UNMARKED.id: ("redriven", "given_up"), LATE.id: ("open", "gave_up")}
    assert set(stores.letter_texts()) == {f"{row['PartitionKey']}/{row['RowKey']}" for row in stores.letters()}
    open_ones = await sweeping.pointers.opened(limit=9)
    assert [pointer.task_id for pointer in open_ones] == [UNMOVED.id]
    assert await sweeping.pointers.over((NOW + DAY).date(), limit=9) == []
    assert [name for name, _ in stores.pointers("") if name == "bookmark"] == []


async def swept(wire: Wire) -> int:
    """The number of requests that a sweep made."""
    wire.clear()
    with pytest.MonkeyPatch.context() as hasty:
        hasty.setattr(clients, "READ_SECONDS", 0.2)
        async with sweeper(wire.connection_string) as sweeping:
            await sweeping.sweep(NOW, seconds=5)
    return len(wire.requests)


async def check_break(number: int, how: Break, stores: Stores, straight: Sweeper, wire: Wire) -> bool:
    """One sweep with its n-th request broken, and one after it; False if there is no such request."""
    random.seed(number)
    await set_scene(straight, stores)
    fault = wire.damage(how.damage, nth=number, times=how.times)
    await swept(wire)
    wire.heal()
    await straight.sweep(NOW + 2 * HOUR)
    await check_end(straight, stores)
    return bool(fault.hits)


async def test_sweep_that_nothing_breaks_ends_everything(azurite_of_sweeps: Azurite, stores: Stores) -> None:
    async with sweeper(azurite_of_sweeps.connection_string) as straight:
        await set_scene(straight, stores)
        with Wire(azurite_of_sweeps) as wire:
            assert await swept(wire) < 40
        await check_end(straight, stores)


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "how", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.full) for name in BREAKS | SILENCES]
)
async def test_request_of_a_sweep_that_fails_costs_nothing(
    azurite_of_sweeps: Azurite, stores: Stores, how: str, request: pytest.FixtureRequest
) -> None:
    numbers = range(1, 99) if request.config.getoption("--full") else QUICK[how]
    async with sweeper(azurite_of_sweeps.connection_string) as straight:
        for number in numbers:
            with Wire(azurite_of_sweeps) as wire:
                if not await check_break(number, (BREAKS | SILENCES)[how], stores, straight, wire):
                    assert number > 25
                    break
