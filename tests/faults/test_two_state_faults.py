"""Whichever request of a two-state call fails, and however: what it says in the end is so."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.faults.breaks import BREAKS
from tests.faults.invariants import check_invariants
from tests.faults.stories_submit import BODY
from tests.faults.story import KEY, PUT, READ_ROW, ROW, TASK_ID
from tests.support.eventually import eventually
from tests.support.fault import Fault, Kind
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import JSON
from tests.support.storage_request import StorageRequest
from tests.support.stores import decoded, message_text
from tests.support.web_client import Answer


def _is_command(put: StorageRequest) -> bool:
    return bool(decoded(message_text(put))["type"] == "fixit.task.cancelled.v1")


def _is_tombstone(insert: StorageRequest) -> bool:
    return not json.loads(insert.body)["fingerprint"]


ROW_OF_IT: Kind = {**ROW, "match": lambda insert: not _is_tombstone(insert)}
IN_TIME = ("put", "look", "row")
TOO_LATE = ("put", "look", "command", "read", "tombstone")


def _break(fixit: FixIt, place: str, how: str) -> Fault:
    """Break this request of the call to come. The first read of all is about the key, the second is a look."""
    # One request has one fault, the oldest: this one notes the command, where that is not the one to break.
    command = fixit.wire.slow(0, op="put", service="queue", match=lambda put: place == "read" and _is_command(put))
    kinds: dict[str, Kind] = {
        "put": PUT,
        "look": READ_ROW,
        "row": ROW,
        "command": {**PUT, "match": _is_command},
        "read": {**READ_ROW, "match": lambda read: bool(command.hits)},
        "tombstone": {**ROW, "match": _is_tombstone},
    }
    damage, times = BREAKS[how].damage, BREAKS[how].times
    return fixit.wire.damage(damage, **kinds[place], nth=2 if place == "look" else 1, times=times)


def _clear_answer(fixit: FixIt, wait: int) -> Answer:
    """The first answer that is not 503."""
    headers = {**JSON, "Idempotency-Key": KEY, "Prefer": f"wait={wait}"}

    def ask() -> Answer | None:
        answer = fixit.request("POST", "/api/fixits?onTimeout=cancel", BODY, headers)
        return answer if answer.status != 503 else None

    return eventually(ask, 60, what="a clear answer")


def _check_said(fixit: FixIt, answer: Answer) -> None:
    fixit.idle()
    (row,) = fixit.stores.tasks()
    said = answer.json["state"] if answer.status == 200 else "cancelled"
    assert answer.status == 200 or answer.json["code"] == "reversed", answer
    assert (row["RowKey"], row["state"]) == (TASK_ID, said)
    assert fixit.stores.letters() == []
    check_invariants(fixit.stores)


def _each(places: Sequence[str]) -> list[Any]:
    """Every place with every break; quick: each place with one break."""
    quick = dict(zip(places, ["500 after", "cut before", "500 after, once", "403", "twice"], strict=False))
    return [
        pytest.param(place, how, marks=() if quick[place] == how else pytest.mark.full, id=f"{place}-{how}")
        for place in places
        for how in BREAKS
    ]


@pytest.mark.parametrize(("place", "how"), _each(IN_TIME))
def test_call_with_time_enough_says_what_is_so(fixit: FixIt, place: str, how: str) -> None:
    fault = _break(fixit, place, how)
    answer = _clear_answer(fixit, 20)
    assert fault.hits
    assert answer.status == 200 or place == "put"
    _check_said(fixit, answer)


@pytest.mark.parametrize(("place", "how"), _each(TOO_LATE))
def test_call_that_ends_too_early_says_what_is_so(fixit: FixIt, place: str, how: str) -> None:
    recording = fixit.wire.hold(**ROW_OF_IT, times=None)
    fault = _break(fixit, place, how)
    answer = _clear_answer(fixit, 1)
    assert answer.status == 504
    eventually(lambda: fault.hits, what="the fault")
    recording.release()
    _check_said(fixit, answer)
