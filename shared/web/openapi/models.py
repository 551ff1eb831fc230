"""The shapes of answers and of bodies other than a task's own, as types from which their JSON Schemas are made."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from shared.domain.lane import Use
from shared.domain.letter import LetterState
from shared.domain.notice import Channel, Kind
from shared.domain.notice_record import NoticeState
from shared.domain.record import State
from shared.domain.task import Task
from shared.domain.text_rules import LINE, QUEUE_NAME, VISIBLE
from shared.services.order import What
from shared.services.photo_uploads import MEDIA_TYPES
from shared.services.photo_view import State as PhotoStateView
from shared.services.resend import What as ResentWhat
from shared.web.letter_requests import BY_MAX, CAUSE_MAX, CODE, IDS_MAX, RATE_MAX, RATE_MIN, REASON_MAX
from shared.web.parameters import CURSOR_MAX, ID_MAX
from shared.web.photo_answers import NAME_MAX
from shared.web.task_requests import BATCH_MAX_TASKS

Uuid = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
Instant = Annotated[str, Meta(extra_json_schema={"format": "date-time"}, description="RFC 3339, UTC")]
Path = Annotated[str, Meta(description="An address, from the root of the app")]
Queue = Annotated[str, Meta(extra_json_schema={"pattern": QUEUE_NAME})]
Code = Annotated[str, Meta(extra_json_schema={"pattern": CODE})]
Key = Annotated[str, Meta(extra_json_schema={"pattern": VISIBLE})]
Overdue = Annotated[bool, Meta(description="It is on its way for longer than it should be")]
Count = Annotated[int, Meta(ge=0)]
Cursor = Annotated[str, Meta(description="Give it back to go on; there may be more, also behind an empty page")]


_ONE_LINE = {"pattern": LINE}


class _Shape(Struct, forbid_unknown_fields=True, rename="camel"):
    pass


class FieldProblem(_Shape):
    """What is wrong with one field, and the way out."""

    field: str
    message: str


class Problem(_Shape):
    """A refusal (RFC 9457). `code` is stable: docs/errors.md lists every one."""

    type: Literal["about:blank"]
    title: str
    status: Annotated[int, Meta(ge=400, le=599)]
    code: Annotated[str, Meta(extra_json_schema={"pattern": "^[a-z_]+$"})]
    detail: str
    errors: Annotated[list[FieldProblem], Meta(description="Each field that breaks a rule")] | UnsetType = UNSET
    id: Annotated[Uuid, Meta(description="Of the task, where the request was not brought to its end")] | UnsetType = (
        UNSET
    )
    key: Annotated[str, Meta(description="The idempotency key to send again with")] | UnsetType = UNSET


class Step(_Shape):
    """One step that was done: which, when, and at which delivery of its message."""

    step: str
    at: Instant
    attempt: Annotated[int, Meta(ge=1)]


class TaskError(_Shape):
    """Why a task failed: a stable code, a sentence, and the step."""

    code: str
    message: str
    step: str


class Links(_Shape):
    receipt: Path
    task: Path


class Accepted(_Shape):
    """A task that was accepted: it is on the queue, and will be settled."""

    id: Uuid
    key: Key
    state: Literal["accepted"]
    accepted_at: Instant
    receipt: str
    links: Links


class Settled(_Shape):
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


class Status(_Shape):
    """Where an accepted task stands. `accepted`: more cannot be read now."""

    id: Uuid
    state: State | Literal["accepted"]
    accepted_at: Instant
    overdue: Overdue
    steps: list[Step]
    error: TaskError | None
    detail: str | UnsetType = UNSET


class Location(_Shape):
    """Where the photo was taken, in decimal degrees, if it says so."""

    latitude: Annotated[float, Meta(ge=-90, le=90)]
    longitude: Annotated[float, Meta(ge=-180, le=180)]


class PhotoPaths(_Shape):
    photo: Path
    thumbnail: Path


class PhotoView(_Shape):
    """How the photo of a task is. `ready`: `links` lead to it. Else `reason` says why not: `waiting` to be looked at,
    `rejected`, `missing` (never uploaded), `taken` by another task, `removed` with a cancelled task."""

    state: PhotoStateView
    code: str
    reason: str
    width: Count
    height: Count
    location: Location | None
    links: PhotoPaths | None


class PhotoWish(_Shape):
    """What is known of a photo that is to be uploaded."""

    name: Annotated[str, Meta(max_length=NAME_MAX, extra_json_schema=_ONE_LINE)] | None = None
    type: Literal[MEDIA_TYPES] | None = None  # type: ignore[valid-type]
    size: Annotated[float, Meta(ge=1, le=10**12, description="Bytes; over 10 MiB is refused")] | None = None


class PhotoUpload(_Shape):
    """The request that uploads the photo: once, to storage itself, with these headers."""

    method: Literal["PUT"]
    url: Annotated[str, Meta(description="A secret: whoever has it may upload")]
    headers: dict[str, str]
    expires_at: Instant
    max_bytes: Count


class PhotoOffer(_Shape):
    """A photo that may be uploaded. Name its `photoId` in a task, submitted until `goodUntil`."""

    photo_id: str
    good_until: Instant
    upload: PhotoUpload
    photo_name: Annotated[str, Meta(description="As it was given, for the task's `photoName`")] | UnsetType = UNSET


class MultipartTask(_Shape):
    """A task as text parts, each at most once, and its photo as a file."""

    is_done: Literal["true", "false", ""] = ""
    photo: (
        Annotated[str, Meta(description="A file with a name, 10 MiB at most", extra_json_schema={"format": "binary"})]
        | None
    ) = None


class TaskView(_Shape):
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


class TaskList(_Shape):
    tasks: list[ListedTask]
    cursor: Cursor | None


class TaskPatch(_Shape):
    """What is to change of a task; `null` gives a field its default back. No other field changes after submission."""


class TaskLink(_Shape):
    task: Path


class Cancelling(_Shape):
    """The command to cancel the task is on the queue; its row cannot be set now."""

    id: Uuid
    state: Literal["cancelling"]
    links: TaskLink


class Reopened(_Shape):
    """The failed task is queued again."""

    id: Uuid
    state: State
    redrives: Count
    reopened_at: Instant
    links: TaskLink


class BatchItem(_Shape):
    """A task with an idempotency key of its own."""

    task: Task
    key: Key | None = None


class Batch(_Shape):
    """Tasks to be accepted, each by itself: one that is not right is told in its own result."""

    tasks: Annotated[list[BatchItem], Meta(min_length=1, max_length=BATCH_MAX_TASKS)]


class BatchResult(_Shape):
    """What became of one task. 202: `id`, `key`, `receipt` and `links`; else `problem`: what a submit of it alone
    would have answered, or `not_sent`."""

    status: Annotated[int, Meta(ge=202, le=599)]
    key: Key | UnsetType = UNSET
    id: Uuid | UnsetType = UNSET
    receipt: str | UnsetType = UNSET
    links: Links | UnsetType = UNSET
    problem: Problem | UnsetType = UNSET


class BatchResults(_Shape):
    """An answer for each task, in their order."""

    results: list[BatchResult]


class Letter(_Shape):
    """A dead letter: what is kept of a message that no delivery could settle."""

    id: str
    queue: str
    lane: str
    class_: str = field(name="class")
    reason: str
    step: str
    task_id: Uuid | None
    dequeue_count: Count
    deferrals: Count
    redrives: Count
    first_seen: Instant
    last_seen: Instant
    count: Count
    state: LetterState
    closed: "Closed | None"


class Closed(_Shape):
    """Who closed a letter, when and why, and until when it is kept."""

    by: str
    at: Instant
    reason: str | None
    kept_until: Instant


class Letters(_Shape):
    letters: list[Letter]
    cursor: Cursor | None


class Cause(_Shape):
    """Letters that ended alike."""

    queue: str
    class_: str = field(name="class")
    step: str
    cause: str
    count: Count
    oldest: Instant
    newest: Instant


class Causes(_Shape):
    causes: list[Cause]
    complete: bool
    cursor: Cursor | None


class TaskState(_Shape):
    state: State
    error: TaskError | None
    path: Path


class LetterDetails(Letter):
    """A dead letter with its text, as text or, where that is not UTF-8, as base64, and where its task stands."""

    text: str | None
    text_base64: str | None
    task: TaskState | None


class Outcome(_Shape):
    """What became of one letter; `code` and `reason` say why not, or what is to be known besides."""

    id: str
    outcome: What
    code: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class CarriedOut(_Shape):
    """What became of the letters so far; with a cursor there are more."""

    dry_run: bool
    seen_before: Instant
    counts: Annotated[dict[str, Count], Meta(description="How many letters had which outcome")]
    letters: list[Outcome]
    cursor: Cursor | None


class LetterChoice(_Shape):
    """Letters in one state that fit all that is given. That is `open`, or for a redrive `discarded`."""

    state: Literal["open", "discarded"] | None = None
    queue: Queue | None = None
    class_: Code | None = field(name="class", default=None)
    step: Code | None = None
    cause: Annotated[str, Meta(max_length=CAUSE_MAX, extra_json_schema=_ONE_LINE)] | None = None
    task: Uuid | None = None
    seen_before: Instant | None = None
    seen_after: Instant | None = None


class Order(_Shape):
    """Which letters, by `ids` or by a `filter` (one of the two), and how."""

    ids: Annotated[list[Annotated[str, Meta(max_length=ID_MAX)]], Meta(min_length=1, max_length=IDS_MAX)] | None = None
    filter: LetterChoice | None = None
    seen_before: Instant | None = None
    max_per_second: Annotated[float, Meta(ge=RATE_MIN, le=RATE_MAX)] | None = None
    dry_run: bool | None = None
    by: Annotated[str, Meta(max_length=BY_MAX, extra_json_schema=_ONE_LINE)] | None = None
    cursor: Annotated[str, Meta(max_length=CURSOR_MAX, extra_json_schema=_ONE_LINE)] | None = None


class Discard(Order, kw_only=True):
    """Which letters, and why they are no longer wanted."""

    reason: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=REASON_MAX,
            extra_json_schema=_ONE_LINE,
            description="One line that holds something to read",
        ),
    ]


class PersonView(_Shape):
    """Somebody in the directory; what is not known is empty."""

    person: str
    name: str
    email: str
    phone: str


class Healthy(_Shape):
    status: Literal["ok"]
    version: str


class PartHealth(_Shape):
    """The settings, or one part of storage: slow takes over 1 s, down does not answer within 3 s, or refuses. Settings
    are down where one is missing or wrong."""

    part: Literal["settings", "queue", "table", "blob"]
    verdict: Literal["ok", "slow", "down"]
    latency_ms: Annotated[float, Meta(ge=0)]
    lane: Annotated[str, Meta(description="Of a queue: which one")] | UnsetType = UNSET
    because: Annotated[str, Meta(description="What is wrong with a part that is down")] | UnsetType = UNSET


class HealthDetails(_Shape):
    """How the settings and each part of storage are; `status` is the worst verdict."""

    status: Literal["ok", "slow", "down"]
    version: str
    parts: list[PartHealth]


class QueueState(_Shape):
    """What waits on one lane, or on a queue behind them (`step`). What could not be read is null; `unreadable` says
    why."""

    lane: str
    use: Use | Literal["step"]
    queue: str
    count: Annotated[Count, Meta(description="About how many messages, hidden ones too")] | None
    visible: (
        Annotated[
            Literal["some", "none"],
            Meta(description="`none`: all there are wait for their time or are being worked on"),
        ]
        | None
    )
    oldest_visible_seconds: (
        Annotated[float, Meta(ge=0, description="Since when the oldest of the first 32 has been under way")] | None
    )
    poison: Annotated[Count, Meta(description="About how many the platform gave up")] | None
    unreadable: str | UnsetType = UNSET


class OpenLetters(_Shape):
    """The open dead letters, counted up to 1,000; null where that could not be read."""

    open: Count | None
    more: bool
    unreadable: str | UnsetType = UNSET


class Stats(_Shape):
    """What waits."""

    at: Instant
    lanes: list[QueueState]
    steps: list[QueueState]
    dead_letters: OpenLetters


class NoticeAttempt(_Shape):
    """One try: when it began, what was answered (a status, or a word), and how long it took."""

    at: Instant
    status: str
    milliseconds: Count


class Notice(_Shape):
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


class Notices(_Shape):
    task: Uuid
    notices: list[Notice]


class ResentCallback(_Shape):
    """`id` is its `webhook-id`, `type` the event that it tells of."""

    id: Uuid
    type: str
    outcome: ResentWhat


class Resent(_Shape):
    task: Uuid
    callbacks: list[ResentCallback]


class ResentOfTask(ResentCallback):
    task: Uuid


class ResendRange(_Shape):
    """The callbacks of tasks that were submitted from one instant up to another, the newest first."""

    from_: Annotated[Instant, Meta(description="Of the first task")] = field(name="from")
    until: Annotated[Instant, Meta(description="Behind the last task; without it until now")] | UnsetType = UNSET
    only: Annotated[Literal["undelivered", "all"], Meta(description="Whether also those that their receiver took")] = (
        "undelivered"
    )
    dry_run: Annotated[bool, Meta(description="Say what would be sent, and send nothing")] = False
    cursor: Annotated[str, Meta(max_length=CURSOR_MAX)] | UnsetType = UNSET


class ResentRange(_Shape):
    """`counts` says how many had which outcome."""

    dry_run: bool
    from_: Instant = field(name="from")
    until: Instant
    counts: dict[str, Count]
    callbacks: list[ResentOfTask]
    cursor: Cursor | None
