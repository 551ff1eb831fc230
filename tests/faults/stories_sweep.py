"""What the sweeper finds and ends. Whatever breaks in one run, the next brings it to its end."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from shared.domain import instants
from shared.domain.letter import Closing, Letter
from shared.domain.names import INDEX_TABLE, LETTER_CONTAINER, LETTER_TABLE, PHOTO_CONTAINER, TASK_QUEUE
from tests.faults.story import (
    EVENT,
    EVENT_ID,
    LETTER,
    READ_LETTER,
    READ_ROW,
    STAMP,
    STAMP_LETTER,
    TASK_ID,
    Act,
    Story,
    has_letter,
    has_row,
    pointer,
    record_once,
)
from tests.support.eventually import eventually
from tests.support.fault import Kind
from tests.support.fixit_app import FixIt
from tests.support.stores import decoded
from tests.support.sweeping import DAY, HOUR, Sweeper, straight

NOW = datetime.now(UTC)


def _straight(fixit: FixIt, work: Callable[[Sweeper], Awaitable[object]]) -> None:
    """Do something with the stores of the app, past its wire."""
    straight(fixit.storage.connection_string, work)


def _sweep(fixit: FixIt) -> None:
    """The host sweeps; once more where it could not do all in its time."""

    def is_through() -> bool:
        counts = fixit.sweep()
        return not (counts["leftOver"] or counts["failed"])

    eventually(is_through, what="a sweep that comes through")


def _sweep_later(fixit: FixIt) -> None:
    """Somebody sweeps two hours later, and nothing of the sweeper's own is left."""
    _straight(fixit, lambda stores: stores.sweep(datetime.now(UTC) + 2 * HOUR))
    left = [name for name, _ in fixit.stores.pointers("") if name.startswith(("open:", "bookmark"))]
    assert left == []


def _reopened(at: datetime, state: str) -> Act:
    """A task that was reopened then, and stands so now."""

    def before(fixit: FixIt) -> None:
        record_once(fixit)
        steps = {} if state == "succeeded" else {"steps": "[]", "lastCompletedStep": ""}
        fixit.stores.change_task(TASK_ID, state=state, redrives=1, reopenedAt=instants.to_text(at), **steps)
        _straight(fixit, lambda stores: stores.pointers.open(TASK_ID, at=at, letter=_letter(fixit).id))

    return before


def _letter(fixit: FixIt, closing: Closing | None = None) -> Letter:
    row = fixit.stores.task(TASK_ID)
    return Letter(
        queue=TASK_QUEUE,
        lane=f"FixItStorage/{TASK_QUEUE}",
        key=EVENT_ID,
        content="c" * 64,
        code="given_up",
        reason="it failed",
        task_id=TASK_ID,
        fingerprint=row["fingerprint"] if row else "",
        dequeue_count=5,
        first_seen_at=NOW - 2 * DAY,
        last_seen_at=NOW - 2 * DAY,
        state="discarded" if closing else "open",
        closing=closing,
    )


async def _keep(stores: Sweeper, letter: Letter) -> None:
    await stores.letters.create(letter)
    await stores.letters.keep_text(letter.queue, letter.key, EVENT.encode())


def _leave_unmarked(fixit: FixIt) -> None:
    _reopened(NOW - DAY, "succeeded")(fixit)
    _straight(fixit, lambda stores: _keep(stores, _letter(fixit)))


def _keep_until(day: datetime) -> Act:
    async def before(stores: Sweeper, letter: Letter) -> None:
        await _keep(stores, letter)
        await stores.pointers.keep(letter.id, ends=day)

    closing = Closing(by="ann", at=NOW - 10 * DAY, kept_until=day)
    return lambda fixit: _straight(fixit, lambda stores: before(stores, _letter(fixit, closing)))


def _is_marked(fixit: FixIt) -> None:
    _sweep_later(fixit)
    has_row(fixit, "succeeded")
    has_letter(fixit, EVENT, "given_up")
    (letter,) = fixit.stores.letters()
    assert (letter["state"], letter["redrives"], letter["closedBy"]) == ("redriven", 1, "sweeper")


def _is_given_up(fixit: FixIt) -> None:
    _sweep_later(fixit)
    has_row(fixit, "failed")
    (letter,) = fixit.stores.letters()
    assert (letter["class"], letter["state"], letter["redrives"]) == ("gave_up", "open", 1)
    (text,) = fixit.stores.letter_texts().values()
    assert decoded(text.decode())["id"] == EVENT_ID


def _is_forgotten(fixit: FixIt) -> None:
    _sweep_later(fixit)
    assert (fixit.stores.letters(), fixit.stores.letter_texts(), fixit.stores.pointers("")) == ([], {}, set())


def _bookmark(name: str) -> Kind:
    key = f"PartitionKey='bookmark',RowKey='{name}'"
    return {"op": "get", "target": INDEX_TABLE, "match": lambda request: key in request.path}


def _query(name: str) -> Kind:
    return {"op": "query", "target": INDEX_TABLE, "match": lambda request: f"'{name}" in request.query["$filter"]}


LOOK: dict[str, Kind] = {
    "bookmark of tasks": _bookmark("tasks"),
    "bookmark of letters": _bookmark("letters"),
    "open tasks": _query("open:"),
    "letters to forget": _query("keep:"),
    "bookmark of uploads": _bookmark("uploads"),
    "uploads": {"op": "list", "service": "blob", "target": PHOTO_CONTAINER},
}
DROP: Kind = {"op": "delete", "service": "table", "target": INDEX_TABLE}

STORIES: dict[str, Story] = {
    "sweep a redrive that was not marked": Story(
        before=_leave_unmarked,
        act=_sweep,
        requests={
            **LOOK,
            "read": READ_ROW,
            "read letter": READ_LETTER,
            "keep": pointer("keep:"),
            "mark": STAMP_LETTER,
            "drop": DROP,
        },
        check=_is_marked,
    ),
    "sweep a task of long ago": Story(
        before=_reopened(NOW - 8 * DAY, "queued"),
        act=_sweep,
        requests={**LOOK, "read": READ_ROW, **LETTER, "settle": STAMP, "drop": DROP},
        check=_is_given_up,
    ),
    "sweep a letter kept long enough": Story(
        before=_keep_until(NOW - timedelta(days=2)),
        act=_sweep,
        requests={
            **LOOK,
            "version": {"op": "properties", "service": "blob", "target": LETTER_CONTAINER},
            "read letter": READ_LETTER,
            "remove": {"op": "delete", "service": "table", "target": LETTER_TABLE},
            "remove text": {"op": "delete", "service": "blob", "target": LETTER_CONTAINER},
            "drop": DROP,
        },
        check=_is_forgotten,
    ),
}
