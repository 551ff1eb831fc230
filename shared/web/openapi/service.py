"""The operations that tell about the app itself."""

from shared.web import routes
from shared.web.openapi import models
from shared.web.openapi.operation import Operation, answer

OPERATIONS = (
    Operation(
        route=routes.HEALTH,
        method="GET",
        name="health",
        level="anonymous",
        summary="Whether the app runs",
        about="It says nothing about storage, which accepting can outlive.",
        answers={200: answer("It runs", models.Healthy)},
    ),
    Operation(
        route=routes.OPENAPI,
        method="GET",
        name="openapi",
        level="anonymous",
        summary="This document",
        answers={200: answer("The document", {"type": "object"})},
    ),
    Operation(
        route=routes.DOCS,
        method="GET",
        name="docs",
        level="anonymous",
        summary="This document, to be read by people",
        answers={200: answer("The page", html=True)},
    ),
)
