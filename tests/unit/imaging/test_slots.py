"""Two at a time, whoever still waits for them."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from shared.domain.errors import PhotoRejected
from shared.imaging.render import render, rendered
from shared.imaging.slots import SLOTS, in_slot
from tests.support.pictures import jpeg

ROOT = Path(__file__).resolve().parents[3]
SOON = 20  # seconds, for what takes none


class Held:
    """Work that runs until it is let go, and says when it has begun."""

    def __init__(self) -> None:
        self.begun, self._end = threading.Event(), threading.Event()

    def __call__(self) -> str:
        self.begun.set()
        assert self._end.wait(SOON)
        return "done"

    def let_go(self) -> None:
        self._end.set()

    async def began(self, within: float = SOON) -> bool:
        return await asyncio.to_thread(self.begun.wait, within)


@pytest.fixture
async def full() -> list[tuple[Held, asyncio.Task[str]]]:
    """All slots taken."""
    works = [Held() for _ in range(SLOTS)]
    tasks = [asyncio.create_task(in_slot(work)) for work in works]
    for work in works:
        assert await work.began()
    return list(zip(works, tasks, strict=True))


async def test_a_third_waits_until_one_of_two_ends(full: list[tuple[Held, asyncio.Task[str]]]) -> None:
    third = Held()
    waiting = asyncio.create_task(in_slot(third))
    assert not await third.began(within=0.2)
    full[0][0].let_go()
    assert await third.began()
    assert await full[0][1] == "done"
    assert not full[1][1].done()
    third.let_go()
    full[1][0].let_go()
    assert [await waiting, await full[1][1]] == ["done", "done"]


@pytest.mark.parametrize("how", ["cancelled", "timed-out"])
async def test_work_that_nobody_waits_for_any_more_keeps_its_slot(
    full: list[tuple[Held, asyncio.Task[str]]], how: str
) -> None:
    for _, task in full:
        if how == "cancelled":
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(task, 0)
    third, never = Held(), Held()
    waiting, given_up = asyncio.create_task(in_slot(third)), asyncio.create_task(in_slot(never))
    assert not await third.began(within=0.2)
    given_up.cancel()
    full[0][0].let_go()
    assert await third.began()
    third.let_go()
    assert await waiting == "done"
    full[1][0].let_go()
    assert await in_slot(lambda: "free again") == "free again"
    assert not never.begun.is_set()


async def test_errors_reach_who_waits() -> None:
    with pytest.raises(PhotoRejected, match="empty"):
        await rendered(b"")
    with pytest.raises(MemoryError):
        await in_slot(_crash)
    assert await in_slot(lambda: 1) == 1


def _crash() -> None:
    raise MemoryError


async def test_rendered_gives_what_render_gives() -> None:
    assert await rendered(jpeg()) == render(jpeg())


def test_slots_serve_one_event_loop_after_another() -> None:
    async def one() -> int:
        return await in_slot(lambda: 1)

    assert [asyncio.run(one()) for _ in range(3)] == [1, 1, 1]


def test_the_decoders_are_imported_for_a_photo_alone() -> None:
    program = (
        "import sys, shared.imaging.render as r\n"
        "heavy = {'PIL', 'pillow_heif'}\n"
        "assert not heavy & sys.modules.keys()\n"
        "try: r.render(b'text')\n"
        "except Exception: pass\n"
        "assert not heavy & sys.modules.keys()\n"
        "from tests.support.pictures import jpeg\n"
        "r.render(jpeg())\n"
        "assert heavy <= sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)
