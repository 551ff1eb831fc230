"""The task: what somebody wants mended. One model for HTTP, for messages and for the published schema."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from shared.domain.errors import FieldError, InvalidTask
from shared.domain.field_rules import first_errors, sentence, shown, value_errors
from shared.domain.photo_id import photo_of
from shared.domain.text_rules import (
    EMAIL,
    HTTPS_URL,
    LINE,
    PARAGRAPHS,
    PHOTO_ID,
    QUEUE_NAME,
    VISIBLE,
    has_something_to_read,
)

NOTES_MAX_BYTES = 40 * 1024
"""Notes in UTF-8. A table string holds 32,768 UTF-16 units (https://learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model)."""


def _pattern(pattern: str) -> dict[str, Any]:
    return {"pattern": pattern}


Priority = Literal["low", "normal", "high"]
PRIORITIES: tuple[Priority, ...] = get_args(Priority)


class Task(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """A task as its sender gave it. Lengths count characters (Unicode code points); empty means not given."""

    title: Annotated[str, Meta(min_length=1, max_length=80, extra_json_schema=_pattern(LINE))]
    notes: Annotated[str, Meta(max_length=16_000, extra_json_schema=_pattern(PARAGRAPHS))] = ""
    owner: Annotated[str, Meta(max_length=80, extra_json_schema=_pattern(LINE))] = ""
    created_by: Annotated[str, Meta(max_length=80, extra_json_schema=_pattern(LINE))] = ""
    contact: Annotated[str, Meta(max_length=254, extra_json_schema=_pattern(EMAIL))] = ""
    callback_url: Annotated[str, Meta(max_length=2_000, extra_json_schema=_pattern(HTTPS_URL))] = ""
    reply_to: Annotated[str, Meta(max_length=63, extra_json_schema=_pattern(QUEUE_NAME))] = ""
    correlation_id: Annotated[str, Meta(max_length=255, extra_json_schema=_pattern(VISIBLE))] = ""
    photo_id: Annotated[str, Meta(max_length=90, extra_json_schema=_pattern(PHOTO_ID))] = ""
    photo_name: Annotated[str, Meta(max_length=255, extra_json_schema=_pattern(LINE))] = ""
    priority: Priority = "normal"
    is_done: bool = False


FIELD_COLUMNS = tuple(zip(Task.__struct_fields__, Task.__struct_encode_fields__, strict=True))
"""Each field's name here, and in JSON and in the table."""

EDITABLE = ("isDone", "owner", "notes", "priority")
"""The fields, by their names in JSON, that can change after the task was submitted."""

_FIELDS = {field.encode_name: field for field in msgspec.structs.fields(Task)}


def parse_task(fields: Mapping[str, Any]) -> Task:
    """The task that a JSON object describes. `null` and, for an optional text, `""` mean that the field is not given.

    Raises:
        InvalidTask: names every field that breaks a rule (at most 50), the rule, and what was found.
    """
    given = {name: value for name, value in fields.items() if value is not None and not _is_left_empty(name, value)}
    errors = first_errors(given, field_errors)
    if "title" not in given:
        errors.append(FieldError("title", "is needed: 1 to 80 characters"))
    if "photoName" in given and "photoId" not in given:
        errors.append(FieldError("photoName", "is the name of a photo: give its photoId too, or leave it out"))
    if errors:
        raise refusal(errors)
    return msgspec.convert(given, Task)


def refusal(errors: Sequence[FieldError]) -> InvalidTask:
    """The refusal that names these errors."""
    return InvalidTask(sentence(errors), errors=errors)


def _is_left_empty(name: str, value: Any) -> bool:
    """Whether this is an optional text that holds nothing."""
    return value == "" and name in _FIELDS and _FIELDS[name].default == ""


def field_errors(name: str, value: Any) -> Iterator[FieldError]:
    """What is wrong with the value that is given for a field."""
    field = _FIELDS.get(name)
    if field is None:
        yield FieldError(shown(name), f"is not a field of a task; the fields are {', '.join(_FIELDS)}")
        return
    errors = list(value_errors(field, value))
    yield from errors
    if errors:
        return
    if name == "title" and not has_something_to_read(value):
        yield FieldError(name, "must hold something to read, not blanks alone")
    if name == "notes" and len(value.encode()) > NOTES_MAX_BYTES:
        yield FieldError(name, f"must be at most {NOTES_MAX_BYTES:,} bytes in UTF-8; it has {len(value.encode()):,}")


def check_reply_to(task: Task, may_reply_to: Callable[[str], bool]) -> None:
    """InvalidTask if the task asks for an answer on a queue that is not on the list."""
    if task.reply_to and not may_reply_to(task.reply_to):
        rule = "must be one of the queues that the app may answer to (its setting FIXIT_REPLY_QUEUES)"
        raise InvalidTask(f"replyTo {rule}.", errors=[FieldError("replyTo", rule)])


def task_fields(task: Task) -> dict[str, Any]:
    """The task as a JSON object, without fields at their default: a new optional field changes no fingerprint."""
    fields: dict[str, Any] = msgspec.to_builtins(task)
    return fields


def every_field(task: Task) -> dict[str, Any]:
    """The task as a JSON object with every field, also those at their default."""
    return {column: getattr(task, name) for name, column in FIELD_COLUMNS}


def default_of(name: str) -> Any:
    """The value of an optional field, by its name in JSON, that is not given."""
    return _FIELDS[name].default


def with_fields(task: Task, fields: Mapping[str, Any]) -> Task:
    """The task with other values, which obey every rule, for these fields by their names in JSON."""
    return msgspec.structs.replace(task, **{_FIELDS[name].name: value for name, value in fields.items()})


def fingerprint(task: Task) -> str:
    """SHA-256, in hex, of the canonical JSON: the given fields, keys sorted, no blanks, UTF-8.

    A photo counts by its name alone, so that sent again, under an id of another time, it is the same task.
    """
    fields = task_fields(task)
    if task.photo_id:
        fields["photoId"] = photo_of(task.photo_id)
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
