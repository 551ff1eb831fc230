"""A delivery that is over before its notice is: what was claimed ends, whatever its row says, and a try counts."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.domain import identity, instants
from shared.domain.envelope import NOTICE
from shared.domain.names import NOTICE_QUEUE, NOTICE_TABLE
from tests.support.eventually import eventually
from tests.support.raw_messages import MADE_AT
from tests.support.receiver import hang, reply
from tests.support.telling import Telling, telling

TASK_ID = identity.task_id(identity.KEY_CALLER, "k-1")
NOTICE_ID = identity.notice_event_id(TASK_ID, "settled")
LONG_AGO, LATER = (instants.to_text(datetime.now(UTC) + timedelta(days=days)) for days in (-1, 8))


@pytest.fixture(scope="module")
def running_told() -> Iterator[Telling]:
    with telling(FIXIT_STEP_SECONDS="2") as product:
        yield product


def _claimed(told: Telling, at: str, **to: str) -> None:
    """A notice that was claimed then, and its message."""
    row = {"kind": "settled", "channel": "mail", "outcome": "succeeded", "state": "claimed", "changedAt": at}
    counts: dict[str, Any] = {"redrives": 0, "tries": 0, "attempts": "[]", "claimedAt": at}
    told.fixit.stores.put_row(NOTICE_TABLE, {"PartitionKey": TASK_ID, "RowKey": NOTICE_ID, **row, **counts})
    data = {"kind": "settled", "channel": "mail", **to, "task": {"title": "t", "state": "succeeded"}}
    event = {"specversion": "1.0", "id": NOTICE_ID, "source": "/x", "type": NOTICE, "subject": TASK_ID}
    told.fixit.stores.put(json.dumps({**event, "time": MADE_AT, "caller": "key", "data": data}), NOTICE_QUEUE)


def _row(told: Telling) -> dict[str, Any]:
    (row,) = told.fixit.stores.notices(TASK_ID)
    return dict(row)


def test_claim_of_a_clock_that_is_days_ahead_is_waited_for_and_no_letter(told: Telling) -> None:
    _claimed(told, LATER, to="bob@example.com")
    told.fixit.host.wait_line(f'message done .*"task": "{TASK_ID}".*"kind": "notice"')
    told.fixit.stores.change_row(NOTICE_TABLE, TASK_ID, NOTICE_ID, changedAt=LONG_AGO)
    told.fixit.idle()
    assert (_row(told)["state"], len(told.mails())) == ("unknown", 1)
    assert not told.fixit.stores.letters()


def test_mail_that_was_perhaps_sent_and_has_no_address_any_more_is_not_called_skipped(told: Telling) -> None:
    _claimed(told, LONG_AGO, person="bob")
    eventually(lambda: _row(told)["state"] != "claimed", what="the end of the notice")
    told.fixit.idle()
    assert (_row(told)["state"], _row(told)["code"], told.mails()) == ("unknown", "no_address", [])


def test_receiver_that_hangs_as_long_as_a_delivery_may_take_was_tried(told: Telling) -> None:
    told.receiver.behave(hang(), reply())
    task_id = told.fixit.submit(callbackUrl=told.receiver.url())["id"]
    told.wait_callbacks(task_id, 2)
    told.fixit.idle()
    (notice,) = told.notices(task_id)
    assert [attempt["status"] for attempt in notice["attempts"]] == ["timeout", "200"]
