"""The JSON Schemas of the document, by their names."""

from typing import Any, get_args

import msgspec

from shared.domain.person import Person
from shared.domain.task import EDITABLE, Task
from shared.web.openapi.models import common, letters, notices, people, photos, service, tasks

ROOTS = (
    common.Problem,
    tasks.Accepted,
    tasks.Batch,
    tasks.BatchResults,
    tasks.Settled,
    tasks.Status,
    tasks.Cancelling,
    tasks.Reopened,
    tasks.TaskView,
    tasks.TaskList,
    tasks.TaskPatch,
    photos.PhotoWish,
    photos.PhotoOffer,
    tasks.MultipartTask,
    notices.Notices,
    notices.Resent,
    notices.ResendRange,
    notices.ResentRange,
    letters.Letters,
    letters.Causes,
    letters.LetterDetails,
    letters.CarriedOut,
    letters.Order,
    letters.Discard,
    people.PersonView,
    service.Healthy,
    service.HealthDetails,
    service.Stats,
)
_OF_CONTENT = ("type", "enum")
"""What an answer says of a task's field: its limits are those of what comes in, and may have been others once."""


def schemas() -> dict[str, Any]:
    """Every schema, as `components/schemas` holds it."""
    _, found = msgspec.json.schema_components((Task, Person, *ROOTS), ref_template="#/components/schemas/{name}")
    task = found["Task"]
    content = {
        name: {key: rule[key] for key in _OF_CONTENT if key in rule}
        for name, rule in task["properties"].items()
        if name != "photoId"
    }
    for view in (found["TaskView"], found["ListedTask"]):
        view["properties"] |= content
        view["required"] = sorted({*view["required"], *content})
    task["properties"] = {
        name: rule if name in task["required"] else _or_nothing(rule) for name, rule in task["properties"].items()
    }
    parts = found["MultipartTask"]  # texts, each once, without what goes with a photo that is uploaded by itself
    sent = {name: rule for name, rule in task["properties"].items() if name not in ("photoId", "photoName", "isDone")}
    parts["properties"] = {**sent, **parts["properties"]}
    parts["required"] = task["required"]
    found["TaskPatch"]["properties"] = {name: task["properties"][name] for name in EDITABLE}
    person = found["Person"]  # who it is stands in the address already
    fields = {name: _or_nothing({"default": "", **rule}) for name, rule in person["properties"].items()}
    fields["person"] = {"anyOf": [person["properties"]["person"], {"type": "null"}]}
    found["Person"] = {**person, "properties": fields, "required": []}
    return found


def _or_nothing(rule: dict[str, Any]) -> dict[str, Any]:
    """A field that may be left out, be null or, where it is a text, be empty: all three mean the same."""
    limits = {name: value for name, value in rule.items() if name != "default"}
    nothing: list[dict[str, Any]] = [{"const": ""}] if rule.get("type") == "string" else []
    return {"anyOf": [limits, *nothing, {"type": "null"}], "default": rule["default"]}


def ref(shape: type[msgspec.Struct]) -> dict[str, str]:
    """A reference to the schema of a shape."""
    return {"$ref": f"#/components/schemas/{shape.__name__}"}


def values(literal: Any) -> list[str]:
    """What a `Literal` type may be."""
    return list(get_args(literal))
