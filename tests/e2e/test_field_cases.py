"""Failures that others met in the field: what retries, leases and concurrent writes did to their queues and tables."""

import base64
import time
from collections.abc import Iterator
from typing import Any

import pytest

from shared.domain import identity
from shared.domain.names import TASK_QUEUE, TASK_TABLE
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import submitted
from tests.support.storage_request import StorageRequest
from tests.support.stores import QUEUES
from tests.support.wire import Wire

TASK_ID = identity.task_id(identity.KEY_CALLER, "k-1")


def runs(fixit: FixIt, since: int) -> int:
    """How often the record function was run."""
    return len([line for line in fixit.host.lines()[since:] if "Executing 'Functions.record'" in line])


@pytest.fixture(scope="module")
def brief() -> Iterator[FixIt]:
    """A product whose messages come again two seconds after a delivery that nobody ended."""
    with FixIt(options=["--lease", "2"]) as running:
        yield running


def test_permanent_error_is_told_after_one_delivery(fixit: FixIt) -> None:  # QR-03
    since = len(fixit.host.lines())
    text = base64.b64encode(b'{"id":"t-200","owner":"ann"}').decode()
    fixit.stores.put(text)
    fixit.idle()
    (letter,) = fixit.stores.letters()
    assert (letter["class"], letter["dequeueCount"]) == ("invalid_task", 1)
    assert "title" in letter["reason"]
    assert list(fixit.stores.letter_texts().values()) == [text.encode()]
    assert fixit.stores.tasks() == []
    assert runs(fixit, since) == 1


def test_one_delivery_alone_is_one_run_and_the_letter_tells_why(brief: FixIt) -> None:  # QR-05 a
    brief.host.kill()
    brief.fresh()
    brief.stores.put(submitted("k-1"))
    once: dict[str, Any] = {"AzureFunctionsJobHost__extensions__queues__maxDequeueCount": "1"}
    with Wire(brief.storage) as wire:
        wire.fail(op="insert", target=TASK_TABLE, status=400, code="InvalidInput")
        with brief.another_host(wire, **once) as host:
            eventually(brief.stores.letters, what="the letter")
            brief.idle()
            assert len([line for line in host.lines() if "Executing 'Functions.record'" in line]) == 1
    (letter,) = brief.stores.letters()
    assert (letter["class"], letter["dequeueCount"]) == ("given_up", 1)
    assert letter["reason"].startswith("HttpResponseError")


def test_one_delivery_that_was_killed_is_not_run_again_and_the_letter_says_so(brief: FixIt) -> None:  # QR-05 b
    brief.host.kill()
    brief.fresh()
    brief.stores.put(submitted("k-1"))
    once: dict[str, Any] = {"AzureFunctionsJobHost__extensions__queues__maxDequeueCount": "1"}
    with Wire(brief.storage) as wire:
        held = wire.hold(op="insert", target=TASK_TABLE)
        with brief.another_host(wire, **once) as doomed:
            held.wait_hit()
            doomed.kill()
        with brief.another_host(**once) as heir:
            eventually(brief.stores.letters, what="the letter")
            brief.idle()
            assert [line for line in heir.lines() if "Executing 'Functions.record'" in line] == []
    (letter,) = brief.stores.letters()
    assert letter["class"] == "given_up"
    assert "no error was noted" in letter["reason"]
    assert "killed" in letter["reason"]


def test_idle_app_records_a_task_within_its_longest_poll(brief: FixIt) -> None:  # QR-07
    brief.host.kill()
    brief.fresh()
    usual: dict[str, Any] = {
        "AzureFunctionsJobHost__extensions__queues__maxPollingInterval": "00:00:02"
    }  # as in host.json
    with Wire(brief.storage) as wire, brief.another_host(wire, **usual):

        def polls_slowly() -> bool:
            at = [poll.at for poll in wire.of(op="get", target=TASK_QUEUE)]
            return len(at) > 1 and at[-1] - at[-2] > 1.8

        eventually(polls_slowly, what="a pause of two seconds")
        began = time.monotonic()
        brief.stores.put(submitted("k-1"))
        eventually(brief.stores.tasks, what="the row")
        assert time.monotonic() - began < 2 + 3
        brief.idle()


def test_second_delivery_after_a_lost_delete_changes_nothing(brief: FixIt) -> None:  # QL-01
    brief.host.kill()
    brief.fresh()
    with Wire(brief.storage) as wire, brief.another_host(wire):
        # As where a function prolonged its message itself: the host's receipt fits no more.
        wire.fail(op="delete", service="queue", target=TASK_QUEUE, status=400, code="PopReceiptMismatch")
        brief.stores.put(submitted("k-1"))
        eventually(brief.stores.tasks, what="the row")
        row = brief.stores.task(TASK_ID)
        brief.idle()
        assert len(wire.of(op="insert", target=TASK_TABLE)) == 2
        assert brief.stores.task(TASK_ID) == row
        assert wire.of(op="update", service="queue") == []
    assert brief.stores.letters() == []


def test_conflict_with_our_own_lost_success_is_success_in_one_delivery(fixit: FixIt) -> None:  # TC-01
    since = len(fixit.host.lines())
    fixit.wire.fail(op="insert", target=TASK_TABLE, after=True)
    fixit.stores.put(submitted("k-1"))
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert row["state"] == "succeeded"
    assert runs(fixit, since) == 1
    assert fixit.stores.letters() == []


def test_redelivery_leaves_what_people_did_meanwhile(fixit: FixIt) -> None:  # TC-03
    fixit.stores.put(submitted("k-1", owner="ann"))
    fixit.idle()
    fixit.stores.change_task(TASK_ID, isDone=True, notes="done by bob", owner="bob")
    row = fixit.stores.task(TASK_ID)
    fixit.stores.put(submitted("k-1", owner="ann"))
    fixit.idle()
    assert fixit.stores.task(TASK_ID) == row


def test_refused_condition_is_read_again_whatever_the_emulator_would_say(fixit: FixIt) -> None:  # TC-06
    fixit.stores.put(submitted("k-1"))
    fixit.idle()
    fixit.stores.change_task(TASK_ID, state="queued", steps="[]")
    fixit.wire.clear()
    fixit.wire.fail(op="merge", target=TASK_TABLE, status=412, code="UpdateConditionNotSatisfied")
    fixit.stores.put(submitted("k-1"))
    fixit.idle()
    row = fixit.stores.task(TASK_ID)
    assert row is not None
    assert row["state"] == "succeeded"
    assert len(fixit.wire.of(op="get", service="table", target=TASK_TABLE)) == 2
    assert fixit.wire.of(op="batch") == []  # where the emulator ignores conditions


def test_plain_task_costs_these_requests_and_no_other(fixit: FixIt) -> None:
    def of_the_account() -> list[tuple[str, str, str]]:
        polls = [("queue", "get", name) for name in QUEUES]
        made = [_name(request) for request in fixit.wire.requests]
        return sorted(each for each in made if each not in polls)

    fixit.submit(owner="ann", createdBy="bob")
    fixit.idle()
    assert of_the_account() == [
        ("queue", "delete", "fixits"),  # the host's
        ("queue", "put", "fixits"),  # the submit
        ("table", "insert", "fixits"),
        *[("table", "replace", "fixitindex")] * 3,  # the day, the owner, the creator
    ]


def _name(request: StorageRequest) -> tuple[str, str, str]:
    return request.service, request.op, request.target
