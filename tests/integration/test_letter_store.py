"""Dead letters in their table: listed in ranges of keys, changed by one at a time, forgotten when they may be."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import batched, chain

import pytest

from shared.domain.letter import Closing, Letter, Note
from shared.domain.letter_filter import LetterFilter, Place
from shared.services import find_letters, letter_run
from shared.services.find_letters import PAGES, Reader, find_causes
from shared.services.letter_run import LetterRun
from shared.services.order import Outcome
from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from shared.storage.letters import LetterStore
from shared.storage.table import StaleRow
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

NOON = datetime(2026, 3, 5, 12, 0, 0, 123_456, tzinfo=UTC)
QUEUES = ("fixits", "notes", "note", "a-queue", "zz-queue")
"""Names on either side of the partitions of notes, `note:…`."""


def letter(queue: str = "fixits", number: int = 0, **changes: object) -> Letter:
    made = Letter(
        queue=queue,
        lane=f"FixItStorage/{queue}",
        key=str(uuid.UUID(int=number)),
        content="0" * 64,
        code="given_up",
        reason=f"KeyError: {number % 3}",
        step="record",
        dequeue_count=5,
        first_seen_at=NOON,
        last_seen_at=NOON + timedelta(seconds=number),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.fixture
async def account(fresh_azurite: Azurite) -> AsyncIterator[tuple[LetterStore, Wire]]:
    with Wire(fresh_azurite) as wire:
        connections = StorageConnections.resolve({"FixItStorage": wire.connection_string}, "FixItStorage")
        opened = Account(connections)
        yield LetterStore(opened), wire
        await opened.close()


@pytest.fixture
def store(account: tuple[LetterStore, Wire]) -> LetterStore:
    return account[0]


async def fill(store: LetterStore, letters: list[Letter]) -> None:
    await store.create(letters[0])
    for some in batched(letters[1:], 20, strict=False):
        await asyncio.gather(*map(store.create, some))


async def everything(store: LetterStore, wanted: LetterFilter, *, limit: int, by_key: bool) -> list[str]:
    """All ids that fit, page by page; `by_key`: from the last letter of each page on, as a redrive goes on."""
    found: list[str] = []
    place: Place | None = Place()
    while place:
        page, place = await store.page(wanted, place, limit=limit)
        assert len(page) <= limit
        found += [each.id for each in page]
        if page and by_key:
            place = Place(queue=page[-1].queue, key=page[-1].key)
    return found


async def test_table_that_does_not_exist_is_empty(store: LetterStore) -> None:
    assert await store.page(LetterFilter(), Place(), limit=10) == ([], None)
    assert await store.read("fixits", "x") is None
    assert await store.read_text("fixits", "x") is None


async def test_letter_is_read_as_it_was_written(store: LetterStore) -> None:
    closing = Closing(by="ann", at=NOON, kept_until=NOON + timedelta(days=90), reason="no use")
    for made in (letter(), letter(number=1, closing=closing, state="discarded", count=3, redrives=2, task_id="t")):
        assert await store.create(made) is True
        assert await store.create(made) is False
        assert await store.read(made.queue, made.key) == made


@pytest.mark.parametrize("by_key", [False, True], ids=["by mark", "by key"])
@pytest.mark.parametrize("limit", [1, 3, 4, 100])
async def test_pages_of_any_size_give_every_letter_of_every_queue_once(
    store: LetterStore, limit: int, by_key: bool
) -> None:
    letters = [letter(queue, number) for queue in QUEUES for number in range(3)]
    await fill(store, letters)
    for queue in QUEUES:
        await store.note(queue, str(uuid.uuid4()), Note(error="E", message="m", dequeue_count=1))
    ids = sorted(each.id for each in letters)
    assert sorted(await everything(store, LetterFilter(), limit=limit, by_key=by_key)) == ids
    of_one = await everything(store, LetterFilter(queue="note"), limit=limit, by_key=by_key)
    assert of_one == sorted(each.id for each in letters if each.queue == "note")
    fitting = await everything(store, LetterFilter(cause="KeyError: 1"), limit=limit, by_key=by_key)
    assert sorted(fitting) == sorted(each.id for each in letters if each.reason == "KeyError: 1")


async def test_letter_that_was_changed_since_it_was_read_is_not_overwritten(store: LetterStore) -> None:
    await store.create(letter())
    first, second = [await store.read("fixits", letter().key) for _ in range(2)]
    assert first and second
    await store.change(replace(first, count=2))
    with pytest.raises(StaleRow):
        await store.change(replace(second, count=3))
    stored = await store.read("fixits", letter().key)
    assert stored and stored.count == 2


async def test_letter_is_forgotten_once_its_keeping_is_over_and_not_before(store: LetterStore) -> None:
    made = letter()
    await store.create(made)
    await store.keep_text(made.queue, made.key, b"text")
    days = {number: (NOON + timedelta(days=number)).date() for number in (90, 91)}
    assert await store.forget(made.queue, made.key, today=days[91]) is False  # an open one is kept for ever
    stored = await store.read(made.queue, made.key)
    assert stored
    closing = Closing(by="ann", at=NOON, kept_until=NOON + timedelta(days=90))
    await store.change(replace(stored, state="redriven", closing=closing))
    assert await store.forget(made.queue, made.key, today=days[90]) is False
    assert await store.read_text(made.queue, made.key) == b"text"
    assert await store.forget(made.queue, made.key, today=days[91]) is True
    assert (await store.read(made.queue, made.key), await store.read_text(made.queue, made.key)) == (None, None)
    assert await store.forget(made.queue, made.key, today=days[91]) is True


@pytest.mark.parametrize("when", ["row gone", "row there"])
async def test_text_that_comes_while_its_letter_is_forgotten_stays(
    account: tuple[LetterStore, Wire], when: str
) -> None:
    store, wire = account
    closing = Closing(by="ann", at=NOON, kept_until=NOON)
    made = letter(state="redriven", closing=closing)
    await store.create(made)
    await store.keep_text(made.queue, made.key, b"old")
    held = wire.hold(op="delete", service="blob" if when == "row gone" else "table")
    forgetting = asyncio.create_task(store.forget(made.queue, made.key, today=NOON.date() + timedelta(days=1)))
    await asyncio.to_thread(held.wait_hit)
    if when == "row there":
        stored = await store.read(made.queue, made.key)
        assert stored
        await store.change(replace(stored, state="open", count=2))
    else:
        assert await store.create(letter()) is True
    await store.keep_text(made.queue, made.key, b"new")
    held.release()
    await forgetting
    stored = await store.read(made.queue, made.key)
    assert stored and stored.state == "open"
    assert await store.read_text(made.queue, made.key) == b"new"


async def test_causes_of_more_letters_than_one_page_holds_are_counted_with_few_requests(
    account: tuple[LetterStore, Wire], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, wire = account
    assert find_letters.PAGE == 1_000  # as many as the service gives at once
    monkeypatch.setattr(find_letters, "PAGE", 100)
    await fill(store, [letter(number=number) for number in range(110)])
    wire.clear()
    reader = Reader(wanted=LetterFilter(), place=Place(), letters=store, seconds=30)
    causes = await find_causes(reader, limit=10)
    assert reader.place is None
    assert [(cause.cause, cause.count) for cause in causes] == [
        ("KeyError: 0", 37),
        ("KeyError: 1", 37),
        ("KeyError: 2", 36),
    ]
    assert [query.query["$top"] for query in wire.of(op="query")] == ["100"] * 2


async def test_page_that_finds_nothing_in_a_bounded_number_of_requests_is_empty_and_not_the_end(
    account: tuple[LetterStore, Wire],
) -> None:
    store, wire = account
    await fill(store, [letter(number=number) for number in range(PAGES + 5)])
    await store.create(letter(queue="zz-queue", reason="another"))
    wire.clear()
    reader = Reader(wanted=LetterFilter(cause="another"), place=Place(), letters=store, seconds=30)
    assert await find_letters.find_letters(reader, limit=1) == []
    assert len(wire.of(op="query")) == PAGES
    assert reader.place is not None
    again = Reader(wanted=reader.wanted, place=reader.place, letters=store, seconds=30)
    (found,) = await find_letters.find_letters(again, limit=1)
    assert (found.queue, found.reason) == ("zz-queue", "another")


async def test_outage_in_the_middle_leaves_what_was_found_and_the_place_to_go_on_from(
    account: tuple[LetterStore, Wire],
) -> None:
    store, wire = account
    await fill(store, [letter(queue, number) for queue in ("fixits", "zz-queue") for number in range(3)])
    wire.fail(op="query", status=503, code="ServerBusy", nth=2, times=3)
    start = Place(queue="fixits", key=str(uuid.UUID(int=0)))
    reader = Reader(wanted=LetterFilter(), place=start, letters=store, seconds=30)
    assert len(await find_letters.find_letters(reader, limit=5)) == 2
    again = Reader(wanted=LetterFilter(), place=reader.place, letters=store, seconds=30)
    assert [each.queue for each in await find_letters.find_letters(again, limit=5)] == ["zz-queue"] * 3


async def redriven(letter: Letter) -> Outcome:
    return Outcome(letter.id, "redriven")


async def calls(store: LetterStore, wanted: LetterFilter) -> list[list[str]]:
    """The ids that each call of an operator comes to, until there are no more."""
    found: list[list[str]] = []
    place: Place | None = Place()
    while place:
        run = LetterRun(act=redriven, letters=store, seconds=60)
        place = await run.over_filter(wanted, start=place)
        found.append([outcome.letter for outcome in run.outcomes])
    return found


async def test_call_ends_when_its_answer_is_full_and_the_next_goes_on(
    store: LetterStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(letter_run, "LETTERS_A_CALL", 10)
    monkeypatch.setattr(letter_run, "PAGE", 12)
    letters = [letter(queue, number) for queue in ("fixits", "zz-queue") for number in range(20)]
    await fill(store, letters)
    found = await calls(store, LetterFilter())
    assert [len(each) for each in found] == [12, 12, 12, 4]
    assert list(chain(*found)) == sorted(each.id for each in letters)


async def test_call_that_finds_nothing_ends_after_some_requests_and_the_next_goes_on(
    account: tuple[LetterStore, Wire], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, wire = account
    monkeypatch.setattr(letter_run, "PAGES", 5)
    monkeypatch.setattr(letter_run, "PAGE", 1)
    await fill(store, [letter(number=number) for number in range(12)])
    await store.create(letter("zz-queue", reason="another"))
    wire.clear()
    assert [len(each) for each in await calls(store, LetterFilter(cause="another"))] == [0, 0, 1]
    assert len(wire.of(op="query")) == 13


async def test_open_letters_are_counted_up_to_a_limit_and_notes_and_closed_ones_are_not(
    account: tuple[LetterStore, Wire],
) -> None:
    letters, wire = account
    assert await letters.count_open(limit=10) == (0, False)
    closing = Closing(by="ann", at=NOON, reason="", kept_until=NOON)
    for number in range(6):
        await letters.create(letter(QUEUES[number % 5], number))
        await letters.create(letter("fixits", 100 + number, state="discarded", closing=closing))
    await letters.note("fixits", "k", Note(error="KeyError", message="", dequeue_count=1))
    wire.clear()
    assert await letters.count_open(limit=10) == (6, False)
    assert await letters.count_open(limit=6) == (6, False)
    assert await letters.count_open(limit=5) == (5, True)
    assert {request.query["$select"] for request in wire.of(op="query")} == {"PartitionKey"}


async def test_count_of_open_letters_asks_a_few_times_and_no_more(
    account: tuple[LetterStore, Wire], monkeypatch: pytest.MonkeyPatch
) -> None:
    letters, wire = account
    for number in range(5):
        await letters.create(letter("fixits", number))
    monkeypatch.setattr("shared.storage.letters._PAGE_MAX", 1)
    wire.clear()
    assert await letters.count_open(limit=10) == (3, True)
    assert len(wire.of(op="query")) == 3
