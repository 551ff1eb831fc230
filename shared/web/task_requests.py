"""Reading what is asked about many tasks at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import azure.functions as func

from shared.domain import identity
from shared.domain.errors import BatchTooLarge, CallerError, FieldError, InvalidRequest
from shared.domain.record import State
from shared.domain.task import parse_task
from shared.domain.task_filter import TaskFilter
from shared.services.batch import BatchItem
from shared.web.parameters import CURSOR_MAX, Parameters
from shared.web.prefer import refuse_on_timeout
from shared.web.request import read_idempotency_key, read_key, read_object

_PERSON_MAX = 80

BATCH_MAX_BYTES = 4 * 1024 * 1024
BATCH_MAX_TASKS = 100
BATCH_KEY_MAX = 255 - len(f".{BATCH_MAX_TASKS}")
"""Of the header of a batch: with the number of a task behind it, it is to be a key."""


@dataclass(frozen=True, kw_only=True)
class TaskLook:
    """What is to be shown."""

    wanted: TaskFilter
    limit: int
    cursor: str


def read_look(request: func.HttpRequest) -> TaskLook:
    """The query of a list; InvalidRequest names all that is wrong."""
    given = Parameters.of_query(request)
    states: tuple[Any, ...] = get_args(State)
    look = TaskLook(
        wanted=TaskFilter(
            owner=given.line("owner", most=_PERSON_MAX),
            created_by=given.line("createdBy", most=_PERSON_MAX),
            state=given.choice("state", states, "") or None,
        ),
        limit=given.whole("limit", low=1, high=100, default=50),
        cursor=given.line("cursor", most=CURSOR_MAX),
    )
    given.check()
    return look


def read_batch(request: func.HttpRequest) -> Sequence[BatchItem]:
    """The items of a batch, each read by itself, with the key that is its own, or made from the request's, or new.

    Raises:
        BatchTooLarge: over 4 MiB. InvalidRequest: it is not 1 to 100 items, or its query or a header is wrong.
    """
    refuse_on_timeout(request)
    key = read_idempotency_key(request)
    if key is not None and len(key) > BATCH_KEY_MAX:
        rule = f"must be at most {BATCH_KEY_MAX} characters for a batch, since the number of each task is put behind it"
        refusal = f"The header Idempotency-Key {rule}."
        raise InvalidRequest(refusal, code="invalid_idempotency_key", errors=[FieldError("Idempotency-Key", rule)])
    given = Parameters(read_object(request, most=BATCH_MAX_BYTES, too_large=BatchTooLarge))
    entries = given.array("tasks", most=BATCH_MAX_TASKS)
    if not given.has("tasks"):
        given.wrong("tasks", f"is needed: an array of 1 to {BATCH_MAX_TASKS} entries")
    given.check()
    return [_item(entry, number, key) for number, entry in enumerate(entries, 1)]


def _item(entry: Any, number: int, batch_key: str | None) -> BatchItem:
    key = "" if batch_key is None else f"{batch_key}.{number}"
    try:
        if not isinstance(entry, dict):
            rule = "must be an object with task, and if you like key"
            raise InvalidRequest(
                f"Entry {number} {rule}.", code="invalid_parameter", errors=[FieldError(f"tasks[{number - 1}]", rule)]
            )
        if entry.get("key") is not None:
            key = ""  # a wrong one is not made good by another
            key = read_key("key", entry["key"], "member")
        given = Parameters({name: value for name, value in entry.items() if name != "key"})
        fields = given.object("task")
        if not given.has("task"):
            given.wrong("task", "is needed: an object with the fields of a task")
        given.check()
        task = parse_task(fields or {})
    except CallerError as error:
        return BatchItem(task=error, key=key)
    return BatchItem(task=task, key=key or identity.new_key(), is_new_key=not key)
