"""What the answers look like."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import azure.functions as func

from shared.domain import instants
from shared.domain.receipt import Receipt
from shared.domain.record import Failure, Record
from shared.domain.tag import tag_of
from shared.domain.task import every_field
from shared.services.status import Status
from shared.web.accept import JSON
from shared.web.routes import receipt_path, task_path

Known = Callable[[str], bool] | None
"""Whether an `If-None-Match` names a tag; None without one."""


def as_json(status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> func.HttpResponse:
    """An answer with a JSON object."""
    return func.HttpResponse(json.dumps(body, ensure_ascii=False), status_code=status, mimetype=JSON, headers=headers)


def accepted(
    receipt: Receipt, token: str, key: str, *, again: int, status: Status | None = None, waited: int = 0
) -> func.HttpResponse:
    """202: the task is on the queue; 200: it was waited for (so many seconds at most), and is settled.

    `again`: in how many seconds it is worth asking for it, here and below. The receipt's address is in `Location` and
    in the body.
    """
    address = receipt_path(token)
    is_settled = status is not None and status.is_settled
    body = {
        "id": receipt.task_id,
        "key": key,
        "state": "accepted",
        "acceptedAt": instants.to_text(receipt.accepted_at),
        **(_standing(status) if status and is_settled else {}),
        "receipt": token,
        "links": {"receipt": address, "task": task_path(receipt.task_id)},
    }
    headers = {"Location": address, "Idempotency-Key": key, **_applied(waited)}
    if is_settled:
        return as_json(200, body, headers)
    return as_json(202, body, {**headers, **_after(again)})


def status(found: Status, *, again: int | None, waited: int = 0, known: Known = None) -> func.HttpResponse:
    """200: where a task stands; 304: as the client knows. It was waited for so many seconds at most.

    Whoever holds the receipt may see it, so it shows nothing of the task's content.
    """
    headers = {**_after(again), **_applied(waited)}
    body = _status_data(found)
    return _unless_known(body, _tag_of(body), known, headers)


def status_tag(found: Status) -> str:
    """The entity tag of a status: another one whenever it shows anything else."""
    return _tag_of(_status_data(found))


def _tag_of(body: Mapping[str, Any]) -> str:
    return tag_of(json.dumps(body, sort_keys=True))


def _status_data(found: Status) -> dict[str, Any]:
    told = {"detail": "The task was accepted; its status is not readable now."} if found.state == "accepted" else {}
    return {"id": found.id, **_standing(found), **told}


def _unless_known(body: Mapping[str, Any], tag: str, known: Known, headers: Mapping[str, str]) -> func.HttpResponse:
    """200 with a body and its tag; 304 without, if the client knows that tag."""
    tagged = {**headers, "ETag": tag}
    return func.HttpResponse(status_code=304, headers=tagged) if known and known(tag) else as_json(200, body, tagged)


def _after(again: int | None) -> dict[str, str]:
    return {} if again is None else {"Retry-After": str(again)}


def _applied(waited: int) -> dict[str, str]:
    return {"Preference-Applied": f"wait={waited}"} if waited else {}


def _standing(status: Status) -> dict[str, Any]:
    return {
        "state": status.state,
        "acceptedAt": instants.to_text(status.accepted_at),
        "steps": [step.to_data() for step in status.steps],
        "error": error_of(status.failure),
        "overdue": status.is_overdue,
    }


def cancelling(task_id: str, *, again: int) -> func.HttpResponse:
    """202: the command to cancel the task is on the queue; its row cannot be set now, or is not there yet."""
    address = task_path(task_id)
    body = {"id": task_id, "state": "cancelling", "links": {"task": address}}
    return as_json(202, body, {"Location": address, **_after(again)})


def task(
    record: Record, *, overdue: bool, again: int | None = None, waited: int = 0, known: Known = None
) -> func.HttpResponse:
    """200: the task, with its entity tag as `ETag`; 304: as the client knows it. Waited and asked again as `status`."""
    headers = {**_after(again), **_applied(waited)}
    return _unless_known(task_data(record, overdue=overdue), task_tag(record), known, headers)


def task_tag(record: Record) -> str:
    """The entity tag of a task: that of its row, so that an edit can name it. It stays as `overdue` comes and goes."""
    return tag_of(record.etag)


def task_data(record: Record, *, overdue: bool) -> dict[str, Any]:
    """The task as it was given, every field, and where it stands, as JSON holds it.

    One that was cancelled before it came has empty fields, and `submittedAt` null. The id of its photo is for its
    sender alone: what is told is how the photo is.
    """
    from shared.web.photo_data import photo_data  # a submit does not need it

    return {
        "id": record.id,
        **{name: value for name, value in every_field(record.task).items() if name != "photoId"},
        "photo": photo_data(record),
        "state": record.state,
        "submittedAt": None if record.is_tombstone else instants.to_text(record.submitted_at),
        "editedAt": instants.to_text(record.edited_at) if record.edited_at else None,
        "lastCompletedStep": record.last_completed_step,
        "steps": [step.to_data() for step in record.steps],
        "error": error_of(record.failure),
        "overdue": overdue,
    }


def reopened(record: Record, *, again: int) -> func.HttpResponse:
    """202: the failed task is queued again."""
    address = task_path(record.id)
    body = {
        "id": record.id,
        "state": record.state,
        "redrives": record.redrives,
        "reopenedAt": instants.to_text(record.under_way_since),
        "links": {"task": address},
    }
    return as_json(202, body, {"Location": address, **_after(again)})


def error_of(failure: Failure | None) -> dict[str, str] | None:
    """The failure of a task, as answers show it."""
    return {"code": failure.code, "message": failure.message, "step": failure.step} if failure else None


def healthy(version: str) -> func.HttpResponse:
    """200: the app runs; says nothing about storage, which accepting can outlive."""
    return as_json(200, {"status": "ok", "version": version})


def see_other(path: str) -> func.HttpResponse:
    """303: what was sent is done, and this page of ours shows it, however often it is loaded."""
    return func.HttpResponse(status_code=303, headers={"Location": path})
