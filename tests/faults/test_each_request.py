"""Whichever storage request of whichever flow fails, and however: it is settled once, and no delivery is burned."""

from collections import Counter
from typing import Any

import pytest

from tests.faults.breaks import BREAKS, Break
from tests.faults.invariants import check_invariants
from tests.faults.stories import STORIES
from tests.faults.story import by_the_app
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.stores import QUEUES


def places(breaks: dict[str, Break], *, quick: int) -> list[Any]:
    """Every request of every story with every break; quick: about so many, spread over all, each break in its turn."""
    found = [(story, place) for story in STORIES for place in STORIES[story].requests]
    every = -(-len(found) // quick)
    params = []
    for number, (story, place) in enumerate(found):
        turn, rest = divmod(number, every)
        for name in breaks:
            marks = () if rest == 0 and name == list(breaks)[turn % len(breaks)] else (pytest.mark.full,)
            params.append(pytest.param(story, place, name, marks=marks, id=f"{story}-{place}-{name}"))
    return params


@pytest.mark.parametrize("name", STORIES)
def test_story_makes_these_requests_and_no_other(fixit: FixIt, name: str) -> None:
    story = STORIES[name]
    story.before(fixit)
    fixit.wire.clear()
    story.act(fixit)
    fixit.idle()
    story.check(fixit)
    check_invariants(fixit.stores)
    made = by_the_app(fixit.wire.requests)
    assert len(made) == len(story.requests), Counter((each.op, each.target) for each in made)
    for place, kind in story.requests.items():
        assert len(by_the_app(fixit.wire.of(**kind))) == 1, place


@pytest.mark.parametrize(("name", "place", "how"), places(BREAKS, quick=48))
def test_request_that_fails_costs_nothing(fixit: FixIt, name: str, place: str, how: str) -> None:
    check_break(fixit, name, place, BREAKS[how])


def check_break(fixit: FixIt, name: str, place: str, how: Break) -> None:
    """Tell a story while one of its requests is broken: it ends as it must, and no delivery is burned on it."""
    story = STORIES[name]
    kind = story.requests[place]
    story.before(fixit)
    seen = len(fixit.host.lines())
    fault = how.on(fixit.wire, **kind)
    story.act(fixit)
    eventually(lambda: fault.hits, what="the fault")
    fixit.idle()
    eventually(lambda: all(hit.seconds for hit in fault.hits), what="the end of the broken request")
    fixit.idle()  # what came late is a message too
    story.check(fixit)
    lied = (place, how.damage.status) == ("drop note", 404)  # which reads as: there is none
    check_invariants(fixit.stores, notes=not lied)
    assert fixit.stores.queue_names() == set(QUEUES)
    if kind.get("service") != "queue":  # where the queue itself refuses, a message cannot be put back: it is raised
        assert [line for line in fixit.host.lines()[seen:] if "(Failed" in line] == []
