"""The sweeper's lists: the oldest day first, page by page, and nothing else of the index."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta

import pytest

from shared.domain.names import INDEX_TABLE
from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from shared.storage.pointers import Pointer, Pointers
from shared.storage.table import StaleRow, Table
from tests.support.raw_messages import TASK_ID
from tools.dev.azurite import Azurite

NOON = datetime(2026, 3, 5, 12, 0, 0, 123_456, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
async def account(fresh_azurite: Azurite) -> AsyncIterator[Account]:
    connections = StorageConnections.resolve({"FixItStorage": fresh_azurite.connection_string}, "FixItStorage")
    opened = Account(connections)
    yield opened
    await opened.close()


@pytest.fixture
def pointers(account: Account) -> Pointers:
    return Pointers(account)


async def everything(pointers: Pointers, *, limit: int) -> list[Pointer]:
    """All open pointers, asked for page by page."""
    found: list[Pointer] = []
    while page := await pointers.opened(after=found[-1] if found else None, limit=limit):
        assert len(page) <= limit
        found += page
    return found


async def test_lists_that_do_not_exist_are_empty(pointers: Pointers) -> None:
    assert await pointers.opened(limit=10) == []
    assert await pointers.over(date(2026, 3, 5), limit=10) == []


async def test_open_pointer_says_which_task_since_when_and_whose_letter(pointers: Pointers) -> None:
    await pointers.open(TASK_ID, at=NOON, letter="fixits~key")
    await pointers.open(TASK_ID, at=NOON, letter="fixits~key")
    (pointer,) = await pointers.opened(limit=10)
    assert (pointer.list, pointer.task_id, pointer.at) == ("open:2026-03-05", TASK_ID, NOON)
    assert (pointer.letter, pointer.resent_at) == ("fixits~key", None)


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
async def test_pages_of_any_size_give_every_open_pointer_once_and_the_oldest_day_first(
    account: Account, pointers: Pointers, limit: int
) -> None:
    moments = [NOON + number * DAY / 3 for number in range(10)]
    await asyncio.gather(*(pointers.open(f"task-{number}", at=at) for number, at in enumerate(moments)))
    index = Table(account, INDEX_TABLE)
    for other in ("all:2026-03-05", "keep:2026-03-05", "open", "opens", "a1b2", "zz"):
        await index.put({"PartitionKey": other, "RowKey": "1"})
    found = await everything(pointers, limit=limit)
    assert sorted(each.at for each in found) == moments
    assert [each.list for each in found] == sorted(each.list for each in found)


async def test_walk_goes_on_behind_a_pointer_that_is_gone(pointers: Pointers) -> None:
    for number in range(4):
        await pointers.open(f"task-{number}", at=NOON + number // 2 * DAY)
    first, second, third, _ = await pointers.opened(limit=4)
    for each in (first, second):
        await pointers.drop(each)
        await pointers.drop(each)
    assert (await pointers.opened(after=second, limit=1)) == [third]


async def test_letters_are_due_when_their_day_is_over(pointers: Pointers) -> None:
    for number, ends in enumerate((NOON - DAY, NOON, NOON + DAY)):
        await pointers.keep(f"fixits~{number}", ends=ends)
    assert [each.key for each in await pointers.over(NOON.date(), limit=10)] == ["fixits~0"]
    assert [each.key for each in await pointers.over((NOON + DAY).date(), limit=10)] == ["fixits~0", "fixits~1"]


async def test_of_two_who_stamp_the_same_pointer_one_is_refused(pointers: Pointers) -> None:
    await pointers.open(TASK_ID, at=NOON, letter="fixits~key")
    (pointer,) = await pointers.opened(limit=1)
    await pointers.stamp_resent(pointer, NOON + DAY)
    await pointers.stamp_resent(pointer, NOON + DAY)  # a repeat of the same call
    with pytest.raises(StaleRow):
        await pointers.stamp_resent(pointer, NOON + 2 * DAY)
    (stamped,) = await pointers.opened(limit=1)
    assert (stamped.resent_at, stamped.letter) == (NOON + DAY, "fixits~key")
