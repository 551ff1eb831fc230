"""The table of tasks, and the pointers that lists are made of."""

import asyncio
import hashlib
import json
import unicodedata
from collections.abc import Collection
from dataclasses import replace
from datetime import date
from typing import Any, get_args

from shared.domain import instants
from shared.domain.names import INDEX_TABLE, TASK_TABLE
from shared.domain.photo import PHOTO_STATES, Photo
from shared.domain.record import Failure, Record, State, Step
from shared.domain.task import EDITABLE, FIELD_COLUMNS, Task, every_field, task_fields
from shared.storage.account import Account
from shared.storage.columns import Columns, DamagedRow
from shared.storage.pointers import newest_first
from shared.storage.table import ETAG, Row, Table


class TaskStore:
    """Rows and pointers. Every call raises DependencyDown while the table cannot be used."""

    def __init__(self, account: Account) -> None:
        self._rows = Table(account, TASK_TABLE)
        self._pointers = Table(account, INDEX_TABLE)

    async def create(self, record: Record) -> Record | None:
        """Write a new task's row and give it with its ETag; None, and nothing written, if its id has one."""
        etag = await self._rows.create(_to_row(record))
        return replace(record, etag=etag) if etag else None

    async def read(self, task_id: str) -> Record | None:
        """The task, or None if there is no row for it.

        Raises:
            DamagedRow: there is one that this version did not write.
        """
        row = await self._rows.read(*_keys(task_id))
        return _to_record(row) if row else None

    async def change(self, record: Record) -> Record:
        """Write where a task stands, if its row is still at the record's ETag; other columns stay untouched.

        Gives the record with the new ETag.

        Raises:
            StaleRow: the row was changed meanwhile; nothing was written.
        """
        partition, key = _keys(record.id)
        columns = {"PartitionKey": partition, "RowKey": key, **_standing(record)}
        return replace(record, etag=await self._rows.merge(columns, etag=record.etag))

    async def edit(self, record: Record) -> Record:
        """Write the fields that were edited and what tells of the edit, if its row is still at the record's ETag; other
        columns stay untouched. Gives the record with the new ETag.

        Raises:
            StaleRow: the row was changed meanwhile; nothing was written.
        """
        partition, key = _keys(record.id)
        columns = {"PartitionKey": partition, "RowKey": key, **_edited(record)}
        return replace(record, etag=await self._rows.merge(columns, etag=record.etag))

    async def overwrite(self, record: Record) -> Record:
        """Write every column that a record has, if its row is still at the record's ETag, and give it with the new one.

        Raises:
            StaleRow: it is not; nothing was written.
        """
        return replace(record, etag=await self._rows.merge(_to_row(record), etag=record.etag))

    async def point(self, record: Record) -> None:
        """Put the task into each list that it belongs to: none, if it never came. A repeat writes the same again."""
        if record.is_tombstone:
            return
        row_key = newest_first(record.submitted_at, record.id)
        lists = [day_list(record.submitted_at)]
        if record.task.owner:
            lists.append(person_list("owner", record.task.owner))
        if record.task.created_by:
            lists.append(person_list("by", record.task.created_by))
        await asyncio.gather(*(self._pointers.put({"PartitionKey": name, "RowKey": row_key}) for name in lists))

    async def owner(self, task_id: str) -> str | None:
        """Who owns the task now; nothing else is read. None if there is no row for it."""
        row = await self._rows.read(*_keys(task_id), columns=("owner",))
        return Columns(row).text("owner", "") if row else None

    async def point_owner(self, record: Record, owner: str, *, instead_of: Collection[str]) -> None:
        """Put the task into the list of an owner, then take it out of the lists of others. A repeat does so again."""
        row_key = newest_first(record.submitted_at, record.id)
        kept = _owner_lists({owner})
        for name in kept:
            await self._pointers.put({"PartitionKey": name, "RowKey": row_key})
        for name in _owner_lists(instead_of) - kept:
            await self._pointers.drop(name, row_key)


DAYS = "all:"
"""With a day behind it, the key of the list of all its tasks."""


def day_list(day: date) -> str:
    """The key of the list of all tasks of a day (UTC)."""
    return f"{DAYS}{day:%Y-%m-%d}"


def _owner_lists(owners: Collection[str]) -> set[str]:
    return {person_list("owner", owner) for owner in owners if owner}


def person_list(kind: str, person: str) -> str:
    """The key of a person's list: a digest, since keys never hold user text as it came.

    Names are alike that differ only in case, in outer blanks or in Unicode form (NFC).
    """
    alike = person.strip()
    for _ in range(2):  # folding may leave a form that is not NFC, and NFC one that folds further
        alike = unicodedata.normalize("NFC", unicodedata.normalize("NFC", alike).casefold())
    return hashlib.sha256(f"{kind}:{alike}".encode()).hexdigest()


