"""The queue message: a CloudEvents 1.0 JSON event, UTF-8, sent as base64 text (docs/envelope.schema.json)."""

import base64
import json
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from shared.domain import instants
from shared.domain.errors import HopelessMessage, TaskTooLarge
from shared.domain.strict_json import parse_json

SUBMITTED = "fixit.task.submitted.v1"
CANCELLED = "fixit.task.cancelled.v1"
REASSIGNED = "fixit.task.reassigned.v1"
NOTICE = "fixit.notice.v1"
TYPES = frozenset({SUBMITTED, CANCELLED, REASSIGNED, NOTICE})
"""Event types that this version reads besides those of steps. Each is at its first version, so there is none before it
to read too."""

_STEP = re.compile(r"fixit\.(?!notice\.)([a-z][a-z0-9-]{0,30})\.v1")

SOURCE = "/fixit"
MAX_BYTES = 47 * 1024
"""Before base64, at submit: what the service takes less a KiB, so that counters have room to grow."""

SERVICE_MAX_BYTES = 48 * 1024
"""What the 64 KiB of text of one message hold before base64
(https://learn.microsoft.com/rest/api/storageservices/put-message)."""

COUNT_MAX = 2**31 - 1

MALFORMED = "malformed_message"
UNKNOWN_TYPE = "unknown_type"

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """One event about one task.

    `id` is constant across every copy of the event, `subject` is the task's id, `time` when the event was made (UTC),
    `caller` who submitted (cancelled, edited) the task, `deferrals` how often it was put back for an outage, `redrives`
    the row's counter when it was sent, `reopened_at` when the task was last reopened, `data` the task or the step's own
    input.
    """

    id: str
    type: str
    subject: str
    time: datetime
    caller: str
    data: Mapping[str, Any]
    traceparent: str = ""
    deferrals: int = 0
    redrives: int = 0
    reopened_at: datetime | None = None
    source: str = SOURCE

    @property
    def step(self) -> str:
        """The step of the pipeline that the event is for, whether or not there is one of that name; else nothing."""
        return step_of(self.type)

    @property
    def attempt(self) -> int:
        """Which try of a step's own schedule this is, from 1: outages do not count in it."""
        attempt = self.data.get("attempt", 1)
        return attempt if type(attempt) is int and 1 <= attempt <= COUNT_MAX else 1

    @property
    def under_way_since(self) -> datetime:
        """When its task was submitted, or last reopened."""
        return self.reopened_at or self.time


def step_type(step: str) -> str:
    """The event type of a step of the pipeline."""
    return f"fixit.{step}.v1"


def step_of(kind: str) -> str:
    """The step that an event type is for; nothing for any other type."""
    found = _STEP.fullmatch(kind)
    return found[1] if found else ""


def encode(envelope: Envelope, *, limit: int = MAX_BYTES) -> str:
    """The message text: base64 of the event's JSON.

    Raises:
        TaskTooLarge: the JSON has more bytes than the limit.
    """
    event = {
        "specversion": "1.0",
        "id": envelope.id,
        "source": envelope.source,
        "type": envelope.type,
        "subject": envelope.subject,
        "time": instants.to_text(envelope.time),
        "datacontenttype": "application/json",
        **({"traceparent": envelope.traceparent} if envelope.traceparent else {}),
        "caller": envelope.caller,
        "deferrals": envelope.deferrals,
        "redrives": envelope.redrives,
        **({"reopenedat": instants.to_text(envelope.reopened_at)} if envelope.reopened_at else {}),
        "data": envelope.data,
    }
    body = _compact(event)
    if len(body) > limit:
        raise TaskTooLarge(
            f"The task needs {len(body):,} bytes as a message; at most {limit:,} fit. Shorten the notes."
        )
    return base64.b64encode(body).decode("ascii")


def with_next_attempt(event: Envelope) -> Envelope:
    """The same event, to be tried once more by its step's own schedule: outages before it count no more."""
    return replace(event, data={**event.data, "attempt": min(event.attempt + 1, COUNT_MAX)}, deferrals=0)


def deferred(text: str) -> str:
    """The text to send when a message is deferred: the same event with one deferral more, whatever else it carries.

    What is no event, would no longer fit, or holds half a character (which has no UTF-8 form), comes back as the
    identical text.
    """

    def count(event: Mapping[str, Any]) -> dict[str, Any]:
        deferrals = event.get("deferrals", 0)
        return {"deferrals": min(deferrals + 1, COUNT_MAX)} if type(deferrals) is int else {}

    return _changed(text, count)


def reopened(text: str, *, redrives: int, at: datetime) -> str:
    """The text to send when a message is redriven: the same event with a new counter, and no deferrals yet.

    An event that cannot be read, and what is none, goes as the identical text.
    """

    def count(event: Mapping[str, Any]) -> dict[str, Any]:
        data = read_envelope(event).data
        afresh = {"data": {**data, "attempt": 1}} if "attempt" in data else {}
        return {"deferrals": 0, "redrives": redrives, "reopenedat": instants.to_text(at), **afresh}

    return _changed(text, count)


