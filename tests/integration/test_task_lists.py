"""Lists of tasks over many days and many rows: each page is bounded, and all pages together show each task once."""

import json
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.domain.names import INDEX_TABLE, TASK_TABLE
from shared.domain.principal import SERVICE, Principal, signed_in
from shared.domain.record import Record, State, Step
from shared.domain.signing import to_bytes
from shared.domain.task import Task, fingerprint
from shared.domain.task_filter import TaskFilter, TaskPlace
from shared.services import find_tasks as bounds
from shared.services.find_tasks import IN_FLIGHT, QUERIES, ROWS, find_tasks
from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from shared.storage.task_lists import TaskLists
from shared.storage.tasks import TaskStore
from tests.support.stores import Stores
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

NOON = datetime(2026, 3, 5, 12, 0, 0, 123_456, tzinfo=UTC)
KEYS = [b"a-key-of-the-tests-of-forty-characters.."]
ANN, BOB = (signed_in(tid="7c0e5c1e", oid=name, name=name, roles=frozenset()) or SERVICE for name in ("ann", "bob"))


@dataclass(frozen=True)
class Page:
    """One page: its titles, the cursor, and what it asked of storage."""

    titles: list[str]
    cursor: str | None
    queries: int
    reads: int


class Product:
    """The stores of one account, written to directly and listed over a wire."""

    def __init__(self, account: Account, wire: Wire) -> None:
        self.tasks, self.lists, self.wire = TaskStore(account), TaskLists(account), wire
        self._number = 0

    async def add(
        self, title: str, *, days: float = 0, who: Principal = SERVICE, state: State = "succeeded", owner: str = ""
    ) -> None:
        """A task of so many days before noon."""
        self._number += 1
        task = Task(title=title, owner=owner, created_by=who.person)
        at = NOON - timedelta(days=days, microseconds=self._number)
        record = Record(
            id=str(uuid.UUID(int=self._number)),
            task=task,
            caller=who.caller,
            fingerprint=fingerprint(task),
            submitted_at=at,
            state=state,
            steps=(Step(step="record", at=at, attempt=1),),
        )
        assert await self.tasks.create(record)
        await self.tasks.point(record)

    async def page(self, *, limit: int = 50, cursor: str = "", who: Principal = SERVICE, **wanted: Any) -> Page:
        self.wire.clear()
        found, following = await find_tasks(
            TaskFilter(**wanted),
            who=who,
            limit=limit,
            cursor=cursor,
            now=NOON,
            lists=self.lists,
            tasks=self.tasks,
            keys=KEYS,
            seconds=20,
        )
        queries = len(self.wire.of(op="query", target=INDEX_TABLE))
        reads = len(self.wire.of(service="table", op="get", target=TASK_TABLE))
        assert queries <= QUERIES and reads <= ROWS
        return Page([record.task.title for record in found], following, queries, reads)

    async def pages(self, *, most: int = 100, who: Principal = SERVICE, limit: int = 50, **wanted: Any) -> list[Page]:
        """All of them, in this many at most."""
        found = [await self.page(who=who, limit=limit, **wanted)]
        while found[-1].cursor:
            assert len(found) < most
            found.append(await self.page(who=who, limit=limit, cursor=found[-1].cursor, **wanted))
        return found


def titles(pages: Sequence[Page]) -> list[str]:
    return [title for page in pages for title in page.titles]


@pytest.fixture(scope="module")
def stores() -> Iterator[tuple[Stores, Wire]]:
    """An emulator for these tests alone: they list all tasks that there are."""
    with Azurite() as emulator, Wire(emulator) as wire, Stores(emulator.connection_string) as opened:
        opened.make_all()
        yield opened, wire


@pytest.fixture
async def product(stores: tuple[Stores, Wire]) -> AsyncIterator[Product]:
    stores[0].clear()
    connections = StorageConnections.resolve({"FixItStorage": stores[1].connection_string}, "FixItStorage")
    account = Account(connections)
    yield Product(account, stores[1])
    await account.close()


