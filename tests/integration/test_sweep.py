"""Every branch of the sweeper, on real storage and at the hour that it needs."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from shared.domain.contents import read_contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import decode_object, read_envelope
from shared.domain.lane import Lane
from shared.domain.letter import Closing, Letter
from shared.domain.record import State, Step
from shared.services import sweep as sweep_module
from tests.support.stores import TASKS, Stores
from tests.support.sweeping import DAY, HOUR, KEY, MINUTE, REOPENED, Sweeper, keep, letter, reopen, sweeper, task
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

NOTHING = {"resent": 0, "gaveUp": 0, "closed": 0, "removed": 0, "reported": 0, "failed": 0}


@pytest.fixture(scope="module")
def emulator() -> Iterator[Azurite]:
    with Azurite() as running:
        yield running


@pytest.fixture
def stores(emulator: Azurite) -> Iterator[Stores]:
    with Stores(emulator.connection_string) as stores:
        stores.make_all()
        stores.clear()
        yield stores


@pytest.fixture
async def sweeping(emulator: Azurite, stores: Stores) -> AsyncIterator[Sweeper]:
    async with sweeper(emulator.connection_string) as made:
        yield made


async def kept_letter(sweeping: Sweeper) -> Letter:
    found = await sweeping.letters.read(TASKS, KEY)
    assert found is not None
    return found


def lists(stores: Stores) -> set[str]:
    """The names of all lists in which there is a pointer."""
    return {name.partition(":")[0] for name, _ in stores.pointers("")}


def messages(stores: Stores) -> list[str]:
    return [message.content for message in stores.queue(TASKS).receive_messages()]


async def test_nothing_to_do_costs_four_reads(emulator: Azurite, stores: Stores) -> None:
    with Wire(emulator) as wire:
        async with sweeper(wire.connection_string) as watched:
            assert await watched.sweep(REOPENED) == {"lookedAt": 0, **NOTHING, "leftOver": False}
        assert sorted(request.op for request in wire.requests) == ["get", "get", "query", "query"]


@pytest.mark.parametrize("state", ["queued", "failed", "succeeded"])
async def test_what_was_just_begun_is_left_alone(sweeping: Sweeper, stores: Stores, state: State) -> None:
    await reopen(sweeping, task(state=state), redriven=letter())
    assert await sweeping.sweep(REOPENED + 9 * MINUTE) == {"lookedAt": 1, **NOTHING, "leftOver": False}
    assert lists(stores) == {"open"}
    assert [row["state"] for row in stores.letters()] == ["open"]


async def test_task_that_nothing_moved_for_an_hour_has_its_message_sent_once_in_each(
    sweeping: Sweeper, stores: Stores
) -> None:
    await reopen(sweeping, task())
    assert (await sweeping.sweep(REOPENED + 59 * MINUTE))["resent"] == 0
    assert (await sweeping.sweep(REOPENED + HOUR))["resent"] == 1
    assert any(task().id in line and '"redrives": 2' in line for line in sweeping.lines)
    assert (await sweeping.sweep(REOPENED + HOUR + 59 * MINUTE))["resent"] == 0
    assert (await sweeping.sweep(REOPENED + 2 * HOUR))["resent"] == 1
    first, second = messages(stores)
    assert first == second
    event = read_envelope(decode_object(first))
    assert (event.id, event.subject, event.caller) == (KEY, task().id, "key")
    assert (event.time, event.reopened_at, event.redrives) == (task().submitted_at, REOPENED, 2)
    assert event.data == {"title": "Tap drips", "notes": "since Monday", "priority": "high"}


async def test_stamp_whose_answer_is_lost_is_known_to_be_its_own(
    emulator: Azurite, sweeping: Sweeper, stores: Stores
) -> None:
    await reopen(sweeping, task())
    with Wire(emulator) as wire:
        wire.fail(op="merge", target="fixitindex", after=True)
        async with sweeper(wire.connection_string) as other:
            assert (await other.sweep(REOPENED + HOUR))["resent"] == 1
    assert stores.waiting(TASKS) == 1


async def test_task_that_was_never_reopened_is_sent_as_it_was_submitted(sweeping: Sweeper, stores: Stores) -> None:
    await reopen(sweeping, task(submitted_at=REOPENED, reopened_at=None, redrives=0))
    assert (await sweeping.sweep(REOPENED + HOUR))["resent"] == 1
    (text,) = messages(stores)
    event = read_envelope(decode_object(text))
    assert (event.id, event.time, event.under_way_since, event.redrives) == (KEY, REOPENED, REOPENED, 0)


async def test_task_that_a_step_moved_has_its_hour_from_then(sweeping: Sweeper, stores: Stores) -> None:
    moved = Step(step="record", at=REOPENED + HOUR, attempt=1)
    await reopen(sweeping, task(state="processing", steps=(moved,)))
    assert (await sweeping.sweep(REOPENED + 2 * HOUR - MINUTE))["resent"] == 0
    assert (await sweeping.sweep(REOPENED + 2 * HOUR))["resent"] == 1


async def test_of_two_sweepers_one_sends(emulator: Azurite, sweeping: Sweeper, stores: Stores) -> None:
    for number in range(10):
        await reopen(sweeping, task(f"k-{number}"))
    async with sweeper(emulator.connection_string) as other:
        hours = (HOUR, HOUR + timedelta(microseconds=1))
        await asyncio.gather(
            *(each.sweep(REOPENED + hour) for each, hour in zip((sweeping, other), hours, strict=True))
        )
    assert stores.waiting(TASKS) == 10


async def test_pointer_of_a_reopening_that_a_later_one_followed_is_dropped(sweeping: Sweeper, stores: Stores) -> None:
    await reopen(sweeping, task(), at=REOPENED - DAY)
    await sweeping.pointers.open(task().id, at=REOPENED)
    assert (await sweeping.sweep(REOPENED + HOUR))["resent"] == 1
    assert {name for name, _ in stores.pointers("")} == {f"open:{REOPENED:%Y-%m-%d}"}


async def test_row_that_is_not_what_was_submitted_is_reported_and_not_sent(sweeping: Sweeper, stores: Stores) -> None:
    await reopen(sweeping, task(fingerprint="f" * 64))
    assert (await sweeping.sweep(REOPENED + HOUR))["reported"] == 1
    assert stores.waiting(TASKS) == 0
    assert lists(stores) == {"open"}


async def test_settled_task_costs_its_pointer(sweeping: Sweeper, stores: Stores) -> None:
    await reopen(sweeping, task(state="succeeded"))
    await sweeping.sweep(REOPENED + 10 * MINUTE)
    assert stores.pointers("") == set()


@pytest.mark.parametrize("state", ["succeeded", "cancelled"])
async def test_letter_whose_redrive_ended_before_it_was_marked_is_marked(
    sweeping: Sweeper, stores: Stores, state: State
) -> None:
    await reopen(sweeping, task(state=state), redriven=letter())
    now = REOPENED + 10 * MINUTE
    assert (await sweeping.sweep(now))["closed"] == 1
    marked = await sweeping.letters.read(TASKS, KEY)
    closing = Closing(by="sweeper", at=now, kept_until=now + 90 * DAY)
    assert marked == letter(state="redriven", redrives=2, closing=closing)
    assert {name for name, _ in stores.pointers("")} == {f"keep:{now + 90 * DAY:%Y-%m-%d}"}
    assert stores.letter_texts() == {f"{TASKS}/{KEY}": b"the text"}


@pytest.mark.parametrize(
    ("state", "unlike"),
    [
        ("failed", {}),
        ("succeeded", {"redrives": 2}),
        ("succeeded", {"fingerprint": "f" * 64}),
        ("succeeded", {"state": "discarded", "closing": letter("discarded").closing}),
        ("cancelled", {"redrives": 3}),
    ],
    ids=["failed again", "opened again", "of another content", "closed already", "ahead of the row"],
)
async def test_letter_that_another_story_left_so_stays_so(
    sweeping: Sweeper, stores: Stores, state: State, unlike: dict[str, Any]
) -> None:
    left = letter(**unlike)
    await reopen(sweeping, task(state=state), redriven=left)
    assert await sweeping.sweep(REOPENED + 10 * MINUTE) == {"lookedAt": 1, **NOTHING, "leftOver": False}
    assert await sweeping.letters.read(TASKS, KEY) == left
    assert stores.pointers("") == set()


async def test_task_without_a_row_is_reported_once(sweeping: Sweeper, stores: Stores) -> None:
    await sweeping.pointers.open(task().id, at=REOPENED, letter=letter().id)
    assert (await sweeping.sweep(REOPENED + 10 * MINUTE))["reported"] == 1
    assert any(task().id in line and letter().id in line for line in sweeping.lines)
    assert stores.pointers("") == set()


async def test_task_is_given_up_after_seven_days_and_leaves_a_letter(sweeping: Sweeper, stores: Stores) -> None:
    await reopen(sweeping, task(state="processing", steps=(Step(step="record", at=REOPENED, attempt=1),)))
    assert (await sweeping.sweep(REOPENED + 7 * DAY))["gaveUp"] == 0
    text = messages(stores)[0].encode()
    assert (await sweeping.sweep(REOPENED + 7 * DAY + MINUTE))["gaveUp"] == 1
    row = await sweeping.tasks.read(task().id)
    assert row is not None and row.failure is not None
    assert (row.state, row.failure.code, len(row.steps)) == ("failed", "gave_up", 1)
    kept = await kept_letter(sweeping)
    assert (kept.code, kept.state, kept.task_id, kept.redrives) == ("gave_up", "open", task().id, 2)
    assert stores.letter_texts() == {f"{TASKS}/{KEY}": text}
    assert stores.pointers("") == set()


async def test_letter_of_a_task_that_is_given_up_after_its_redrive_is_opened_again(
    sweeping: Sweeper, stores: Stores
) -> None:
    await reopen(sweeping, task())
    await sweeping.sweep(REOPENED + HOUR)
    sent = Delivery(lane=Lane(), raw=messages(stores)[0].encode(), message_id="", dequeue_count=1, inserted_at=REOPENED)
    closed = letter("redriven", redrives=2, content=read_contents(sent).digest)
    await keep(sweeping, closed)
    assert (await sweeping.sweep(REOPENED + 8 * DAY))["gaveUp"] == 1
    again = await kept_letter(sweeping)
    assert (again.code, again.state, again.count, again.first_seen_at) == ("gave_up", "open", 2, closed.first_seen_at)


async def test_closed_letter_goes_when_its_day_is_over(sweeping: Sweeper, stores: Stores) -> None:
    kept_until = REOPENED + 90 * DAY
    await keep(sweeping, letter("redriven"))
    await sweeping.pointers.keep(letter().id, ends=kept_until)
    await sweeping.sweep(kept_until)
    assert len(stores.letters()) == len(stores.letter_texts()) == 1
    assert (await sweeping.sweep(kept_until + DAY))["removed"] == 1
    assert (stores.letters(), stores.letter_texts(), stores.pointers("")) == ([], {}, set())


@pytest.mark.parametrize("kept", [letter(), letter("discarded")], ids=["opened again", "closed again later"])
async def test_letter_that_was_opened_again_stays(sweeping: Sweeper, stores: Stores, kept: Letter) -> None:
    await keep(sweeping, kept)
    await sweeping.pointers.keep(letter().id, ends=REOPENED)
    assert (await sweeping.sweep(REOPENED + 2 * DAY))["removed"] == 0
    assert len(stores.letters()) == len(stores.letter_texts()) == 1
    assert stores.pointers("") == set()


async def test_row_that_is_not_what_was_submitted_is_given_up_all_the_same(sweeping: Sweeper, stores: Stores) -> None:
    await reopen(sweeping, task(fingerprint="f" * 64))
    assert (await sweeping.sweep(REOPENED + 8 * DAY))["gaveUp"] == 1
    assert [row["state"] for row in stores.tasks()] == ["failed"]
    assert len(stores.letters()) == len(stores.letter_texts()) == 1


@pytest.mark.parametrize("has_text", [True, False])
async def test_text_whose_row_is_gone_already_goes_too(sweeping: Sweeper, stores: Stores, has_text: bool) -> None:
    if has_text:
        await sweeping.letters.keep_text(TASKS, KEY, b"the text")
    await sweeping.pointers.keep(letter().id, ends=REOPENED)
    await sweeping.sweep(REOPENED + DAY)
    assert (stores.letter_texts(), stores.pointers("")) == ({}, set())


async def test_letter_that_is_opened_again_in_the_same_moment_keeps_row_and_text(
    emulator: Azurite, sweeping: Sweeper, stores: Stores
) -> None:
    await keep(sweeping, letter("redriven"))
    await sweeping.pointers.keep(letter().id, ends=REOPENED + 90 * DAY)
    with Wire(emulator) as wire:
        held = wire.hold(op="delete", service="table", target="fixitdeadletters")
        async with sweeper(wire.connection_string) as other:
            run = asyncio.create_task(other.sweep(REOPENED + 91 * DAY))
            await asyncio.to_thread(held.wait_hit)
            await sweeping.letters.change(replace(await kept_letter(sweeping), state="open"))
            held.release()
            assert (await run)["removed"] == 0
    assert [row["state"] for row in stores.letters()] == ["open"]
    assert len(stores.letter_texts()) == 1


async def test_row_that_is_settled_in_the_moment_of_giving_up_stays_as_it_is(
    emulator: Azurite, sweeping: Sweeper, stores: Stores
) -> None:
    await reopen(sweeping, task())
    with Wire(emulator) as wire:
        held = wire.hold(op="merge", target="fixits")
        async with sweeper(wire.connection_string) as other:
            run = asyncio.create_task(other.sweep(REOPENED + 8 * DAY))
            await asyncio.to_thread(held.wait_hit)
            stores.change_task(task().id, state="succeeded")
            held.release()
            assert (await run)["gaveUp"] == 0
    assert [row["state"] for row in stores.tasks()] == ["succeeded"]


async def test_one_that_cannot_be_read_is_reported_and_the_others_go_on(sweeping: Sweeper, stores: Stores) -> None:
    for number in range(3):
        await reopen(sweeping, task(f"k-{number}"))
    stores.change_task(task().id, steps="no list")
    await sweeping.pointers.keep("no letter", ends=REOPENED - DAY)
    counts = await sweeping.sweep(REOPENED + HOUR)
    assert (counts["lookedAt"], counts["resent"], counts["reported"]) == (4, 2, 2)
    assert any("DamagedRow" in line and task().id in line for line in sweeping.lines)


async def test_table_that_is_down_costs_one_line_and_the_next_run_goes_on(
    emulator: Azurite, sweeping: Sweeper, stores: Stores
) -> None:
    for number in range(3):
        await reopen(sweeping, task(f"k-{number}"))
    with Wire(emulator) as wire:
        async with sweeper(wire.connection_string) as other:
            wire.fail(service="table", status=503, code="ServerBusy", times=None)
            counts = await other.sweep(REOPENED + HOUR)
            assert (counts["lookedAt"], counts["leftOver"]) == (0, True)
            assert "503" in counts["because"]
            assert other.lines == []
            wire.heal()
            wire.fail(service="table", op="get", target="fixits", status=503, code="ServerBusy", times=None)
            counts = await other.sweep(REOPENED + HOUR)
            assert (counts["lookedAt"], counts["failed"]) == (3, 3)
            assert other.lines == []
            wire.heal()
            assert (await other.sweep(REOPENED + HOUR))["resent"] == 3


async def test_queue_that_is_down_keeps_nothing_else_from_its_end(
    emulator: Azurite, sweeping: Sweeper, stores: Stores
) -> None:
    await reopen(sweeping, task())
    await reopen(sweeping, task("k-2", state="succeeded"))
    with Wire(emulator) as wire:
        wire.fail(service="queue", status=503, code="ServerBusy", times=None)
        async with sweeper(wire.connection_string) as other:
            counts = await other.sweep(REOPENED + HOUR)
    assert (counts["failed"], counts["resent"]) == (1, 0)
    assert stores.pointers(task("k-2").id) == set()
    assert (await sweeping.sweep(REOPENED + 2 * HOUR))["resent"] == 1


async def test_everything_gets_its_turn_although_no_run_comes_through(
    emulator: Azurite, sweeping: Sweeper, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of them is ever settled, each look takes a while, and a run has time for a few."""
    monkeypatch.setattr(sweep_module, "PAGE", 4)
    monkeypatch.setattr(sweep_module, "IN_FLIGHT", 2)
    tasks = [task(f"k-{number}") for number in range(22)]
    for number, each in enumerate(tasks):
        at = REOPENED - number % 3 * DAY
        await reopen(sweeping, replace(each, reopened_at=at), at=at)
    with Wire(emulator) as wire:
        async with sweeper(wire.connection_string) as other:
            wire.slow(1, op="get", target="fixits", times=None)  # a look is ended after a fifth of the run
            runs = 0
            while len({request.path for request in wire.of(op="get", target="fixits")}) < len(tasks):
                counts = await other.sweep(REOPENED + 20 * MINUTE, seconds=1)
                assert counts["leftOver"]
                runs += 1
                assert runs < 60
            assert runs > 2
            # And one that comes through leaves no bookmark behind.
            wire.heal()
            wire.clear()
            counts = await other.sweep(REOPENED + 20 * MINUTE)
            assert (counts["lookedAt"], counts["leftOver"]) == (22, False)
            assert len(wire.of(op="get", target="fixits")) == 22
    assert lists(stores) == {"open"}


async def test_one_that_hangs_takes_no_others_turn(
    emulator: Azurite, sweeping: Sweeper, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_module, "IN_FLIGHT", 1)
    for number in range(4):
        await reopen(sweeping, task(f"k-{number}"))
    with Wire(emulator) as wire:
        wire.silence(op="get", target="fixits", match=lambda request: task().id in request.path, times=None)
        async with sweeper(wire.connection_string) as other:
            counts = await other.sweep(REOPENED + HOUR, seconds=10)
            wire.heal()
    assert (counts["resent"], counts["failed"], counts["leftOver"]) == (3, 1, False)