def _keys(task_id: str) -> tuple[str, str]:
    return task_id[:2], task_id


def _standing(record: Record) -> Row:
    """The columns that say where a task stands."""
    failure = record.failure or Failure(code="", message="", step="")
    return {
        "state": record.state,
        "lastCompletedStep": record.last_completed_step,
        "steps": json.dumps([step.to_data() for step in record.steps]),
        "errorCode": failure.code,
        "errorMessage": failure.message,
        "errorStep": failure.step,
        "redrives": record.redrives,
        **({"reopenedAt": instants.to_text(record.reopened_at)} if record.reopened_at else {}),
        **(_photo_columns(record.photo) if record.photo else {}),
    }


def _photo_columns(photo: Photo) -> Row:
    latitude, longitude = photo.location or (None, None)
    return {
        "photoState": photo.state,
        "photoCode": photo.code,
        "photoReason": photo.reason,
        "photoExtension": photo.extension,
        "photoWidth": photo.width,
        "photoHeight": photo.height,
        **({} if latitude is None else {"latitude": latitude, "longitude": longitude}),
    }


def _submitted(column: str) -> str:
    """The column that holds what was submitted for a field which was edited since."""
    return f"submitted{column[0].upper()}{column[1:]}"


def _edited(record: Record) -> Row:
    """The columns that an edit writes: the fields that were ever edited, as they are and as they were submitted."""
    fields = every_field(record.task)
    return {
        **{name: fields[name] for name in record.submitted_fields},
        **{_submitted(name): value for name, value in record.submitted_fields.items()},
        "editId": record.edit_id,
        "editedFrom": record.edited_from,
        **({"editedAt": instants.to_text(record.edited_at)} if record.edited_at else {}),
    }


def _to_row(record: Record) -> Row:
    partition, key = _keys(record.id)
    return {
        "PartitionKey": partition,
        "RowKey": key,
        **task_fields(record.task),
        "caller": record.caller,
        "fingerprint": record.fingerprint,
        "submittedAt": instants.to_text(record.submitted_at),
        **_standing(record),
    }


def _to_record(row: Row) -> Record:
    columns = Columns(row)
    code = columns.text("errorCode")
    try:
        steps = tuple(_step(entry) for entry in json.loads(columns.text("steps")))
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise DamagedRow("the column steps cannot be read") from error
    return Record(
        id=columns.text("RowKey"),
        task=_to_task(row),
        caller=columns.text("caller"),
        fingerprint=columns.text("fingerprint"),
        submitted_at=columns.instant("submittedAt"),
        state=columns.choice("state", get_args(State)),
        steps=steps,
        failure=Failure(code=code, message=columns.text("errorMessage"), step=columns.text("errorStep"))
        if code
        else None,
        redrives=columns.count("redrives"),
        reopened_at=columns.instant("reopenedAt") if "reopenedAt" in row else None,
        submitted_fields={
            name: _field(columns, name, _submitted(name)) for name in EDITABLE if _submitted(name) in row
        },
        edit_id=columns.text("editId", ""),
        edited_from=columns.text("editedFrom", ""),
        edited_at=columns.instant("editedAt") if "editedAt" in row else None,
        photo=_to_photo(columns) if "photoState" in row else None,
        etag=row[ETAG],
    )


def _to_photo(columns: Columns) -> Photo:
    has_location = columns.has("latitude") and columns.has("longitude")
    return Photo(
        state=columns.choice("photoState", PHOTO_STATES),
        code=columns.text("photoCode", ""),
        reason=columns.text("photoReason", ""),
        extension=columns.text("photoExtension", ""),
        width=columns.count("photoWidth", 0),
        height=columns.count("photoHeight", 0),
        location=(columns.number("latitude"), columns.number("longitude")) if has_location else None,
    )


def _to_task(row: Row) -> Task:
    """Only types are checked: what was stored once is read, even where a rule has become stricter since."""
    columns, fields = Columns(row), {}
    for name, column in FIELD_COLUMNS:
        if column in row:
            fields[name] = _field(columns, column, column)
    if "title" not in fields:
        raise DamagedRow("the column title is missing")
    return Task(**fields)  # type: ignore[arg-type]


def _field(columns: Columns, field: str, column: str) -> str | bool:
    """What a column holds for a field, which is a truth or a text."""
    return columns.flag(column) if field == "isDone" else columns.text(column)


def _step(entry: dict[str, Any]) -> Step:
    return Step(step=entry["step"], at=instants.from_text(entry["at"]), attempt=entry["attempt"])
