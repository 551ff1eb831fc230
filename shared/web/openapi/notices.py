"""The operations on notices and callbacks."""

from shared.web import routes
from shared.web.openapi import parameters
from shared.web.openapi.models import notices as models
from shared.web.openapi.operation import UNREADABLE, Operation, answer, json_body

OPERATIONS = (
    Operation(
        route=routes.NOTICES,
        method="GET",
        name="list_notices",
        level="function",
        summary="Who was told of a task, and how that went",
        about="Each notice with its tries: time, status and duration, and nothing that a receiver answered.",
        parameters=(parameters.TASK_ID,),
        answers={200: answer("The notices", models.Notices)},
        refusals={404: ("unknown_task",), **UNREADABLE},
    ),
    Operation(
        route=routes.RESEND,
        method="POST",
        name="resend_callbacks",
        level="function",
        summary="Have the callback of a task made again",
        about="That of the state which it is in, at once and under the same `webhook-id`. A receiver that had said "
        "that it is gone (410) is asked again.",
        parameters=(parameters.TASK_ID,),
        answers={202: answer("It is on the queue", models.Resent)},
        refusals={404: ("unknown_task",), 409: ("no_callback",), **UNREADABLE},
    ),
    Operation(
        route=routes.RESEND_RANGE,
        method="POST",
        name="resend_callbacks_of_range",
        level="admin",
        summary="Have callbacks made again, of all tasks that were submitted in some time",
        about="It works for 60 s at most, then answers with a cursor. At first those alone that no receiver took.",
        body=json_body(models.ResendRange),
        answers={200: answer("What became of each", models.ResentRange)},
        refusals={400: ("invalid_parameter", "invalid_cursor"), 409: ("no_callback",), **UNREADABLE},
    ),
)
