"""What the answers look like."""

import json
from collections.abc import Mapping
from typing import Any

import azure.functions as func

from shared.domain import instants
from shared.domain.receipt import Receipt
from shared.domain.record import Failure, Record
from shared.domain.task import every_field
from shared.services.status import Status
from shared.web.accept import JSON
from shared.web.routes import receipt_path, task_path

POLL_SECONDS = 1
"""`Retry-After` of a task that is on its way."""


def as_json(status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> func.HttpResponse:
    """An answer with a JSON object."""
    return func.HttpResponse(json.dumps(body, ensure_ascii=False), status_code=status, mimetype=JSON, headers=headers)


def accepted(
    receipt: Receipt, token: str, key: str, *, status: Status | None = None, waited: int = 0
) -> func.HttpResponse:
    """202: the task is on the queue; 200: it was waited for (so many seconds at most), and is settled.

    The receipt's address is in `Location` and in the body.
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
    headers = {"Location": address, "Idempotency-Key": key}
    if waited:
        headers["Preference-Applied"] = f"wait={waited}"
    if is_settled:
        return as_json(200, body, headers)
    return as_json(202, body, {**headers, "Retry-After": str(POLL_SECONDS)})


def status(found: Status) -> func.HttpResponse:
    """200: where a task stands. Whoever holds the receipt may see it, so it shows nothing of the task's content."""
    body = {"id": found.id, **_standing(found)}
    if found.state == "accepted":
        body["detail"] = "The task was accepted; its status is not readable now."
    return as_json(200, body, {} if found.is_settled else {"Retry-After": str(POLL_SECONDS)})


def _standing(status: Status) -> dict[str, Any]:
    return {
        "state": status.state,
        "acceptedAt": instants.to_text(status.accepted_at),
        "steps": [step.to_data() for step in status.steps],
        "error": error_of(status.failure),
    }


def cancelling(task_id: str) -> func.HttpResponse:
    """202: the command to cancel the task is on the queue; its row cannot be set now."""
    address = task_path(task_id)
    body = {"id": task_id, "state": "cancelling", "links": {"task": address}}
    return as_json(202, body, {"Location": address, "Retry-After": str(POLL_SECONDS)})


def task(record: Record) -> func.HttpResponse:
    """200: the task as it was given, every field, and where it stands. `ETag` is the version of its row.

    One that was cancelled before it came has empty fields, and `submittedAt` null.
    """
    body = {
        "id": record.id,
        **every_field(record.task),
        "state": record.state,
        "submittedAt": None if record.is_tombstone else instants.to_text(record.submitted_at),
        "lastCompletedStep": record.last_completed_step,
        "steps": [step.to_data() for step in record.steps],
        "error": error_of(record.failure),
    }
    return as_json(200, body, {"ETag": record.etag})


def reopened(record: Record) -> func.HttpResponse:
    """202: the failed task is queued again."""
    address = task_path(record.id)
    body = {
        "id": record.id,
        "state": record.state,
        "redrives": record.redrives,
        "reopenedAt": instants.to_text(record.under_way_since),
        "links": {"task": address},
    }
    return as_json(202, body, {"Location": address, "Retry-After": str(POLL_SECONDS)})


def error_of(failure: Failure | None) -> dict[str, str] | None:
    """The failure of a task, as answers show it."""
    return {"code": failure.code, "message": failure.message, "step": failure.step} if failure else None


def healthy(version: str) -> func.HttpResponse:
    """200: the app runs; says nothing about storage, which accepting can outlive."""
    return as_json(200, {"status": "ok", "version": version})
