"""The operations that tell about the app itself."""

from shared.web import routes
from shared.web.openapi.models import service as models
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
        route=routes.HEALTH_DETAILS,
        method="GET",
        name="health_details",
        level="function",
        summary="Whether the app can use what it needs",
        about="Each part is asked by itself, side by side. With sign-in it is for operators.",
        answers={
            200: answer("Every part is well", models.HealthDetails),
            503: answer("A part is slow or down", models.HealthDetails),
        },
    ),
    Operation(
        route=routes.STATS,
        method="GET",
        name="get_stats",
        level="function",
        summary="What waits: messages by lane, and open dead letters",
        about="Looking takes no message. With sign-in it is for operators.",
        answers={200: answer("What waits, as far as it could be read", models.Stats)},
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
