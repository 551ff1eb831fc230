"""What the app does about one message, told as the storage requests that it makes for it."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from shared.domain import identity
from shared.domain.names import INDEX_TABLE, LETTER_CONTAINER, LETTER_TABLE, TASK_QUEUE, TASK_TABLE
from shared.storage.tasks import person_list
from tests.support.fault import Kind
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import DAY, event, submitted
from tests.support.storage_request import StorageRequest
from tests.support.stores import POISON

KEY = "k-1"
TASK_ID = identity.task_id(identity.KEY_CALLER, KEY)
FIELDS = {"owner": "ann", "createdBy": "bob"}
EVENT = submitted(KEY, **FIELDS)
EVENT_ID = json.loads(EVENT)["id"]
GARBAGE = "not json\r\n"


@dataclass(frozen=True, kw_only=True)
class Story:
    """`before` sets the scene, `text` is put on `queue`, `requests` follow, and `check` holds in the end."""

    text: str
    queue: str = TASK_QUEUE
    requests: dict[str, Kind]
    before: Callable[[FixIt], None] = lambda fixit: None
    check: Callable[[FixIt], None]


def _pointer(list_name: str) -> Kind:
    return {
        "op": "replace",
        "target": INDEX_TABLE,
        "match": lambda request: f"PartitionKey='{list_name}" in request.path,
    }


ROW: Kind = {"op": "insert", "target": TASK_TABLE}
READ_ROW: Kind = {"op": "get", "service": "table", "target": TASK_TABLE}
POINTERS: dict[str, Kind] = {
    "pointer of the day": _pointer("all:"),
    "pointer of the owner": _pointer(person_list("owner", "ann")),
    "pointer of the creator": _pointer(person_list("by", "bob")),
}
LETTER: dict[str, Kind] = {
    "letter": {"op": "insert", "target": LETTER_TABLE},
    "text": {"op": "put", "service": "blob", "target": LETTER_CONTAINER},
}
READ_LETTER: Kind = {"op": "get", "service": "table", "target": LETTER_TABLE}


def _record_once(fixit: FixIt) -> None:
    fixit.stores.put(EVENT)
    fixit.idle()


def _leave_unsettled(fixit: FixIt) -> None:
    _record_once(fixit)
    fixit.stores.change_task(TASK_ID, state="queued", steps="[]", lastCompletedStep="", redrives=1)


def _bury_once(fixit: FixIt) -> None:
    fixit.stores.put(GARBAGE)
    fixit.idle()


def _note_an_error(fixit: FixIt) -> None:
    note = {"error": "KeyError", "message": "the first error", "dequeueCount": 5}
    fixit.stores.put_note(TASK_QUEUE, EVENT_ID, **note)


def _is_recorded(fixit: FixIt) -> None:
    _has_row(fixit, "succeeded")
    assert fixit.stores.letters() == []


def _has_row(fixit: FixIt, state: str) -> None:
    (row,) = fixit.stores.tasks()
    assert (row["RowKey"], row["state"], row["title"]) == (TASK_ID, state, "Tap drips")
    lists = {name for name, _ in fixit.stores.pointers(TASK_ID)}
    assert lists == {f"all:{DAY}", person_list("owner", "ann"), person_list("by", "bob")}
    assert len(fixit.stores.pointers(TASK_ID)) == 3


def _is_adopted(fixit: FixIt) -> None:
    (row,) = fixit.stores.tasks()
    assert (row["title"], row["caller"], row["state"]) == ("Adopted", f"queue:{TASK_QUEUE}", "succeeded")
    assert fixit.stores.letters() == []


def _is_buried(fixit: FixIt) -> None:
    _has_letter(fixit, GARBAGE, "malformed_message")
    assert fixit.stores.tasks() == []


def _has_letter(fixit: FixIt, text: str, code: str) -> None:
    (letter,) = fixit.stores.letters()
    assert letter["class"] == code
    assert fixit.stores.letter_texts() == {f"{TASK_QUEUE}/{letter['RowKey']}": text.encode()}


def _is_conflict(fixit: FixIt) -> None:
    _has_row(fixit, "succeeded")
    (letter,) = fixit.stores.letters()
    assert (letter["class"], letter["taskId"]) == ("idempotency_conflict", TASK_ID)
    assert list(fixit.stores.letter_texts()) == [f"{TASK_QUEUE}/{letter['RowKey']}"]


def _is_given_up(fixit: FixIt) -> None:
    _has_row(fixit, "failed")
    _has_letter(fixit, EVENT, "given_up")
    (letter,) = fixit.stores.letters()
    assert letter["reason"] == "KeyError: the first error"
    assert letter["dequeueCount"] == 5


def _bury_its_id(fixit: FixIt) -> None:
    fixit.stores.put(event(data={}))
    fixit.idle()


def _names_the_id(request: StorageRequest) -> bool:
    return bool(json.loads(request.body)["RowKey"] == json.loads(event())["id"])


def _has_two_letters(fixit: FixIt) -> None:
    letters = fixit.stores.letters()
    assert len(letters) == len(fixit.stores.letter_texts()) == 2
    assert {letter["class"] for letter in letters} == {"invalid_task"}


STORIES: dict[str, Story] = {
    "record": Story(text=EVENT, requests={"row": ROW, **POINTERS}, check=_is_recorded),
    "record again": Story(
        before=_record_once, text=EVENT, requests={"row": ROW, "read": READ_ROW, **POINTERS}, check=_is_recorded
    ),
    "continue": Story(
        before=_leave_unsettled,
        text=EVENT,
        requests={"row": ROW, "read": READ_ROW, "stamp": {"op": "merge", "target": TASK_TABLE}, **POINTERS},
        check=_is_recorded,
    ),
    "adopt": Story(
        text='{"id":"t-1","title":"Adopted"}',
        requests={
            "envelope": {"op": "put", "service": "queue", "target": TASK_QUEUE},
            "row": ROW,
            "pointer": _pointer("all:"),
        },
        check=_is_adopted,
    ),
    "hopeless": Story(text=GARBAGE, requests=LETTER, check=_is_buried),
    "hopeless again": Story(
        before=_bury_once,
        text=GARBAGE,
        requests={**LETTER, "read letter": READ_LETTER, "seen again": {"op": "merge", "target": LETTER_TABLE}},
        check=_is_buried,
    ),
    "taken id": Story(
        before=_bury_its_id,
        text=event(data={"title": ""}),
        requests={
            "letter": {**LETTER["letter"], "match": lambda request: _names_the_id(request)},
            "read letter": READ_LETTER,
            "second letter": {**LETTER["letter"], "match": lambda request: not _names_the_id(request)},
            "text": LETTER["text"],
        },
        check=_has_two_letters,
    ),
    "conflict": Story(
        before=_record_once,
        text=submitted(KEY, owner="ann", createdBy="bob", notes="another"),
        requests={"row": ROW, "read": READ_ROW, **LETTER},
        check=_is_conflict,
    ),
    "poison": Story(
        before=_note_an_error,
        text=EVENT,
        queue=POISON,
        requests={
            "read": READ_ROW,
            "read note": READ_LETTER,
            **LETTER,
            "row": ROW,
            **POINTERS,
            "drop note": {"op": "delete", "service": "table", "target": LETTER_TABLE},
        },
        check=_is_given_up,
    ),
    "poison garbage": Story(
        text=GARBAGE, queue=POISON, requests={"read note": READ_LETTER, **LETTER}, check=_is_buried
    ),
}
