"""The published schema of a message, made from the models that validate it.

`python -m tools.message_schema` writes docs/envelope.schema.json anew; a test holds the two together.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from shared.domain.envelope import CANCELLED, NOTICE, REASSIGNED, SUBMITTED
from shared.domain.notice import CHANNELS, KINDS
from shared.domain.task import EDITABLE, Task

_UUID = {"type": "string", "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"}
_COUNT = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1, "default": 0}

_STEP_TYPE = r"^fixit\.(?!notice\.)[a-z][a-z0-9-]{0,30}\.v1$"
_ATTEMPT = {
    "type": "integer",
    "minimum": 1,
    "maximum": 2**31 - 1,
    "default": 1,
    "description": "Which try of the step's own schedule it is; outages do not count.",
}

_CANCEL = {
    "type": "object",
    "properties": {
        "fingerprint": {
            "type": "string",
            "pattern": "^(?:[0-9a-f]{64})?$",
            "description": "Cancels the task only if this is its content: the SHA-256 of its canonical JSON.",
        },
        "anyCaller": {
            "type": "boolean",
            "default": False,
            "description": (
                "Whether it stops the task of anybody, also if it comes later, and not the caller's alone. Without it, "
                "the caller of a person (person:…) cancels tasks of theirs only; any other those of anybody that are "
                "there already."
            ),
        },
    },
}

_NOTICE = {
    "type": "object",
    "required": ["kind", "channel", "task"],
    "oneOf": [{"required": ["to"]}, {"required": ["person"]}],
    "properties": {
        "kind": {"enum": list(KINDS)},
        "channel": {"enum": list(CHANNELS)},
        "to": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2000,
            "description": "An address, a URL or the name of a queue.",
        },
        "person": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2000,
            "description": "Instead of `to`: somebody whose address the directory knows.",
        },
        "correlationId": {"type": "string", "maxLength": 255},
        "task": {
            "type": "object",
            "required": ["state"],
            "properties": {"state": {"type": "string"}},
            "description": "What is told of the task.",
        },
        "attempt": _ATTEMPT,
    },
}

_EVENTS = ("Submitted", "Cancelled", "Reassigned", "Step", "Notice")


def envelope_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of a message: an event, or a bare task that the app adopts."""
    (reference,), components = msgspec.json.schema_components([Task], ref_template="#/$defs/{name}")
    task = _with_not_given(components["Task"])
    bare = {**task, "title": "BareTask", "properties": {"id": _bare_id(), **task["properties"]}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A message on a queue of Fix-It",
        "description": (
            "UTF-8 JSON, sent as it is or as base64 of it; 47 KiB at most before base64. On a task queue: a "
            "CloudEvents 1.0 event (Submitted, Cancelled, Reassigned), or a bare task, which the app puts back in an "
            "event of its own. On the queue of a filter: Step. On that of the notices: Notice. Besides this schema: "
            "notes are at most 40 KiB in UTF-8, and photoName needs a photoId. Null, and of a text the empty one, mean "
            "that a field is not given."
        ),
        "if": {"required": ["specversion"]},
        "then": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in _EVENTS]},
        "else": {"$ref": "#/$defs/BareTask"},
        "$defs": {
            "Submitted": _event(SUBMITTED, "Who submitted the task; with the key it decides the task's id.", reference),
            "Cancelled": _event(CANCELLED, "Who cancels; of a task that has not come yet, only their own is.", _CANCEL),
            "Reassigned": _event(REASSIGNED, "Who edits the task.", _reassign(task["properties"])),
            "Step": _step(reference),
            "Notice": _event(NOTICE, "Who submitted the task.", _NOTICE),
            "Task": task,
            "BareTask": bare,
        },
    }


def _with_not_given(task: dict[str, Any]) -> dict[str, Any]:
    """The schema of a task in which an optional field may also be null, an optional text also empty: "not given"."""

    def open_up(rule: dict[str, Any]) -> dict[str, Any]:
        empty = [None, ""] if rule["default"] == "" else [None]
        return {"anyOf": [rule, {"enum": empty}], "default": rule["default"]}

    fields = task["properties"].items()
    return {**task, "properties": {name: rule if name in task["required"] else open_up(rule) for name, rule in fields}}


def _reassign(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["patch", "etag"],
        "properties": {
            "patch": {
                "type": "object",
                "properties": {name: fields[name] for name in EDITABLE},
                "additionalProperties": False,
                "description": "The new values, as a JSON Merge Patch (RFC 7396).",
            },
            "etag": {
                "type": "string",
                "pattern": '^"[0-9a-f]{24}"$',
                "description": "The version that it edits, as a GET of the task gives it; another stays as it is.",
            },
            "from": {**fields["owner"], "description": "Who owned the task in that version."},
        },
    }


def _step(task: dict[str, Any]) -> dict[str, Any]:
    """The event for any filter: its type names which."""
    data = {
        "type": "object",
        "properties": {
            "fingerprint": {
                "type": "string",
                "pattern": "^[0-9a-f]{64}$",
                "description": "The content of the task: the SHA-256 of its canonical JSON. Another is left alone.",
            },
            "attempt": _ATTEMPT,
            "task": {**task, "description": "The task itself, where another source brings it: it needs no row then."},
        },
    }
    event = _event("", "Who submitted the task, or brings it.", data)
    kind = {"type": "string", "pattern": _STEP_TYPE, "description": "`fixit.<name of the filter>.v1`."}
    return {**event, "properties": {**event["properties"], "type": kind}}


def _bare_id() -> dict[str, Any]:
    return {
        "type": ["string", "null"],
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^[!-~]{1,255}$",
        "description": "The producer's idempotency key: the same id is the same task. Else the message's id is.",
    }


def _event(kind: str, caller: str, data: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["specversion", "id", "source", "type", "subject", "time", "caller", "data"],
        "properties": {
            "specversion": {"const": "1.0"},
            "id": {**_UUID, "description": "Constant across every copy of the event."},
            "source": {"type": "string", "minLength": 1, "maxLength": 2000},
            "type": {"const": kind},
            "subject": {**_UUID, "description": "The task's id."},
            "time": {"type": "string", "format": "date-time"},
            "datacontenttype": {"const": "application/json"},
            "traceparent": {"type": "string", "description": "W3C trace context; a broken one is ignored."},
            "caller": {"type": "string", "minLength": 1, "maxLength": 255, "description": caller},
            "deferrals": {**_COUNT, "description": "How often the message was put back for an outage."},
            "redrives": {**_COUNT, "description": "The task row's counter of redrives when the message was sent."},
            "reopenedat": {
                "type": "string",
                "format": "date-time",
                "description": "When the task was last reopened, if it was.",
            },
            "data": data,
        },
    }


if __name__ == "__main__":
    target = Path(__file__).resolve().parents[1] / "docs" / "envelope.schema.json"
    target.write_text(json.dumps(envelope_schema(), indent=2, ensure_ascii=False) + "\n", "utf-8", newline="\n")
