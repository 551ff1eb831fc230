"""What holds of an account whenever the product is at rest, whatever happened before."""

import re
from collections import Counter
from collections.abc import Container, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from azure.data.tables import TableEntity

from shared.domain.photo_id import photo_of
from shared.storage.photo_names import INCOMING
from shared.storage.tasks import person_list
from tests.support.stores import Stores

SWEPT = ("open:", "keep:", "bookmark", "photo:")
"""Lists that no user sees. What they name is done with once the sweeper comes by; and which task has a photo."""

SETTLED = {"succeeded", "failed", "cancelled"}
_LAST_MICROSECOND = 253_402_300_799_999_999
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def check_invariants(
    stores: Stores,
    *,
    accepted: Iterable[str] = (),
    notes: bool = True,
    owners: Iterable[str] = (),
    unfit: Iterable[str] = (),
    others: Container[str] = (),
) -> None:
    """Nothing lost, nothing doubled, nothing left over, nothing untold.

    `accepted` are the ids of tasks that must have a row. `notes=False` where a note may be left, since storage itself
    lied about it. `owners` are those in whose lists a task may stand that they once owned: a step that read its row
    before it was edited may put that pointer behind the edit, and a list drops it. `unfit` are the ids of tasks whose
    owners' pointers wait for the message of an edit that the platform gave up. `others` are queues that are not the
    product's own.
    """
    _check_queues(stores, others)
    rows = stores.tasks()
    _check_rows(rows, set(accepted))
    _check_pointers(rows, stores, {person_list("owner", owner) for owner in owners}, tuple(unfit))
    _check_letters(stores)
    _check_photos(rows, stores)
    if notes:
        assert stores.notes() == []


def _check_queues(stores: Stores, others: Container[str]) -> None:
    names = {name for name in stores.queue_names() if name not in others}
    assert {name: stores.waiting(name) for name in names if stores.waiting(name)} == {}
    assert [name for name in names if name.endswith("-poison-poison")] == []


def _check_rows(rows: list[TableEntity], accepted: set[str]) -> None:
    doubled = [task for task, times in Counter(row["RowKey"] for row in rows).items() if times > 1]
    assert doubled == []
    assert accepted - {row["RowKey"] for row in rows} == set(), "accepted, and no row"
    assert {row["RowKey"]: row["state"] for row in rows if row["state"] not in SETTLED} == {}
    untold = [
        row["RowKey"] for row in rows if row["state"] == "failed" and not (row["errorCode"] and row["errorMessage"])
    ]
    assert untold == []


def _check_pointers(rows: list[TableEntity], stores: Stores, once: set[str], unfit: tuple[str, ...]) -> None:
    """Each list shows each of its tasks once, and nobody else's; the sweeper's lists name what there is."""
    expected = {(name, key) for row in rows for name, key in _pointers(row)}
    every = stores.pointers("")
    found = {(name, key) for name, key in every if not name.startswith(SWEPT)}
    too_many = {(name, key) for name, key in found - expected if name not in once}
    missing = {(name, key) for name, key in expected - found if name not in once or not key.endswith(unfit)}
    assert (too_many, missing) == (set(), set()), "pointers too many, pointers missing"
    opened = {key.partition("-")[2] for name, key in every if name.startswith("open:")}
    assert opened - {row["RowKey"] for row in rows} == set(), "open, and no row"


def _pointers(row: TableEntity) -> Iterable[tuple[str, str]]:
    if not row["fingerprint"]:
        return  # cancelled before it came: there is nothing to show
    at = datetime.fromisoformat(row["submittedAt"])
    key = f"{_LAST_MICROSECOND - (at - _EPOCH) // timedelta(microseconds=1):018d}-{row['RowKey']}"
    yield f"all:{at:%Y-%m-%d}", key
    for kind, column in (("owner", "owner"), ("by", "createdBy")):
        if person := row.get(column):
            yield person_list(kind, person), key


def _check_letters(stores: Stores) -> None:
    letters: list[dict[str, Any]] = [dict(letter) for letter in stores.letters()]
    assert [letter for letter in letters if not (re.fullmatch("[a-z_]+", letter["class"]) and letter["reason"])] == []
    names = {f"{letter['PartitionKey']}/{letter['RowKey']}" for letter in letters}
    assert names == set(stores.letter_texts()), "letters without a text, or texts without a letter"
    kept = {key.replace("~", "/") for name, key in stores.pointers("") if name.startswith("keep:")}
    closed = {f"{letter['PartitionKey']}/{letter['RowKey']}" for letter in letters if letter["state"] != "open"}
    assert closed - kept == set(), "closed, and kept for ever"


def _check_photos(rows: list[TableEntity], stores: Stores) -> None:
    """Of the photo of a task there is what its row says, and of no other anything; only a task that failed, and may be
    tried again, keeps its upload."""
    claims, blobs = stores.claims(), set(stores.photos())
    by_id = {row["RowKey"]: row for row in rows}
    expected = {
        f"{photo}{form}"
        for photo, task in claims.items()
        if task in by_id and by_id[task]["state"] != "cancelled" and by_id[task].get("photoState") == "ready"
        for form in ("", f"_clean.{by_id[task]['photoExtension']}", "_thumb.jpg")
    }
    may_be_tried = {photo_of(row["photoId"]) for row in rows if row["state"] == "failed" and row.get("photoId")}
    left = {name for name in blobs - expected if photo_of_blob(name) not in may_be_tried}
    assert (left, expected - blobs) == (set(), set()), "photos too many, photos missing"


def photo_of_blob(name: str) -> str:
    """The photo that a blob is a form of."""
    return name.removeprefix(INCOMING)[:32]
