"""Whichever storage request of whichever message fails, and however: it is settled once, and no delivery is burned."""

from collections import Counter
from typing import Any

import pytest

from tests.faults.stories import STORIES
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.storage_request import StorageRequest

# The SDK tries three times: with three failures the app hears of it, with one it does not.
BREAKS: dict[str, dict[str, Any]] = {
    "500 before": {"status": 500, "times": 3},
    "500 after": {"status": 500, "after": True, "times": 3},
    "500 after, once": {"status": 500, "after": True},
    "cut before": {"cut": True, "times": 3},
    "cut after": {"cut": True, "after": True, "times": 3},
    "cut after, once": {"cut": True, "after": True},
    "503": {"status": 503, "code": "ServerBusy", "times": 3},
    "429": {"status": 429, "code": "TooManyRequests", "times": 3},
    "408": {"status": 408, "code": "OperationTimedOut", "times": 3},
    "403": {"status": 403, "code": "AuthorizationFailure"},
    "401": {"status": 401, "code": "InvalidAuthenticationInfo"},
    "404": {"status": 404, "code": "missing"},
    "404 twice": {"status": 404, "code": "missing", "times": 2},
    "being deleted": {"status": 409, "code": "being deleted"},
}
KIND = {"queue": "Queue", "table": "Table", "blob": "Container"}
HOST_OPS = {"get", "delete", "update", "metadata"}
"""What the triggers ask of a queue."""


def by_the_app(requests: list[StorageRequest]) -> list[StorageRequest]:
    return [each for each in requests if not (each.service == "queue" and each.op in HOST_OPS)]


def places() -> list[Any]:
    """Every request of every story with every break; quick: with one break each, another for each place."""
    found = [(story, place) for story in STORIES for place in STORIES[story].requests]
    breaks = list(BREAKS)
    params = []
    for number, (story, place) in enumerate(found):
        quick = breaks[number % len(breaks)]
        for name in breaks:
            marks = () if name == quick else (pytest.mark.full,)
            params.append(pytest.param(story, place, name, marks=marks, id=f"{story}-{place}-{name}"))
    return params


@pytest.mark.parametrize("name", STORIES)
def test_story_makes_these_requests_and_no_other(fixit: FixIt, name: str) -> None:
    story = STORIES[name]
    story.before(fixit)
    fixit.wire.clear()
    fixit.stores.put(story.text, story.queue)
    fixit.idle()
    story.check(fixit)
    made = by_the_app(fixit.wire.requests)
    assert len(made) == len(story.requests), Counter((each.op, each.target) for each in made)
    for place, kind in story.requests.items():
        assert len(by_the_app(fixit.wire.of(**kind))) == 1, place


@pytest.mark.parametrize(("name", "place", "how"), places())
def test_request_that_fails_costs_nothing(fixit: FixIt, name: str, place: str, how: str) -> None:
    story, damage = STORIES[name], dict(BREAKS[how])
    kind = story.requests[place]
    service = kind.get("service", "table")
    codes = {"missing": f"{KIND[service]}NotFound", "being deleted": f"{KIND[service]}BeingDeleted"}
    damage["code"] = codes.get(damage.get("code", ""), damage.get("code", "InternalError"))
    story.before(fixit)
    seen = len(fixit.host.lines())
    fault = fixit.wire.fail(**kind, **damage)
    fixit.stores.put(story.text, story.queue)
    eventually(lambda: fault.hits, what="the fault")
    fixit.idle()
    story.check(fixit)
    if (place, damage.get("status")) != ("drop note", 404):  # which reads as: there is none
        assert fixit.stores.notes() == []
    assert fixit.stores.queue_names() == {"fixits", "fixits-poison"}
    if service != "queue":  # where the queue itself refuses, a message cannot be put back: then it is raised
        assert [line for line in fixit.host.lines()[seen:] if "(Failed" in line] == []