@pytest.mark.parametrize("limit", [1, 3, 100])
async def test_gaps_of_any_length_are_passed_in_a_handful_of_queries(product: Product, limit: int) -> None:
    days = [0, 0, 1, 2, 4, 8, 9, 30, 31, 100, 1_000, 9_000]
    for day in days:
        await product.add(str(day), days=day)
    pages = await product.pages(limit=limit)
    assert titles(pages) == [str(day) for day in days]
    if limit == 100:
        assert sum(page.queries for page in pages) < 120  # 9,000 of them one by one


async def test_list_without_a_task_ends_at_once(product: Product) -> None:
    assert await product.page() == Page([], None, 3, 0)  # later, today, ever
    assert await product.page(owner="ann") == Page([], None, 1, 0)


async def test_tasks_of_days_to_come_are_shown_first(product: Product) -> None:
    for days in (0, -1, -2, -3_000, -2_500_000):
        await product.add(str(days), days=days)
    assert titles(await product.pages(limit=2)) == ["-2500000", "-3000", "-2", "-1", "0"]


async def test_walk_goes_back_through_a_day_that_has_more_than_one_page(product: Product) -> None:
    for number in range(7):
        await product.add(f"new {number}")
        await product.add(f"old {number}", days=1)
    pages = await product.pages(limit=3)
    assert titles(pages) == [f"{age} {number}" for age in ("new", "old") for number in range(7)]
    assert [len(page.titles) for page in pages] == [3, 3, 3, 3, 2]
    assert pages[1].reads == 3


async def test_task_that_comes_between_two_pages_moves_none_of_the_others(product: Product) -> None:
    for number in range(4):
        await product.add(str(number), days=1, owner="ann")
    first = await product.page(limit=2, owner="ann")
    await product.add("new", owner="ann")
    assert first.cursor
    second = await product.page(limit=2, owner="ann", cursor=first.cursor)
    assert first.titles + second.titles == ["0", "1", "2", "3"]


async def test_state_that_is_rare_is_found_over_pages_of_bounded_length(
    product: Product, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "ROWS", 25)
    monkeypatch.setattr(bounds, "PAGE", 10)
    for number in range(40):
        await product.add(str(number), owner="ann", state="failed" if number == 35 else "succeeded")
    first = await product.page(owner="ann", state="failed")
    assert (first.titles, first.reads, first.queries) == ([], 25, 3)
    assert first.cursor  # an empty page with a cursor is not the end
    second = await product.page(owner="ann", state="failed", cursor=first.cursor)
    assert (second.titles, second.cursor, second.reads) == (["35"], None, 15)
    one = await product.page(owner="ann", state="succeeded", limit=1)
    assert (one.titles, one.queries) == (["0"], 1)
    assert one.reads <= IN_FLIGHT


async def test_empty_page_of_the_service_is_not_the_end(  # TQ-03
    product: Product, monkeypatch: pytest.MonkeyPatch
) -> None:
    await product.add("only", owner="ann", days=1)
    true_page, asked = product.lists._rows.page, []

    async def empty_at_first(where: str, values: dict[str, str], *, limit: int, mark: tuple[str, str] | None = None):  # type: ignore[no-untyped-def]
        asked.append(mark)
        if mark != ("1!8!YW5u", "3"):
            return [], ("1!8!YW5u", str(len([each for each in asked if each]) % 3 + 1))
        return await true_page(where, values, limit=limit)

    monkeypatch.setattr(product.lists._rows, "page", empty_at_first)
    assert (await product.page(owner="ann")).titles == ["only"]
    assert titles(await product.pages()) == ["only"]

    async def always_empty(*_: object, **__: object) -> tuple[list[object], tuple[str, str]]:
        asked.append(None)
        return [], ("1!8!YW5u", "1")

    monkeypatch.setattr(product.lists._rows, "page", always_empty)
    for owner in ("ann", ""):  # a list of somebody, and those of all days
        asked.clear()
        page = await product.page(owner=owner)
        assert (page.titles, len(asked)) == ([], QUERIES)
        assert page.cursor
    monkeypatch.setattr(product.lists._rows, "page", true_page)
    shown = [page]
    while cursor := shown[-1].cursor:
        assert len(shown) < 10
        shown.append(await product.page(cursor=cursor))
    assert titles(shown) == ["only"]


