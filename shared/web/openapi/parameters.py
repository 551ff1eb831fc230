"""The parameters that several operations have."""

from shared.domain.letter import LetterState
from shared.domain.record import State
from shared.domain.text_rules import LINE, QUEUE_NAME, VISIBLE
from shared.domain.text_rules import PERSON as PERSON_RULE
from shared.web.letter_requests import CAUSE_MAX, CODE
from shared.web.openapi.operation import parameter
from shared.web.openapi.schemas import values
from shared.web.parameters import CURSOR_MAX
from shared.web.prefer import WAIT_MAX_SECONDS
from shared.web.task_requests import BATCH_KEY_MAX

_KEY_RULE = {"type": "string", "pattern": VISIBLE, "minLength": 1, "maxLength": 255}
_CODE_RULE = {"type": "string", "pattern": CODE}
_INSTANT_RULE = {"type": "string", "format": "date-time"}

TASK_ID = parameter("path", "id", "The id of a task", {"type": "string", "format": "uuid"})
RECEIPT = parameter(
    "path", "receipt", "The receipt of a task: whoever holds it may see where the task stands", {"type": "string"}
)
LETTER_ID = parameter("path", "id", "The id of a dead letter, `<queue>~<key>`", {"type": "string"})
PERSON = parameter(
    "path",
    "person",
    "Who it is, as a task's `owner` says it; compared exactly",
    {"type": "string", "minLength": 1, "maxLength": 80, "pattern": PERSON_RULE},
)
BATCH_KEY = parameter(
    "header",
    "Idempotency-Key",
    "The key of the whole batch, from which those of its tasks are made",
    {**_KEY_RULE, "pattern": f"^[!-~]{{1,{BATCH_KEY_MAX}}}$", "maxLength": BATCH_KEY_MAX},
)
NEW_KEY = parameter(
    "header",
    "Idempotency-Key",
    "Makes sending again safe: the same key with the same task is the same task. A UUID is best; where there is none, "
    "the answer says the one that was made",
    _KEY_RULE,
)
KEY = parameter("query", "key", "The idempotency key that the task was submitted with", _KEY_RULE, needed=True)
WAIT = parameter(
    "header",
    "Prefer",
    f"`wait=N` (RFC 7240): answer once there is news, after N seconds at the latest, {WAIT_MAX_SECONDS} at most",
    {"type": "string"},
)
ON_TIMEOUT = parameter(
    "query",
    "onTimeout",
    "`cancel`: a task that is not done within the wait is reversed. It needs `Prefer: wait=N`",
    {"type": "string", "enum": ["cancel"]},
)
IF_MATCH = parameter(
    "header",
    "If-Match",
    "The ETag of the task as it was read: this very version is changed, or none. `*`: whatever the task says; then a "
    "repeat is done over what came meanwhile",
    {"type": "string", "minLength": 1},
    needed=True,
)
IF_NONE_MATCH = parameter(
    "header", "If-None-Match", "The ETag that is known: 304 as long as nothing is new", {"type": "string"}
)
CURSOR = parameter(
    "query",
    "cursor",
    "Where to go on: as an answer to the same question gave it",
    {"type": "string", "minLength": 1, "maxLength": CURSOR_MAX, "pattern": LINE},
)
LIMIT = parameter("query", "limit", "As many at most", {"type": "integer", "minimum": 1, "maximum": 100, "default": 50})
_PERSON_RULE = {"type": "string", "pattern": LINE, "minLength": 1, "maxLength": 80}
TASK_FILTER = (
    parameter("query", "owner", "Who the task is assigned to; case and outer blanks do not count", _PERSON_RULE),
    parameter("query", "createdBy", "Who created it, read in the same way", _PERSON_RULE),
    parameter("query", "state", "Where it stands", {"enum": values(State)}),
)
LETTER_FILTER = (
    parameter("query", "state", "The state of the letters", {"enum": values(LetterState), "default": "open"}),
    parameter("query", "queue", "The queue that the message came from", {"type": "string", "pattern": QUEUE_NAME}),
    parameter("query", "class", "The code of the failure", _CODE_RULE),
    parameter("query", "step", "The step that it failed at", _CODE_RULE),
    parameter(
        "query",
        "cause",
        "The cause, as a group has it",
        {"type": "string", "minLength": 1, "maxLength": CAUSE_MAX, "pattern": LINE},
    ),
    parameter("query", "task", "The id of the task", {"type": "string", "format": "uuid"}),
    parameter("query", "seenBefore", "The message was last met before", _INSTANT_RULE),
    parameter("query", "seenAfter", "The message was last met then or later", _INSTANT_RULE),
)
