"""The operations on photos."""

from shared.web import routes
from shared.web.openapi import parameters
from shared.web.openapi.models import photos as models
from shared.web.openapi.operation import UNREADABLE, Operation, answer, json_body

_BODY = {**json_body(models.PhotoWish), "required": False}
_THERE = answer("Where it can be read for some minutes", headers=("Location",))
_REFUSALS = {404: ("unknown_task", "no_photo"), **UNREADABLE}

OPERATIONS = (
    Operation(
        route=routes.OFFER_PHOTO,
        method="POST",
        name="offer_photo",
        level="function",
        summary="Get a link to upload one photo",
        about="The photo goes straight to storage, by one PUT with the headers of the answer; then name `photoId` in a "
        "task. What is uploaded is looked at once the task is: JPEG, PNG, GIF, WebP or HEIC, 10 MiB at most.",
        body=_BODY,
        answers={201: answer("It may be uploaded", models.PhotoOffer)},
        refusals={400: ("invalid_parameter",), **UNREADABLE},
    ),
    Operation(
        route=routes.PHOTO,
        method="GET",
        name="get_photo",
        level="function",
        summary="The photo of a task, without its metadata",
        parameters=(parameters.TASK_ID,),
        answers={302: _THERE},
        refusals=_REFUSALS,
    ),
    Operation(
        route=routes.THUMBNAIL,
        method="GET",
        name="get_thumbnail",
        level="function",
        summary="The photo of a task, small, as a JPEG",
        parameters=(parameters.TASK_ID,),
        answers={302: _THERE},
        refusals=_REFUSALS,
    ),
)
