"""The sweeper and a task whose filter is not there: asked for once an hour, given up after seven days, and told of."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.domain import identity, instants
from shared.domain.names import INDEX_TABLE, NOTICE_QUEUE, PHOTO_QUEUE, TASK_QUEUE
from shared.storage.pointers import newest_first
from tests.support.eventually import eventually
from tests.support.raw_messages import submitted
from tests.support.telling import Telling, telling

TASK_ID = identity.task_id(identity.KEY_CALLER, "k-1")
PHOTO = f"p1.{'A' * 43}.{'A' * 43}"
HOURS_AGO = datetime.now(UTC) - timedelta(hours=3)
DAYS_AGO = datetime.now(UTC) - timedelta(days=8)
BROKEN: dict[str, Any] = {"status": 403, "code": "AuthorizationFailure", "times": None}


@pytest.fixture(scope="module")
def running() -> Iterator[Telling]:
    with telling(**{"AzureWebJobs.photo.Disabled": "true"}) as product:
        yield product


@pytest.fixture
def told(running: Telling) -> Telling:
    """A task waits for its filter, and got under way three hours ago."""
    running.fixit.stores.clear()  # its message lies there for ever
    running.fresh()
    event = json.loads(submitted("k-1", photoId=PHOTO, contact="bob@example.com"))
    running.fixit.stores.put(json.dumps({**event, "time": instants.to_text(HOURS_AGO)}))
    _handed_on(running, 1)
    _record_long_ago(running, HOURS_AGO)
    return running


def _handed_on(told: Telling, times: int) -> None:
    def is_handed_on() -> bool:
        waiting = told.fixit.stores.waiting
        return waiting(PHOTO_QUEUE) == times and not waiting(TASK_QUEUE) and not waiting(NOTICE_QUEUE)

    eventually(is_handed_on, what="the message of the filter")


def _record_long_ago(told: Telling, at: datetime) -> None:
    steps = [{"step": "record", "at": instants.to_text(at), "attempt": 1}]
    told.fixit.stores.change_task(TASK_ID, steps=json.dumps(steps))


def test_message_is_sent_again_once_an_hour_and_not_at_each_run(told: Telling) -> None:
    assert told.fixit.sweep()["resent"] == 1
    _handed_on(told, 2)
    assert told.fixit.sweep()["resent"] == 0


def test_submitter_is_told_that_a_task_is_given_up_although_the_sweeper_was_cut_off_before(told: Telling) -> None:
    told.fixit.stores.change_task(TASK_ID, submittedAt=instants.to_text(DAYS_AGO))
    pointer = {"PartitionKey": f"open:{DAYS_AGO:%Y-%m-%d}", "RowKey": newest_first(DAYS_AGO, TASK_ID), "letter": ""}
    told.fixit.stores.put_row(INDEX_TABLE, pointer)
    told.fixit.wire.fail(op="put", service="queue", target=NOTICE_QUEUE, **BROKEN)
    assert told.fixit.sweep()["failed"] == 1
    told.fixit.wire.heal()
    row = told.fixit.stores.task(TASK_ID)
    assert row and (row["state"], row["errorCode"]) == ("failed", "gave_up")
    told.fixit.sweep()
    _handed_on(told, 1)
    assert [mail["Subject"] for mail in told.mails()] == ["Not done: Tap drips"]
    assert not [each for each in told.fixit.stores.pointers(TASK_ID) if each[0].startswith("open:")]
