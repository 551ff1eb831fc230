"""How a task lies in its table."""

import json
from typing import Any, get_args

from shared.domain import instants
from shared.domain.photo import PHOTO_STATES, Photo
from shared.domain.record import Failure, Record, State, Step
from shared.domain.task import EDITABLE, FIELD_COLUMNS, Task, every_field, task_fields
from shared.storage.columns import Columns, DamagedRow
from shared.storage.table import ETAG, Row


def keys(task_id: str) -> tuple[str, str]:
    """The partition and the key of a task's row."""
    return task_id[:2], task_id


def standing(record: Record) -> Row:
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


def edited(record: Record) -> Row:
    """The columns that an edit writes: the fields that were ever edited, as they are and as they were submitted."""
    fields = every_field(record.task)
    return {
        **{name: fields[name] for name in record.submitted_fields},
        **{_submitted(name): value for name, value in record.submitted_fields.items()},
        "editId": record.edit_id,
        "editedFrom": record.edited_from,
        **({"editedAt": instants.to_text(record.edited_at)} if record.edited_at else {}),
    }


def to_row(record: Record) -> Row:
    """Every column of a task that nobody has edited."""
    partition, key = keys(record.id)
    return {
        "PartitionKey": partition,
        "RowKey": key,
        **task_fields(record.task),
        "caller": record.caller,
        "fingerprint": record.fingerprint,
        "submittedAt": instants.to_text(record.submitted_at),
        **standing(record),
    }


def to_record(row: Row) -> Record:
    """The task that a row says; DamagedRow for one that this version did not write."""
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
