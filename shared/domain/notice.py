"""A notice: one thing about a task that one target is told over one channel, and the message that carries it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from shared.domain import identity, instants
from shared.domain.envelope import NOTICE, Envelope
from shared.domain.errors import InvalidTask
from shared.domain.record import Record

Channel = Literal["mail", "sms", "callback", "reply"]
CHANNELS: tuple[Channel, ...] = get_args(Channel)

Kind = Literal["assigned", "state", "settled", "photo_rejected"]
"""`assigned`: to the owner. `state`: every change of state, to a callback. `settled`: to who submitted the task, and on
its reply queue. `photo_rejected`: the task goes on without its photo, to who submitted it."""

KINDS: tuple[Kind, ...] = get_args(Kind)

_WHY_MAX = 2_000
"""Characters of a reason that are told. A filter may give any, and all of it must fit into a message."""


@dataclass(frozen=True, kw_only=True)
class Notice:
    """`to` is an address, a URL or a queue; where `is_person`, somebody whose address the directory knows. `task` is
    what is told of the task (`news_of`): the notice needs no other row."""

    id: str
    task_id: str
    kind: Kind
    channel: Channel
    to: str
    is_person: bool = False
    correlation_id: str = ""
    task: Mapping[str, Any]
    at: datetime

    @property
    def told(self) -> dict[str, Any]:
        """What a callback and a reply hold of the task, with the id that its sender gave to know it by."""
        return {**self.task, **({"correlationId": self.correlation_id} if self.correlation_id else {})}

    @property
    def type(self) -> str:
        """The event that a callback and a reply tell of."""
        return f"fixit.task.{self.kind if self.kind in ('assigned', 'photo_rejected') else self.task['state']}"


def news_of(record: Record) -> dict[str, Any]:
    """What a notice tells of a task: no notes, which may be as large as a message, and nobody's address."""
    return {
        "id": record.id,
        "title": record.task.title,
        "state": record.state,
        "owner": record.task.owner,
        "createdBy": record.task.created_by,
        "submittedAt": instants.to_text(record.submitted_at),
        "isDone": record.task.is_done,
        "error": {"code": record.failure.code, "message": record.failure.message[:_WHY_MAX]}
        if record.failure
        else None,
        "photo": _photo_of(record),
    }


def _photo_of(record: Record) -> dict[str, str] | None:
    if record.photo:
        return {"state": record.photo.state, "code": record.photo.code, "reason": record.photo.reason[:_WHY_MAX]}
    is_awaited = record.task.photo_id and not record.is_settled
    return {"state": "waiting", "code": "", "reason": ""} if is_awaited else None


def assigned_notices(record: Record, edit: str, *, on: frozenset[Channel], now: datetime) -> list[Notice]:
    """Tells the owner that the task is theirs: over each channel of people that is on. `edit`: which one made it so."""
    owner = record.task.owner
    if not owner or record.state in ("failed", "cancelled"):
        return []
    return [
        _notice(record, "assigned", channel, owner, is_person=True, parts=("", "0", edit), now=now)
        for channel in ("mail", "sms")
        if channel in on
    ]


def state_notices(record: Record, *, on: frozenset[Channel], now: datetime) -> list[Notice]:
    """Tells whoever wants to know of the state that the task is in, and of a photo that it goes on without."""
    task, refused, found = record.task, _refused_field(record), []
    counted = (record.state, str(record.redrives), "")
    if record.is_tombstone:
        return []
    if task.callback_url and "callback" in on and refused != "callbackUrl":
        found.append(_notice(record, "state", "callback", task.callback_url, parts=counted, now=now))
    if record.is_settled:
        found += _to_submitter(record, "settled", counted, on, now)
        if task.reply_to and refused != "replyTo":
            found.append(_notice(record, "settled", "reply", task.reply_to, parts=counted, now=now))
    if record.photo and record.photo.state != "ready" and record.state != "cancelled":
        parts = (record.photo.state, "0", "")
        found += _to_submitter(record, "photo_rejected", parts, on, now)
        if task.callback_url and "callback" in on:
            found.append(_notice(record, "photo_rejected", "callback", task.callback_url, parts=parts, now=now))
    return found


def _refused_field(record: Record) -> str:
    """Of a task that failed since it asks to be told where nothing may go: the field that does. Its refusal names it
    first; another dead letter would say the same once more."""
    failure = record.failure
    return failure.message.partition(" ")[0] if failure and failure.code == InvalidTask.code else ""


def _to_submitter(
    record: Record, kind: Kind, parts: tuple[str, ...], on: frozenset[Channel], now: datetime
) -> list[Notice]:
    task, found = record.task, []
    if "mail" in on and (task.contact or task.created_by):
        to, is_person = (task.contact, False) if task.contact else (task.created_by, True)
        found.append(_notice(record, kind, "mail", to, is_person=is_person, parts=parts, now=now))
    if "sms" in on and task.created_by:
        found.append(_notice(record, kind, "sms", task.created_by, is_person=True, parts=parts, now=now))
    return found


def _notice(
    record: Record,
    kind: Kind,
    channel: Channel,
    to: str,
    *,
    is_person: bool = False,
    parts: tuple[str, ...],
    now: datetime,
) -> Notice:
    target = f"person:{to}" if is_person else to
    return Notice(
        id=identity.notice_event_id(record.id, kind, *parts, channel, target),
        task_id=record.id,
        kind=kind,
        channel=channel,
        to=to,
        is_person=is_person,
        correlation_id=record.task.correlation_id,
        task=news_of(record),
        at=now,
    )


def notice_event(notice: Notice, *, caller: str, traceparent: str = "", redrives: int = 0) -> Envelope:
    """The message that carries a notice. `redrives` counts how often it was asked for again."""
    return Envelope(
        id=notice.id,
        type=NOTICE,
        subject=notice.task_id,
        time=notice.at,
        caller=caller,
        data={
            "kind": notice.kind,
            "channel": notice.channel,
            "person" if notice.is_person else "to": notice.to,
            **({"correlationId": notice.correlation_id} if notice.correlation_id else {}),
            "task": dict(notice.task),
            "attempt": 1,
        },
        traceparent=traceparent,
        redrives=redrives,
    )
