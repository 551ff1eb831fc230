"""Every HTTP route, once: the triggers register from here, and the catch-all answers 405 from here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

PREFIX = "api"
"""`extensions.http.routePrefix` of host.json."""

READ = ("GET", "HEAD")
"""The host answers HEAD only where it is listed."""


@dataclass(frozen=True)
class Route:
    """A route template, as the Functions host reads it, and the methods that it answers."""

    template: str
    methods: tuple[str, ...]

    def matches(self, path: str) -> bool:
        """Whether a path below the prefix fits the template, whatever the method."""
        return re.fullmatch(_pattern(self.template), path, re.IGNORECASE) is not None


SUBMIT = Route("fixits", ("POST",))
RECEIPT = Route("receipts/{receipt}", READ)
TASK = Route("fixits/{id:guid}", READ)
EDIT = Route("fixits/{id:guid}", ("PATCH",))
CANCEL = Route("fixits/{id:guid}", ("DELETE",))
TASK_BY_KEY = Route("fixits/by-key", READ)
LIST = Route("fixits", READ)
BATCH = Route("fixits/batch", ("POST",))
RETRY = Route("fixits/{id:guid}/retry", ("POST",))
OFFER_PHOTO = Route("photos", ("POST",))
PHOTO = Route("fixits/{id:guid}/photo", READ)
THUMBNAIL = Route("fixits/{id:guid}/thumbnail", READ)
NOTICES = Route("fixits/{id:guid}/notices", READ)
RESEND = Route("fixits/{id:guid}/callbacks/resend", ("POST",))
RESEND_RANGE = Route("callbacks/resend", ("POST",))
LETTERS = Route("deadletters", READ)
LETTER = Route("deadletters/{id}", READ)
REDRIVE = Route("deadletters/redrive", ("POST",))
DISCARD = Route("deadletters/discard", ("POST",))
PERSON = Route("people/{person}", READ)
PUT_PERSON = Route("people/{person}", ("PUT",))
DELETE_PERSON = Route("people/{person}", ("DELETE",))
HEALTH = Route("health", READ)
HEALTH_DETAILS = Route("health/details", READ)
STATS = Route("stats", READ)
OPENAPI = Route("openapi.json", READ)
DOCS = Route("docs", READ)
ROUTES = (
    *(LIST, SUBMIT, BATCH, RECEIPT, TASK, EDIT, CANCEL, TASK_BY_KEY, RETRY),
    *(OFFER_PHOTO, PHOTO, THUMBNAIL),
    *(NOTICES, RESEND, RESEND_RANGE),
    *(PERSON, PUT_PERSON, DELETE_PERSON),
    *(LETTERS, LETTER, REDRIVE, DISCARD, HEALTH, HEALTH_DETAILS, STATS, OPENAPI, DOCS),
)

MY_TASKS = Route("me", READ)
NEW_TASK = Route("me/new", (*READ, "POST"))
MY_TASK = Route("me/tasks/{id:guid}", (*READ, "POST"))
PAGES = (MY_TASKS, NEW_TASK, MY_TASK)
"""Pages for a person; they are there only where the platform signs people in."""

ANYTHING = "{*path}"
"""The catch-all. Its function's name must sort last: the host tries functions in the order of their names."""

_DASHED = "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_SEGMENTS: Mapping[str, str] = {
    "guid": rf"(?:[0-9a-f]{{32}}|{_DASHED}|\{{{_DASHED}\}}|\({_DASHED}\))",
    "": "[^/]+",
}


def _pattern(template: str) -> str:
    pieces = re.split(r"\{(\w+)(?::(\w+))?\}", template)
    return "".join(
        re.escape(literal) + (_SEGMENTS[constraint or ""] if name else "")
        for literal, name, constraint in zip(pieces[0::3], [*pieces[1::3], ""], [*pieces[2::3], ""], strict=True)
    )


def allowed_methods(path: str, *, signed_in: bool = False) -> tuple[str, ...]:
    """The methods that some route answers at a path below the prefix; none if there is no such route."""
    path = path.removesuffix("/")  # the host ignores one, and no more
    known = (*ROUTES, *PAGES) if signed_in else ROUTES
    fits = [route for route in known if route.matches(path)]
    in_words = [route for route in fits if "{" not in route.template]  # what else fits takes the words for a value
    return tuple(dict.fromkeys(method for route in in_words or fits for method in route.methods))


def receipt_path(receipt: str) -> str:
    """The address of a receipt, from the root of the app."""
    return f"/{PREFIX}/receipts/{receipt}"


def task_path(task_id: str) -> str:
    """The address of a task, from the root of the app."""
    return f"/{PREFIX}/fixits/{task_id}"


def photo_path(task_id: str) -> str:
    """The address of a task's photo, from the root of the app."""
    return f"{task_path(task_id)}/photo"


def thumbnail_path(task_id: str) -> str:
    """The address of the small form of a task's photo, from the root of the app."""
    return f"{task_path(task_id)}/thumbnail"


def page_path(page: Route) -> str:
    """The address of a page that is one and the same for each person, from the root of the app."""
    return f"/{PREFIX}/{page.template}"


def task_page_path(task_id: str) -> str:
    """The address of a task's page, from the root of the app."""
    return f"/{PREFIX}/me/tasks/{task_id}"
