"""What the shapes of several subjects are made of, and the shape of a refusal."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from shared.domain.text_rules import LINE, QUEUE_NAME, VISIBLE
from shared.web.letter_requests import CODE

Uuid = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
Instant = Annotated[str, Meta(extra_json_schema={"format": "date-time"}, description="RFC 3339, UTC")]
Path = Annotated[str, Meta(description="An address, from the root of the app")]
Queue = Annotated[str, Meta(extra_json_schema={"pattern": QUEUE_NAME})]
Code = Annotated[str, Meta(extra_json_schema={"pattern": CODE})]
Key = Annotated[str, Meta(extra_json_schema={"pattern": VISIBLE})]
Overdue = Annotated[bool, Meta(description="It is on its way for longer than it should be")]
Count = Annotated[int, Meta(ge=0)]
Cursor = Annotated[str, Meta(description="Give it back to go on; there may be more, also behind an empty page")]
ONE_LINE = {"pattern": LINE}


class Shape(Struct, forbid_unknown_fields=True, rename="camel"):
    """Whatever is not named is not there; names are in camel case."""


class FieldProblem(Shape):
    """What is wrong with one field, and the way out."""

    field: str
    message: str


class Problem(Shape):
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


class Step(Shape):
    """One step that was done: which, when, and at which delivery of its message."""

    step: str
    at: Instant
    attempt: Annotated[int, Meta(ge=1)]


class TaskError(Shape):
    """Why a task failed: a stable code, a sentence, and the step."""

    code: str
    message: str
    step: str


class Links(Shape):
    receipt: Path
    task: Path
