"""A task is cancelled: after it was done, before it comes, and at each place of the step that records it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Unpack

from shared.domain.names import INDEX_TABLE, TASK_QUEUE
from tests.faults.careful import ask
from tests.faults.stories_record import leave_unsettled
from tests.faults.story import (
    EVENT,
    KEY,
    POINTERS,
    PUT,
    READ_ROW,
    ROW,
    STAMP,
    TASK_ID,
    Act,
    Story,
    has_row,
    is_recorded,
    message,
    record_once,
)
from tests.support.eventually import eventually
from tests.support.fault import Kind
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import cancelled
from tests.support.storage_request import StorageRequest

COMMAND = cancelled(KEY)
STRANGERS = cancelled(KEY, caller="queue:stranger")


class _Clock:
    """When, on the wire's clock, the cancel was asked for, when it was answered, and when its command was done."""

    def __init__(self) -> None:
        self.marks: list[float] = []

    def start(self) -> None:
        self.marks = []

    def mark(self, fixit: FixIt) -> None:
        """What comes from here on is later."""
        self.marks.append(max((request.at for request in fixit.wire.requests), default=0))

    def part(self, request: StorageRequest) -> int:
        """How many of the marks had been made when a request came."""
        return sum(mark < request.at for mark in self.marks)


_CLOCK = _Clock()


def _in_part(part: int, **kind: Unpack[Kind]) -> Kind:
    return {**kind, "match": lambda request: _CLOCK.part(request) == part}


def _cancel(fixit: FixIt) -> None:
    """A careful client cancels; its command is taken from the queue once it has an answer."""
    with _unheard(fixit):
        _CLOCK.mark(fixit)
        answer = ask(fixit, "DELETE", f"/api/fixits/{TASK_ID}")
        assert answer.status in (200, 202), answer
        _CLOCK.mark(fixit)


@contextmanager
def _unheard(fixit: FixIt) -> Iterator[None]:
    """Inside, what is put on the task queue stays there."""
    looking = fixit.wire.hold(op="get", service="queue", target=TASK_QUEUE, times=None)
    looking.wait_hit()
    yield
    looking.release()


def _cancels(fixit: FixIt) -> None:
    _CLOCK.start()
    _cancel(fixit)


def _cancels_while(**place: Unpack[Kind]) -> Act:
    """The task comes, and is cancelled while such a request of its step is held; its step goes on after the command."""

    def act(fixit: FixIt) -> None:
        _CLOCK.start()
        held = fixit.wire.hold(**_in_part(0, **place), times=None)
        fixit.stores.put(EVENT)
        # A request that is broken by being done twice is not held: then the task is done before it is cancelled.
        eventually(lambda: held.hits or fixit.stores.is_idle(), what="the request to hold")
        _cancel(fixit)
        eventually(lambda: fixit.stores.waiting(TASK_QUEUE) <= 1, what="the end of the command")
        _CLOCK.mark(fixit)
        held.release()

    return act


def _all(*acts: Act) -> Act:
    def act(fixit: FixIt) -> None:
        for each in acts:
            each(fixit)
            fixit.idle()

    return act


def _is_cancelled(fixit: FixIt) -> None:
    has_row(fixit, "cancelled")
    assert fixit.stores.letters() == []


def _is_tombstone(fixit: FixIt) -> None:
    (row,) = fixit.stores.tasks()
    assert (row["RowKey"], row["state"], row["title"], row["fingerprint"]) == (TASK_ID, "cancelled", "", "")
    assert fixit.stores.letters() == []


def _is_either(fixit: FixIt) -> None:
    """Whichever came first where a step that is held is taken for hung: the task or its end."""
    (row,) = fixit.stores.tasks()
    assert (row["RowKey"], row["state"]) == (TASK_ID, "cancelled")
    assert fixit.stores.letters() == []


_DELETE: dict[str, Kind] = {
    "command": _in_part(1, **PUT),
    "read": _in_part(1, **READ_ROW),
    "read by the command": _in_part(2, **READ_ROW),
}
_STAMP = {"stamp": _in_part(1, **STAMP)}
_TOMBSTONE = {"tombstone": _in_part(1, **ROW)}

STORIES: dict[str, Story] = {
    "cancel": Story(before=record_once, act=_cancels, requests={**_DELETE, **_STAMP}, check=_is_cancelled),
    "cancel again": Story(
        before=_all(record_once, message(COMMAND)), act=_cancels, requests=_DELETE, check=_is_cancelled
    ),
    "cancel what has not come": Story(act=_cancels, requests={**_DELETE, **_TOMBSTONE}, check=_is_tombstone),
    "come after the cancel": Story(
        before=_all(message(COMMAND)), act=message(EVENT), requests={"row": ROW, "read": READ_ROW}, check=_is_tombstone
    ),
    "come after a stranger's cancel": Story(
        before=_all(message(STRANGERS)),
        act=message(EVENT),
        requests={"row": ROW, "read": READ_ROW, "overwrite": STAMP, **POINTERS},
        check=is_recorded,
    ),
    "cancel before the row": Story(
        act=_cancels_while(**ROW),
        requests={**_DELETE, **_TOMBSTONE, "row": _in_part(0, **ROW), "read its tombstone": _in_part(3, **READ_ROW)},
        check=_is_either,
    ),
    "cancel before the pointers": Story(
        act=_cancels_while(op="replace", target=INDEX_TABLE),
        requests={**_DELETE, **_STAMP, "row": ROW, **POINTERS},
        check=_is_cancelled,
    ),
    "cancel before the stamp": Story(
        before=leave_unsettled,
        act=_cancels_while(**STAMP),
        requests={
            **_DELETE,
            **_STAMP,
            "row": _in_part(0, **ROW),
            "read the row": _in_part(0, **READ_ROW),
            "void stamp": _in_part(0, **STAMP),
            "row again": _in_part(3, **ROW),
            "read again": _in_part(3, **READ_ROW),
            **POINTERS,
        },
        check=_is_cancelled,
    ),
    "command": Story(
        before=record_once, act=message(COMMAND), requests={"read": READ_ROW, "stamp": STAMP}, check=_is_cancelled
    ),
    "command before its task": Story(
        act=message(COMMAND), requests={"read": READ_ROW, "tombstone": ROW}, check=_is_tombstone
    ),
    "command after a stranger's": Story(
        before=_all(message(STRANGERS)),
        act=message(COMMAND),
        requests={"read": READ_ROW, "overwrite": STAMP},
        check=_is_tombstone,
    ),
}
