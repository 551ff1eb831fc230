"""The shapes of dead letters, and of what operators have done with them."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from shared.domain.letter import LetterState
from shared.domain.record import State
from shared.services.order import What
from shared.web.letter_requests import BY_MAX, CAUSE_MAX, IDS_MAX, RATE_MAX, RATE_MIN, REASON_MAX
from shared.web.openapi.models.common import ONE_LINE, Code, Count, Cursor, Instant, Path, Queue, Shape, TaskError, Uuid
from shared.web.parameters import CURSOR_MAX, ID_MAX


class Letter(Shape):
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


class Closed(Shape):
    """Who closed a letter, when and why, and until when it is kept."""

    by: str
    at: Instant
    reason: str | None
    kept_until: Instant


class Letters(Shape):
    letters: list[Letter]
    cursor: Cursor | None


class Cause(Shape):
    """Letters that ended alike."""

    queue: str
    class_: str = field(name="class")
    step: str
    cause: str
    count: Count
    oldest: Instant
    newest: Instant


class Causes(Shape):
    causes: list[Cause]
    complete: bool
    cursor: Cursor | None


class TaskState(Shape):
    state: State
    error: TaskError | None
    path: Path


class LetterDetails(Letter):
    """A dead letter with its text, as text or, where that is not UTF-8, as base64, and where its task stands."""

    text: str | None
    text_base64: str | None
    task: TaskState | None


class Outcome(Shape):
    """What became of one letter; `code` and `reason` say why not, or what is to be known besides."""

    id: str
    outcome: What
    code: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class CarriedOut(Shape):
    """What became of the letters so far; with a cursor there are more."""

    dry_run: bool
    seen_before: Instant
    counts: Annotated[dict[str, Count], Meta(description="How many letters had which outcome")]
    letters: list[Outcome]
    cursor: Cursor | None


class LetterChoice(Shape):
    """Letters in one state that fit all that is given. That is `open`, or for a redrive `discarded`."""

    state: Literal["open", "discarded"] | None = None
    queue: Queue | None = None
    class_: Code | None = field(name="class", default=None)
    step: Code | None = None
    cause: Annotated[str, Meta(max_length=CAUSE_MAX, extra_json_schema=ONE_LINE)] | None = None
    task: Uuid | None = None
    seen_before: Instant | None = None
    seen_after: Instant | None = None


class Order(Shape):
    """Which letters, by `ids` or by a `filter` (one of the two), and how."""

    ids: Annotated[list[Annotated[str, Meta(max_length=ID_MAX)]], Meta(min_length=1, max_length=IDS_MAX)] | None = None
    filter: LetterChoice | None = None
    seen_before: Instant | None = None
    max_per_second: Annotated[float, Meta(ge=RATE_MIN, le=RATE_MAX)] | None = None
    dry_run: bool | None = None
    by: Annotated[str, Meta(max_length=BY_MAX, extra_json_schema=ONE_LINE)] | None = None
    cursor: Annotated[str, Meta(max_length=CURSOR_MAX, extra_json_schema=ONE_LINE)] | None = None


class Discard(Order, kw_only=True):
    """Which letters, and why they are no longer wanted."""

    reason: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=REASON_MAX,
            extra_json_schema=ONE_LINE,
            description="One line that holds something to read",
        ),
    ]