async def test_person_sees_what_they_made_or_own_and_nothing_else(product: Product) -> None:
    await product.add("ann's", who=ANN)
    await product.add("bob's", who=BOB)
    await product.add("bob's for ann", who=BOB, owner=ANN.person)
    await product.add("ann's for bob", who=ANN, owner=BOB.person)
    await product.add("a service's for bob", owner=BOB.person)
    operator = replace(ANN, is_operator=True)
    assert titles(await product.pages(who=ANN)) == ["ann's", "ann's for bob"]
    assert titles(await product.pages(who=ANN, owner=ANN.person)) == ["bob's for ann"]
    assert titles(await product.pages(who=ANN, owner=BOB.person)) == ["ann's for bob"]
    assert titles(await product.pages(who=ANN, created_by=BOB.person)) == ["bob's for ann"]
    assert titles(await product.pages(who=BOB, owner=BOB.person)) == ["ann's for bob", "a service's for bob"]
    for everybody in (operator, SERVICE):
        assert len(titles(await product.pages(who=everybody))) == 5


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"owner": BOB.person}, ["ann's for bob"]),
        ({"created_by": BOB.person}, ["bob's for ann"]),
        ({"owner": BOB.person, "created_by": BOB.person}, []),
        ({"owner": BOB.person, "created_by": ANN.person}, ["ann's for bob"]),
        ({"owner": ANN.person.upper()}, ["bob's for ann"]),
        ({"owner": ANN.person, "created_by": BOB.person}, ["bob's for ann"]),
        ({"created_by": ANN.person.upper()}, ["ann's for bob", "ann's"]),
        ({}, ["ann's for bob", "ann's"]),
    ],
)
async def test_person_is_not_led_over_the_tasks_of_other_people(
    product: Product, monkeypatch: pytest.MonkeyPatch, wanted: dict[str, Any], found: list[str]
) -> None:
    monkeypatch.setattr(bounds, "ROWS", 1)  # a cursor behind each row, also one that is not shown
    for number in range(3):
        await product.add(f"bob's {number}", who=BOB, owner=BOB.person)
    await product.add("bob's for ann", who=BOB, owner=ANN.person)
    await product.add("ann's for bob", who=ANN, owner=BOB.person)
    await product.add("ann's", who=ANN)
    pages = await product.pages(who=ANN, **wanted)
    assert titles(pages) == found
    assert sum(page.reads for page in pages) <= 2
    named = {json.loads(to_bytes(page.cursor.split(".")[1]))[1][-36:] for page in pages if page.cursor}
    records = [await product.tasks.read(task_id) for task_id in named]
    assert all(record and ANN.sees(record) for record in records)


async def test_cursor_of_another_person_is_refused(product: Product) -> None:
    for _ in range(3):
        await product.add("t", who=BOB, owner=ANN.person)
    cursor = (await product.page(who=ANN, owner=ANN.person, limit=1)).cursor or ""
    assert cursor
    assert (await product.page(who=ANN, owner=ANN.person, limit=1, cursor=cursor)).titles == ["t"]
    for other in (BOB, SERVICE):
        with pytest.raises(Exception, match="not one of this list"):
            await product.page(who=other, owner=ANN.person, limit=1, cursor=cursor)


def test_place_is_the_same_after_it_was_a_cursor() -> None:
    for place in (TaskPlace(list="all:2026-03-05"), TaskPlace(list="x", key="y"), TaskPlace(list="x", mark=("", "m"))):
        assert TaskPlace.from_texts(place.to_texts()) == place
