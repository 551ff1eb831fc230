"""The operations on dead letters."""

from shared.web import routes
from shared.web.openapi import parameters
from shared.web.openapi.models import letters as models
from shared.web.openapi.operation import UNREADABLE, Operation, answer, json_body, parameter
from shared.web.openapi.schemas import ref

OPERATIONS = (
    Operation(
        route=routes.LETTERS,
        method="GET",
        name="list_letters",
        level="admin",
        summary="The dead letters, one by one or by their cause",
        about="Looking changes nothing.",
        parameters=(
            *parameters.LETTER_FILTER,
            parameter("query", "group", "`cause`: counted by cause", {"enum": ["cause", "none"], "default": "none"}),
            parameters.LIMIT,
            parameters.CURSOR,
        ),
        answers={200: answer("What there is", {"anyOf": [ref(models.Letters), ref(models.Causes)]})},
        refusals={400: ("invalid_parameter", "invalid_cursor"), **UNREADABLE},
    ),
    Operation(
        route=routes.LETTER,
        method="GET",
        name="get_letter",
        level="admin",
        summary="A dead letter with its text",
        parameters=(parameters.LETTER_ID,),
        answers={200: answer("The letter", models.LetterDetails)},
        refusals={404: ("unknown_letter",), **UNREADABLE},
    ),
    Operation(
        route=routes.REDRIVE,
        method="POST",
        name="redrive_letters",
        level="admin",
        summary="Give messages another chance",
        about="It works for 60 s at most, then answers with a cursor. Repeating it is safe.",
        body=json_body(models.Order),
        answers={200: answer("What became of each", models.CarriedOut)},
        refusals={400: ("invalid_parameter", "invalid_cursor"), **UNREADABLE},
    ),
    Operation(
        route=routes.DISCARD,
        method="POST",
        name="discard_letters",
        level="admin",
        summary="Close letters whose messages are no longer wanted",
        body=json_body(models.Discard),
        answers={200: answer("What became of each", models.CarriedOut)},
        refusals={400: ("invalid_parameter", "invalid_cursor"), **UNREADABLE},
    ),
)
