"""The breaker: what failed is left alone, then one call at a time may try."""

import asyncio
import math

import pytest

from shared.services.breaker import Breaker
from tests.support.eventually import eventually


class Broken(Exception):
    """A call that failed."""


def fail(breaker: Breaker) -> None:
    with pytest.raises(Broken), breaker.watching():
        raise Broken


def succeed(breaker: Breaker) -> None:
    with breaker.watching():
        pass


def half_open() -> Breaker:
    """One that failed, and whose pause is over."""
    breaker = Breaker(pause_seconds=0.01)
    fail(breaker)
    eventually(lambda: breaker.is_passable)
    return breaker


def test_new_one_is_closed_and_success_leaves_it_so() -> None:
    breaker = Breaker(pause_seconds=math.inf)
    assert breaker.is_passable
    succeed(breaker)
    assert breaker.is_passable


def test_one_failure_opens_it_for_its_pause() -> None:
    breaker = Breaker(pause_seconds=math.inf)
    fail(breaker)
    assert not breaker.is_passable
    assert half_open().is_passable


def test_closed_one_lets_any_number_through_at_once() -> None:
    breaker = Breaker(pause_seconds=math.inf)
    with breaker.watching(), breaker.watching():
        assert breaker.is_passable


def test_half_open_one_lets_one_probe_through_at_a_time() -> None:
    breaker = half_open()
    with breaker.watching():
        assert not breaker.is_passable
    assert breaker.is_passable


def test_probe_that_succeeds_closes_it() -> None:
    breaker = half_open()
    succeed(breaker)
    with breaker.watching():
        assert breaker.is_passable


def test_probe_that_fails_opens_it_for_another_pause() -> None:
    breaker = half_open()
    breaker.pause_seconds = math.inf
    fail(breaker)
    assert not breaker.is_passable


async def test_probe_that_is_cancelled_says_nothing_and_gives_its_place_to_another() -> None:
    breaker = half_open()
    breaker.pause_seconds = math.inf

    async def hang() -> None:
        with breaker.watching():
            await asyncio.get_running_loop().create_future()

    probe = asyncio.create_task(hang())
    await asyncio.sleep(0)
    assert not breaker.is_passable
    probe.cancel()
    with pytest.raises(asyncio.CancelledError):
        await probe
    assert breaker.is_passable  # half open, as before
    with breaker.watching():
        assert not breaker.is_passable


def test_failure_of_a_last_resort_beside_a_probe_leaves_the_probe_alone() -> None:
    breaker = half_open()
    with breaker.watching():
        fail(breaker)
        assert not breaker.is_passable
        breaker.pause_seconds = 0
        fail(breaker)
        assert not breaker.is_passable  # the pause is over, but the probe is still under way
    assert breaker.is_passable


def test_call_made_while_open_that_succeeds_closes_it_before_its_pause_is_over() -> None:
    breaker = Breaker(pause_seconds=math.inf)
    fail(breaker)
    succeed(breaker)
    assert breaker.is_passable


def test_late_failure_of_a_call_that_began_before_opens_it_again() -> None:
    breaker = Breaker(pause_seconds=math.inf)
    with pytest.raises(Broken), breaker.watching():
        fail(breaker)
        succeed(breaker)
        raise Broken
    assert not breaker.is_passable
