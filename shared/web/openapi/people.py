"""The operations on the directory."""

from shared.domain.person import Person
from shared.web import routes
from shared.web.openapi import parameters
from shared.web.openapi.models import people as models
from shared.web.openapi.operation import UNREADABLE, Operation, answer, json_body

_UNSURE = {503: ("not_known_written",)}
_INVALID = {400: ("invalid_person",)}
_LINKS = {
    "entry": {"operationId": "get_person", "parameters": {"person": "$request.path.person"}, "description": "Read it"},
    "removal": {
        "operationId": "delete_person",
        "parameters": {"person": "$request.path.person"},
        "description": "Remove it",
    },
}

OPERATIONS = (
    Operation(
        route=routes.PERSON,
        method="GET",
        name="get_person",
        level="admin",
        summary="Somebody's entry in the directory",
        parameters=(parameters.PERSON,),
        answers={200: answer("The entry", models.PersonView)},
        refusals={**_INVALID, 404: ("unknown_person",), **UNREADABLE},
    ),
    Operation(
        route=routes.PUT_PERSON,
        method="PUT",
        name="put_person",
        level="admin",
        summary="Write somebody's entry in the directory",
        about="In place of the one before, if there is one. Repeating it is safe.",
        parameters=(parameters.PERSON,),
        body=json_body(Person),
        answers={200: answer("The entry as it is now", models.PersonView, links=_LINKS)},
        refusals={**_INVALID, **_UNSURE},
    ),
    Operation(
        route=routes.DELETE_PERSON,
        method="DELETE",
        name="delete_person",
        level="admin",
        summary="Remove somebody from the directory",
        about="Repeating it is safe.",
        parameters=(parameters.PERSON,),
        answers={204: answer("They are not in the directory (any more)")},
        refusals={**_INVALID, **_UNSURE},
    ),
)