def _changed(text: str, changes: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> str:
    try:
        event = decode_object(text)
        change = changes(event) if is_envelope(event) else {}
        if not change:
            return text
        body = _compact({**event, **change})
    except (HopelessMessage, UnicodeEncodeError):
        return text
    return base64.b64encode(body).decode("ascii") if len(body) <= SERVICE_MAX_BYTES else text


def _compact(event: Mapping[str, Any]) -> bytes:
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()


def decode_object(text: str) -> dict[str, Any]:
    """The JSON object that a message text holds: as it is, or as strict base64 of one.

    Raises:
        HopelessMessage: neither; the reason says what was found, and quotes no more of it than a key or a number.
    """
    if text.lstrip(" \t\r\n").startswith("{"):
        return _object(text)
    try:
        return _object(base64.b64decode(text, validate=True).decode())
    except UnicodeDecodeError:
        raise HopelessMessage("the text is base64, but its content is not UTF-8 JSON", code=MALFORMED) from None
    except ValueError:  # bad padding or alphabet; characters beyond ASCII
        raise HopelessMessage("the text is neither a JSON object nor base64 of one", code=MALFORMED) from None


def _object(text: str) -> dict[str, Any]:
    try:
        value = parse_json(text)
    except ValueError as error:
        raise HopelessMessage(f"the message cannot be read: {error}"[:500], code=MALFORMED) from None
    if not isinstance(value, dict):
        raise HopelessMessage("the message is JSON, but not an object", code=MALFORMED)
    return value


def is_envelope(message: Mapping[str, Any]) -> bool:
    """Whether a decoded message claims to be an event; without `specversion` it is a bare task."""
    return "specversion" in message


def read_envelope(message: Mapping[str, Any]) -> Envelope:
    """The event of a decoded message.

    Raises:
        HopelessMessage: an attribute is missing or out of its limits, or the type is not known; the reason names it.
    """
    attributes = _Attributes(message)
    attributes.expect("specversion", "1.0")
    kind = attributes.text("type", limit=200)
    envelope = Envelope(
        id=attributes.uuid("id"),
        type=kind,
        subject=attributes.uuid("subject"),
        time=attributes.instant("time"),
        caller=attributes.text("caller", limit=255),
        data=attributes.object("data"),
        traceparent=attributes.traceparent("traceparent"),
        deferrals=attributes.count("deferrals"),
        redrives=attributes.count("redrives"),
        reopened_at=attributes.instant("reopenedat") if "reopenedat" in message else None,
        source=attributes.text("source", limit=2_000),
    )
    if kind not in TYPES and not envelope.step:
        raise HopelessMessage(f"the event type {kind[:80]!r} is not known to this version", code=UNKNOWN_TYPE)
    return envelope


class _Attributes:
    """Reads one event's attributes, each with its own limit."""

    def __init__(self, message: Mapping[str, Any]) -> None:
        self._message = message

    def expect(self, name: str, value: str) -> None:
        if self._message.get(name) != value:
            raise self._wrong(name, f"must be {value!r}")

    def text(self, name: str, *, limit: int) -> str:
        value = self._message.get(name)
        if not isinstance(value, str) or not 1 <= len(value) <= limit or not value.isprintable():
            raise self._wrong(name, f"must be a text of 1 to {limit:,} printable characters")
        return value

    def uuid(self, name: str) -> str:
        value = self._message.get(name)
        try:
            if isinstance(value, str) and str(uuid.UUID(value)) == value:
                return value
        except ValueError:
            pass
        raise self._wrong(name, "must be a UUID in lower case with dashes")

    def instant(self, name: str) -> datetime:
        value = self._message.get(name)
        try:
            if isinstance(value, str) and 2000 <= (instant := instants.from_text(value)).year <= 9998:
                return instant
        except (ValueError, OverflowError):
            pass
        raise self._wrong(name, "must be an RFC 3339 instant with an offset, of the year 2000 or later")

    def count(self, name: str) -> int:
        value = self._message.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= COUNT_MAX:
            raise self._wrong(name, f"must be a count from 0 to {COUNT_MAX:,}")
        return value

    def object(self, name: str) -> dict[str, Any]:
        value = self._message.get(name)
        if not isinstance(value, dict):
            raise self._wrong(name, "must be an object")
        return value

    def traceparent(self, name: str) -> str:
        # A broken trace context costs the trace, never the task (https://www.w3.org/TR/trace-context/#traceparent-header).
        value = self._message.get(name)
        return clean_traceparent(value if isinstance(value, str) else "")

    @staticmethod
    def _wrong(name: str, rule: str) -> HopelessMessage:
        return HopelessMessage(f"the event's {name} {rule}", code=MALFORMED)


def clean_traceparent(value: str) -> str:
    """The W3C `traceparent` if it is a legal one, else nothing."""
    return value if _TRACEPARENT.fullmatch(value) else ""
