"""A flow of the app, told as the storage requests that it makes; and what stories are made of.

Each module `stories_<flow>.py` beside this one gives its own in `STORIES`; stories.py collects them.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Unpack

from shared.domain import identity
from shared.domain.names import INDEX_TABLE, LETTER_CONTAINER, LETTER_TABLE, TASK_QUEUE, TASK_TABLE
from shared.storage.tasks import person_list
from tests.faults.careful import ask
from tests.support.fault import Kind
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import submitted
from tests.support.storage_request import StorageRequest

KEY = "k-1"
TASK_ID = identity.task_id(identity.KEY_CALLER, KEY)
FIELDS = {"owner": "ann", "createdBy": "bob"}
EVENT = submitted(KEY, **FIELDS)
EVENT_ID = json.loads(EVENT)["id"]
GARBAGE = "not json\r\n"

Act = Callable[[FixIt], None]

HOST_OPS = {"get", "delete", "update", "metadata"}
"""What the triggers ask of a queue."""


@dataclass(frozen=True, kw_only=True)
class Story:
    """`before` sets the scene, `act` starts the flow, and `check` holds in the end, beside what always must.

    `requests` are all that the app makes for it when nothing is broken, each once. The first of a kind is the one that
    a test breaks, so a kind must not fit another request that may come before it.
    """

    act: Act
    requests: dict[str, Kind]
    before: Act = lambda fixit: None
    check: Act


def message(text: str, queue: str = TASK_QUEUE) -> Act:
    """A message comes to a queue."""
    return lambda fixit: fixit.stores.put(text, queue)


def asked(method: str, path: str, body: bytes | None = None, *, key: str = "", status: int) -> Act:
    """A careful client asks over HTTP, and its clear answer has this status."""

    def act(fixit: FixIt) -> None:
        answer = ask(fixit, method, path, body, key=key)
        assert answer.status == status, answer

    return act


def by_the_app(requests: list[StorageRequest]) -> list[StorageRequest]:
    """Those that the app itself made: not those of the triggers."""
    return [each for each in requests if not (each.service == "queue" and each.op in HOST_OPS)]


def pointer(list_name: str) -> Kind:
    """The put of a pointer in the list whose key begins so."""
    return {
        "op": "replace",
        "target": INDEX_TABLE,
        "match": lambda request: f"PartitionKey='{list_name}" in request.path,
    }


PUT: Kind = {"op": "put", "service": "queue", "target": TASK_QUEUE}
ROW: Kind = {"op": "insert", "target": TASK_TABLE}
READ_ROW: Kind = {"op": "get", "service": "table", "target": TASK_TABLE}
STAMP: Kind = {"op": "merge", "target": TASK_TABLE}
POINTERS: dict[str, Kind] = {
    "pointer of the day": pointer("all:"),
    "pointer of the owner": pointer(person_list("owner", "ann")),
    "pointer of the creator": pointer(person_list("by", "bob")),
}
OPEN_POINTER: Kind = {"op": "insert", "target": INDEX_TABLE}
LETTER: dict[str, Kind] = {
    "letter": {"op": "insert", "target": LETTER_TABLE},
    "text": {"op": "put", "service": "blob", "target": LETTER_CONTAINER},
}
READ_LETTER: Kind = {"op": "get", "service": "table", "target": LETTER_TABLE}
STAMP_LETTER: Kind = {"op": "merge", "target": LETTER_TABLE}
DROP_NOTE: Kind = {"op": "delete", "service": "table", "target": LETTER_TABLE}


_ANSWERED: list[float] = []
"""When, on the wire's clock, the request was answered, and its message let go."""


@contextmanager
def unheard(fixit: FixIt) -> Iterator[None]:
    """Inside, what is put on the task queue stays there: so a request is answered before its message is heard."""
    _ANSWERED.clear()
    looking = fixit.wire.hold(op="get", service="queue", target=TASK_QUEUE, times=None)
    looking.wait_hit()
    yield
    _ANSWERED.append(max(request.at for request in fixit.wire.requests))
    looking.release()


def _is_asked_for(request: StorageRequest) -> bool:
    return not _ANSWERED or request.at <= _ANSWERED[0]


def first(**kind: Unpack[Kind]) -> Kind:
    """Such a request, made before the answer."""
    return {**kind, "match": _is_asked_for}


def then(**kind: Unpack[Kind]) -> Kind:
    """Such a request, made by the message that was put."""
    return {**kind, "match": lambda request: not _is_asked_for(request)}


def record_once(fixit: FixIt) -> None:
    """The task of EVENT is recorded and settled."""
    fixit.stores.put(EVENT)
    fixit.idle()


def has_row(fixit: FixIt, state: str) -> None:
    """The task of EVENT is the only one, and stands so."""
    (row,) = fixit.stores.tasks()
    assert (row["RowKey"], row["state"], row["title"]) == (TASK_ID, state, "Tap drips")


def has_letter(fixit: FixIt, text: str, code: str) -> None:
    """There is one letter, of this class, about exactly this text."""
    (letter,) = fixit.stores.letters()
    assert letter["class"] == code
    assert fixit.stores.letter_texts() == {f"{letter['PartitionKey']}/{letter['RowKey']}": text.encode()}


def is_recorded(fixit: FixIt) -> None:
    """The task of EVENT succeeded, and nothing was buried."""
    has_row(fixit, "succeeded")
    assert fixit.stores.letters() == []
