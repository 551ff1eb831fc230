"""A task that could not be settled for seven days is failed, and says so; as soon as its table can be written."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from shared.domain import identity, instants
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import submitted

TASK_ID = identity.task_id(identity.KEY_CALLER, "k-1")


def made(days_ago: float, **changes: object) -> str:
    """The submitted event of `k-1`, made that many days ago."""
    event = json.loads(submitted("k-1", owner="ann"))
    return json.dumps({**event, "time": ago(days_ago), **changes})


def ago(days: float) -> str:
    return instants.to_text(datetime.now(UTC) - timedelta(days=days))


def test_task_of_over_seven_days_ago_is_failed_and_its_letter_tells(fixit: FixIt) -> None:
    fixit.stores.put(made(7.01))
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert (row["state"], row["errorCode"], row["errorStep"]) == ("failed", "gave_up", "record")
    (letter,) = fixit.stores.letters()
    assert (letter["class"], letter["taskId"], letter["state"]) == ("gave_up", TASK_ID, "open")
    assert len(fixit.stores.pointers(TASK_ID)) == 2
    fixit.stores.put(made(7.01))
    fixit.idle()
    assert fixit.stores.tasks() == [row]
    assert len(fixit.stores.letters()) == 1


def test_task_of_under_seven_days_ago_is_done(fixit: FixIt) -> None:
    fixit.stores.put(made(6.99))
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert row["state"] == "succeeded"


def test_seven_days_count_from_the_last_reopening(fixit: FixIt) -> None:
    fixit.stores.put(made(30, reopenedat=ago(6.9), redrives=1))
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert (row["state"], row["redrives"]) == ("succeeded", 1)


def test_late_copy_does_not_fail_what_is_done(fixit: FixIt) -> None:
    fixit.stores.put(made(6))
    fixit.idle()
    fixit.stores.put(made(8))
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert row["state"] == "succeeded"
    assert fixit.stores.letters() == []


def test_old_copy_does_not_fail_what_was_reopened_since(fixit: FixIt) -> None:
    fixit.stores.put(made(8))
    fixit.idle()
    fixit.stores.change_task(TASK_ID, state="queued", redrives=1, reopenedAt=ago(0.1))
    fixit.stores.put(made(8))
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert row["state"] == "queued"
    fixit.stores.put(made(8, redrives=1, reopenedat=ago(0.1)))
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert row["state"] == "succeeded"


@pytest.fixture
def brief() -> Iterator[FixIt]:
    """A product for which two seconds are as seven days."""
    with FixIt(settings={"FIXIT_GIVE_UP_DAYS": str(2 / 86_400)}) as running:
        yield running


def test_outage_longer_than_seven_days_is_waited_out_and_then_recorded(brief: FixIt) -> None:
    refusals = brief.wire.fail(service="table", status=503, code="ServerBusy", times=None)
    accepted = brief.submit()
    began = datetime.now(UTC)
    eventually(lambda: datetime.now(UTC) - began > timedelta(seconds=3), what="seven days")
    hits = len(refusals.hits)
    eventually(lambda: len(refusals.hits) > hits, what="one more try, long after them")
    assert brief.stores.waiting("fixits") >= 1
    brief.wire.heal()
    status = brief.settled(accepted["receipt"])
    assert (status["state"], status["error"]["code"]) == ("failed", "gave_up")
    brief.idle()
    assert [letter["class"] for letter in brief.stores.letters()] == ["gave_up"]
