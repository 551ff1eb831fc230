"""What comes to the task queue: a task, once or again, a bare one, one that is taken, one that is hopeless."""

import json

from shared.domain.names import TASK_QUEUE
from tests.faults.story import (
    EVENT,
    GARBAGE,
    KEY,
    LETTER,
    POINTERS,
    PUT,
    READ_LETTER,
    READ_ROW,
    ROW,
    STAMP,
    STAMP_LETTER,
    TASK_ID,
    Story,
    has_letter,
    has_row,
    is_recorded,
    message,
    pointer,
    record_once,
)
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import event, submitted
from tests.support.storage_request import StorageRequest


def leave_unsettled(fixit: FixIt) -> None:
    """The task of EVENT is recorded, and has its record step still to come."""
    record_once(fixit)
    fixit.stores.change_task(TASK_ID, state="queued", steps="[]", lastCompletedStep="", redrives=1)


def _bury_once(fixit: FixIt) -> None:
    fixit.stores.put(GARBAGE)
    fixit.idle()


def _is_adopted(fixit: FixIt) -> None:
    (row,) = fixit.stores.tasks()
    assert (row["title"], row["caller"], row["state"]) == ("Adopted", f"queue:{TASK_QUEUE}", "succeeded")
    assert fixit.stores.letters() == []


def is_buried(fixit: FixIt) -> None:
    """The garbage has its letter, and made no task."""
    has_letter(fixit, GARBAGE, "malformed_message")
    assert fixit.stores.tasks() == []


def _is_conflict(fixit: FixIt) -> None:
    has_row(fixit, "succeeded")
    (letter,) = fixit.stores.letters()
    assert (letter["class"], letter["taskId"]) == ("idempotency_conflict", TASK_ID)


def _bury_its_id(fixit: FixIt) -> None:
    fixit.stores.put(event(data={}))
    fixit.idle()


def _names_the_id(request: StorageRequest) -> bool:
    return bool(json.loads(request.body)["RowKey"] == json.loads(event())["id"])


def _has_two_letters(fixit: FixIt) -> None:
    assert [letter["class"] for letter in fixit.stores.letters()] == ["invalid_task"] * 2


STORIES: dict[str, Story] = {
    "record": Story(act=message(EVENT), requests={"row": ROW, **POINTERS}, check=is_recorded),
    "record again": Story(
        before=record_once,
        act=message(EVENT),
        requests={"row": ROW, "read": READ_ROW, **POINTERS},
        check=is_recorded,
    ),
    "continue": Story(
        before=leave_unsettled,
        act=message(EVENT),
        requests={"row": ROW, "read": READ_ROW, "stamp": STAMP, **POINTERS},
        check=is_recorded,
    ),
    "adopt": Story(
        act=message('{"id":"t-1","title":"Adopted"}'),
        requests={"envelope": PUT, "row": ROW, "pointer": pointer("all:")},
        check=_is_adopted,
    ),
    "hopeless": Story(act=message(GARBAGE), requests=LETTER, check=is_buried),
    "hopeless again": Story(
        before=_bury_once,
        act=message(GARBAGE),
        requests={**LETTER, "read letter": READ_LETTER, "seen again": STAMP_LETTER},
        check=is_buried,
    ),
    "taken id": Story(
        before=_bury_its_id,
        act=message(event(data={"title": ""})),
        requests={
            "letter": {**LETTER["letter"], "match": lambda request: _names_the_id(request)},
            "read letter": READ_LETTER,
            "second letter": {**LETTER["letter"], "match": lambda request: not _names_the_id(request)},
            "text": LETTER["text"],
        },
        check=_has_two_letters,
    ),
    "conflict": Story(
        before=record_once,
        act=message(submitted(KEY, owner="ann", createdBy="bob", notes="another")),
        requests={"row": ROW, "read": READ_ROW, **LETTER},
        check=_is_conflict,
    ),
}
