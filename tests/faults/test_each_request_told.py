"""Whichever storage request fails while a photo is worked on or somebody is told, and however: each effect is there
once, and where a mail may have gone twice its row says so."""

import random
from typing import Any

import pytest

from shared.domain.names import NOTICE_QUEUE
from tests.faults.breaks import BREAKS, SILENCES, Break
from tests.faults.stories import TALES
from tests.faults.stories_photo import photo_id, upload
from tests.faults.story import KEY, by_the_app
from tests.faults.telling import Telling, check_told
from tests.support.eventually import eventually
from tests.support.raw_messages import submitted
from tests.support.storage_request import StorageRequest

HOW = BREAKS | SILENCES
QUICK = 18


class Nth:
    """Matches the n-th request that the app makes, and every try of it again."""

    def __init__(self, number: int) -> None:
        self._left = number
        self._chosen: object = None

    def __call__(self, request: StorageRequest) -> bool:
        if not by_the_app([request]):
            return False
        what = (request.service, request.op, request.path, request.body)
        if self._chosen is None:
            self._left -= 1
            self._chosen = what if self._left == 0 else None
        return self._chosen == what


def places() -> list[Any]:
    """Every request of every story with its breaks; quick: a few, spread over all, each break in its turn."""
    found = [(name, number) for name, tale in TALES.items() for number in range(1, tale.requests + 1)]
    apart = -(-len(found) // QUICK)
    params = []
    for at, (name, number) in enumerate(found):
        every = TALES[name].every
        breaks = list(HOW)[number % every :: every]
        turn, rest = divmod(at, apart)
        for how in breaks:
            marks = () if rest == 0 and how == breaks[turn % len(breaks)] else (pytest.mark.full,)
            params.append(pytest.param(name, number, how, marks=marks, id=f"{name}-{number}-{how}"))
    return params


@pytest.mark.parametrize("name", TALES)
def test_story_makes_so_many_requests_and_tells_everybody_once(told: Telling, name: str) -> None:
    tale = TALES[name]
    tale.before(told)
    told.wire.clear()
    tale.act(told)
    told.idle()
    made = by_the_app(told.wire.requests)
    tale.check(told)
    check_told(told, tale, is_quiet=True)
    assert len(made) == tale.requests, [(each.op, each.target, each.status) for each in made]


@pytest.mark.parametrize(("name", "number", "how"), places())
def test_request_that_fails_costs_nobody_his_photo_or_notice(told: Telling, name: str, number: int, how: str) -> None:
    check_break(told, name, number, HOW[how])


def check_break(told: Telling, name: str, number: int, how: Break) -> None:
    """Tell a story while its n-th request is broken: it ends as it must, and no delivery is burned on it."""
    random.seed(number)
    tale = TALES[name]
    tale.before(told)
    told.wire.clear()
    seen = len(told.host.lines())
    fault = told.wire.damage(how.damage, match=Nth(number), times=how.times)
    tale.act(told)
    told.idle()
    eventually(lambda: fault.hits, what="the fault")
    eventually(lambda: all(hit.seconds for hit in fault.hits), what="the end of the broken request")
    told.idle()  # what came late is a message too
    broken = fault.hits[0]
    print("broken:", broken.service, broken.op, broken.target, broken.path)
    tale.check(told)
    check_told(told, tale)
    if broken.service != "queue":  # where the queue itself refuses, a message cannot be put back: it is raised
        assert [line for line in told.host.lines()[seen:] if "(Failed" in line] == []


def test_state_is_told_although_it_was_over_before_its_notice_could_be_put(told: Telling) -> None:
    upload(told)
    lost = told.wire.fail(op="put", target=NOTICE_QUEUE, times=3, delay=0.4)  # time for a whole photo
    told.stores.put(submitted(KEY, photoId=photo_id(), callbackUrl=told.receiver.url("/hook")))
    told.idle()
    assert len(lost.hits) == 3
    states = [(row["kind"], row["outcome"], row["state"]) for row in told.notices()]
    assert sorted(states) == [("state", "processing", "sent"), ("state", "succeeded", "sent")]
