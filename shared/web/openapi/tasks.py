"""The operations that submitters use."""

from shared.domain.task import Task
from shared.web import routes
from shared.web.openapi import models, parameters
from shared.web.openapi.operation import Operation, answer, json_body

_ON_ITS_WAY = ("Location", "Retry-After")
_UNREADABLE = {503: ("dependency_down",)}
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
    "cancel": {"operationId": "cancel", "parameters": {"id": "$response.body#/id"}, "description": "Reverse it"},
    "retry": {"operationId": "retry_task", "parameters": {"id": "$response.body#/id"}, "description": "Try it again"},
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
        body=json_body(Task),
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
            400: ("invalid_task", "invalid_idempotency_key", "invalid_preference"),
            422: ("idempotency_key_reused",),
            503: ("not_known_accepted", "not_known_cancelled"),
            504: ("reversed",),
        },
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
            200: answer(
                "Where it stands", models.Status, headers=("ETag", "Retry-After", "Preference-Applied"), html=True
            ),
            304: answer("Nothing is new"),
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
            200: answer("The task", models.TaskView, headers=("ETag", "Retry-After", "Preference-Applied")),
            304: answer("Nothing is new"),
        },
        refusals={404: ("unknown_task",), **_UNREADABLE},
    ),
    Operation(
        route=routes.TASK_BY_KEY,
        method="GET",
        name="get_task_by_key",
        level="function",
        summary="A task, by its idempotency key",
        parameters=(parameters.KEY, parameters.WAIT, parameters.IF_NONE_MATCH),
        answers={
            200: answer("The task", models.TaskView, headers=("ETag", "Retry-After", "Preference-Applied")),
            304: answer("Nothing is new"),
        },
        refusals={400: ("invalid_idempotency_key",), 404: ("unknown_task",), **_UNREADABLE},
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
