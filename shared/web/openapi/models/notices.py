"""The shapes of notices, and of callbacks that are made again."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from shared.domain.notice import Channel, Kind
from shared.domain.notice_record import NoticeState
from shared.domain.record import State
from shared.services.resend import What
from shared.web.openapi.models.common import Code, Count, Cursor, Instant, Shape, Uuid
from shared.web.parameters import CURSOR_MAX


class NoticeAttempt(Shape):
    """One try: when it began, what was answered (a status, or a word), and how long it took."""

    at: Instant
    status: str
    milliseconds: Count


class Notice(Shape):
    """One thing that one target was to be told over one channel. `taskState` is what the task was in."""

    id: Annotated[Uuid, Meta(description="Of a callback its `webhook-id`")]
    kind: Kind
    channel: Channel
    task_state: State
    state: NoticeState
    changed_at: Instant
    code: Code | None
    reason: str | None
    attempts: list[NoticeAttempt]


class Notices(Shape):
    task: Uuid
    notices: list[Notice]


class ResentCallback(Shape):
    """`id` is its `webhook-id`, `type` the event that it tells of."""

    id: Uuid
    type: str
    outcome: What


class Resent(Shape):
    task: Uuid
    callbacks: list[ResentCallback]


class ResentOfTask(ResentCallback):
    task: Uuid


class ResendRange(Shape):
    """The callbacks of tasks that were submitted from one instant up to another, the newest first."""

    from_: Annotated[Instant, Meta(description="Of the first task")] = field(name="from")
    until: Annotated[Instant, Meta(description="Behind the last task; without it until now")] | UnsetType = UNSET
    only: Annotated[Literal["undelivered", "all"], Meta(description="Whether also those that their receiver took")] = (
        "undelivered"
    )
    dry_run: Annotated[bool, Meta(description="Say what would be sent, and send nothing")] = False
    cursor: Annotated[str, Meta(max_length=CURSOR_MAX)] | UnsetType = UNSET


class ResentRange(Shape):
    """`counts` says how many had which outcome."""

    dry_run: bool
    from_: Instant = field(name="from")
    until: Instant
    counts: dict[str, Count]
    callbacks: list[ResentOfTask]
    cursor: Cursor | None
