"""The shapes of tasks: what is told of one that was accepted, read, listed, changed, or sent with others."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from shared.domain.record import State
from shared.domain.task import Task
from shared.web.openapi.models.common import (
    Count,
    Cursor,
    Instant,
    Key,
    Links,
    Overdue,
    Path,
    Problem,
    Shape,
    Step,
    TaskError,
    Uuid,
)
from shared.web.openapi.models.photos import PhotoView
from shared.web.task_requests import BATCH_MAX_TASKS


class Accepted(Shape):
    """A task that was accepted: it is on the queue, and will be settled."""

    id: Uuid
    key: Key
    state: Literal["accepted"]
    accepted_at: Instant
    receipt: str
    links: Links


class Settled(Shape):
    """A task that was accepted, waited for, and is settled."""

    id: Uuid
    key: Key
    state: Literal["succeeded", "failed", "cancelled"]
    accepted_at: Instant
    overdue: Overdue
    steps: list[Step]
    error: TaskError | None
    receipt: str
    links: Links


class Status(Shape):
    """Where an accepted task stands. `accepted`: more cannot be read now."""

    id: Uuid
    state: State | Literal["accepted"]
    accepted_at: Instant
    overdue: Overdue
    steps: list[Step]
    error: TaskError | None
    detail: str | UnsetType = UNSET


class MultipartTask(Shape):
    """A task as text parts, each at most once, and its photo as a file."""

    is_done: Literal["true", "false", ""] = ""
    photo: (
        Annotated[str, Meta(description="A file with a name, 10 MiB at most", extra_json_schema={"format": "binary"})]
        | None
    ) = None


class TaskView(Shape):
    """A task as it is now, with every field, and where it stands. One that was cancelled before it came has empty
    fields, and `submittedAt` null."""

    id: Uuid
    state: State
    overdue: Overdue
    submitted_at: Instant | None
    edited_at: Instant | None
    last_completed_step: str
    steps: list[Step]
    error: TaskError | None
    photo: PhotoView | None


class ListedTask(TaskView):
    """A task, with the version that an edit of it has to name."""

    etag: str


class TaskList(Shape):
    tasks: list[ListedTask]
    cursor: Cursor | None


class TaskPatch(Shape):
    """What is to change of a task; `null` gives a field its default back. No other field changes after submission."""


class TaskLink(Shape):
    task: Path


class Cancelling(Shape):
    """The command to cancel the task is on the queue; its row cannot be set now."""

    id: Uuid
    state: Literal["cancelling"]
    links: TaskLink


class Reopened(Shape):
    """The failed task is queued again."""

    id: Uuid
    state: State
    redrives: Count
    reopened_at: Instant
    links: TaskLink


class BatchItem(Shape):
    """A task with an idempotency key of its own."""

    task: Task
    key: Key | None = None


class Batch(Shape):
    """Tasks to be accepted, each by itself: one that is not right is told in its own result."""

    tasks: Annotated[list[BatchItem], Meta(min_length=1, max_length=BATCH_MAX_TASKS)]


class BatchResult(Shape):
    """What became of one task. 202: `id`, `key`, `receipt` and `links`; else `problem`: what a submit of it alone
    would have answered, or `not_sent`."""

    status: Annotated[int, Meta(ge=202, le=599)]
    key: Key | UnsetType = UNSET
    id: Uuid | UnsetType = UNSET
    receipt: str | UnsetType = UNSET
    links: Links | UnsetType = UNSET
    problem: Problem | UnsetType = UNSET


class BatchResults(Shape):
    """An answer for each task, in their order."""

    results: list[BatchResult]
