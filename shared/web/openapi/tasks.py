"""The operations that submitters use."""

from shared.domain.task import Task
from shared.web import routes
from shared.web.accept import JSON
from shared.web.openapi import parameters
from shared.web.openapi.models import tasks as models
from shared.web.openapi.operation import UNREADABLE, Operation, answer, json_body
from shared.web.openapi.schemas import ref
from shared.web.request import MERGE_PATCH, MULTIPART

_ON_ITS_WAY = ("Location", "Retry-After")
_AS_IT_IS = ("ETag", "Retry-After", "Preference-Applied")
_NOTHING_NEW = answer("Nothing is new", headers=_AS_IT_IS)
_LINKS = {
    "status": {
        "operationId": "get_receipt",
        "parameters": {"receipt": "$response.body#/receipt"},
        "description": "Where the task stands",
    },
    "task": {"operationId": "get_task", "parameters": {"id": "$response.body#/id"}, "description": "The task"},
    "byKey": {
        "operationId": "get_task_by_key",
        "parameters": {"key": "$response.body#/key"},
        "description": "The task, by its key",
    },
    "edit": {"operationId": "edit_task", "parameters": {"id": "$response.body#/id"}, "description": "Change it"},
    "cancel": {"operationId": "cancel", "parameters": {"id": "$response.body#/id"}, "description": "Reverse it"},
    "retry": {"operationId": "retry_task", "parameters": {"id": "$response.body#/id"}, "description": "Try it again"},
}

_JSON_TASK = json_body(Task)
_TASK_BODY = {
    **_JSON_TASK,
    "content": {**_JSON_TASK["content"], MULTIPART: {"schema": ref(models.MultipartTask)}},
}

OPERATIONS = (
    Operation(
        route=routes.SUBMIT,
        method="POST",
        name="submit",
        level="function",
        summary="Submit a task",
        about="Accepted means that it will be settled, once. It is put on a queue and nothing else; what becomes of it "
        "is read by its receipt.",
        parameters=(parameters.NEW_KEY, parameters.WAIT, parameters.ON_TIMEOUT),
        body=_TASK_BODY,
        too_large="task_too_large",
        answers={
            200: answer(
                "It was waited for, and is settled",
                models.Settled,
                headers=("Location", "Idempotency-Key", "Preference-Applied"),
                links=_LINKS,
            ),
            202: answer(
                "Accepted",
                models.Accepted,
                headers=(*_ON_ITS_WAY, "Idempotency-Key", "Preference-Applied"),
                links=_LINKS,
            ),
        },
        refusals={
            400: ("invalid_task", "invalid_idempotency_key", "invalid_preference", "malformed_multipart"),
            413: ("body_too_large",),
            422: ("idempotency_key_reused",),
            503: ("not_known_accepted", "not_known_cancelled"),
            504: ("reversed",),
        },
    ),
    Operation(
        route=routes.BATCH,
        method="POST",
        name="submit_batch",
        level="function",
        summary="Submit many tasks, each by itself",
        about="One that is refused harms no other. With an `Idempotency-Key` of the whole the n-th task that has no "
        "key of its own gets `<key>.<n>`, so that the batch can be sent again as it is.",
        parameters=(parameters.BATCH_KEY,),
        body=json_body(models.Batch, about="At most 4 MiB"),
        too_large="batch_too_large",
        answers={
            202: answer("All were accepted", models.BatchResults),
            207: answer(
                "Not all were accepted: an answer for each, in their order",
                models.BatchResults,
                headers=("Retry-After",),
            ),
        },
        refusals={400: ("invalid_parameter", "invalid_idempotency_key", "invalid_preference")},
    ),
    Operation(
        route=routes.RECEIPT,
        method="GET",
        name="get_receipt",
        level="anonymous",
        summary="Where a task stands, by its receipt",
        about="It answers whatever the table does: a genuine receipt proves that its task was accepted.",
        parameters=(parameters.RECEIPT, parameters.WAIT, parameters.IF_NONE_MATCH),
        answers={
            200: answer("Where it stands", models.Status, headers=_AS_IT_IS, html=True),
            304: _NOTHING_NEW,
        },
        refusals={404: ("unknown_receipt",)},
    ),
    Operation(
        route=routes.TASK,
        method="GET",
        name="get_task",
        level="function",
        summary="A task, by its id",
        parameters=(parameters.TASK_ID, parameters.WAIT, parameters.IF_NONE_MATCH),
        answers={
            200: answer("The task", models.TaskView, headers=_AS_IT_IS),
            304: _NOTHING_NEW,
        },
        refusals={404: ("unknown_task",), **UNREADABLE},
    ),
    Operation(
        route=routes.EDIT,
        method="PATCH",
        name="edit_task",
        level="function",
        summary="Change a task",
        about="A JSON Merge Patch (RFC 7396) of its content. Repeating it with the same If-Match is safe until "
        "somebody else changes the task.",
        parameters=(parameters.TASK_ID, parameters.IF_MATCH),
        body=json_body(models.TaskPatch, media=(MERGE_PATCH, JSON)),
        too_large="task_too_large",
        answers={200: answer("The task as it is now", models.TaskView, headers=("ETag",))},
        refusals={
            400: ("invalid_task",),
            404: ("unknown_task",),
            409: ("cannot_edit",),
            412: ("stale_edit",),
            422: ("unknown_owner",),
            428: ("precondition_required",),
            503: ("dependency_down", "not_known_changed"),
        },
    ),
    Operation(
        route=routes.LIST,
        method="GET",
        name="list_tasks",
        level="function",
        summary="Tasks, the newest first",
        about="A call reads so much and no more: a page may be short, or empty, and yet there is more behind its "
        "cursor. Whoever is signed in and no operator sees the tasks that they created or own.",
        parameters=(*parameters.TASK_FILTER, parameters.LIMIT, parameters.CURSOR),
        answers={200: answer("One page", models.TaskList)},
        refusals={400: ("invalid_parameter", "invalid_cursor"), **UNREADABLE},
    ),
    Operation(
        route=routes.TASK_BY_KEY,
        method="GET",
        name="get_task_by_key",
        level="function",
        summary="A task, by its idempotency key",
        parameters=(parameters.KEY, parameters.WAIT, parameters.IF_NONE_MATCH),
        answers={
            200: answer("The task", models.TaskView, headers=_AS_IT_IS),
            304: _NOTHING_NEW,
        },
        refusals={400: ("invalid_idempotency_key",), 404: ("unknown_task",), **UNREADABLE},
    ),
    Operation(
        route=routes.CANCEL,
        method="DELETE",
        name="cancel",
        level="function",
        summary="Reverse a task",
        about="Whatever became of it, also if it has not come yet. Repeating it changes nothing.",
        parameters=(parameters.TASK_ID,),
        answers={
            200: answer("It is cancelled", models.TaskView, headers=("ETag",)),
            202: answer("It will be cancelled", models.Cancelling, headers=_ON_ITS_WAY),
        },
        refusals={404: ("unknown_task",), 503: ("not_known_cancelled",)},
    ),
    Operation(
        route=routes.RETRY,
        method="POST",
        name="retry_task",
        level="function",
        summary="Have a failed task tried again",
        parameters=(parameters.TASK_ID,),
        answers={202: answer("It is queued again", models.Reopened, headers=_ON_ITS_WAY)},
        refusals={
            404: ("unknown_task",),
            409: ("not_failed", "cannot_retry"),
            503: ("dependency_down", "not_known_reopened"),
        },
    ),
)
