"""Reading the message of a notice. Any producer may have put it: what no channel could tell is refused here."""

import json
from collections.abc import Mapping
from typing import Any, get_args

from shared.domain.envelope import MALFORMED, Envelope
from shared.domain.errors import HopelessMessage
from shared.domain.notice import CHANNELS, KINDS, Channel, Kind, Notice
from shared.domain.record import SETTLED, State

DATA_MAX = 24 * 1024
"""Bytes of a notice's data as JSON: more than the app's own ever have, and what fits in every message that is made of
it (the next try, the answer on a queue) with room to spare."""

_TARGET_MAX, _CORRELATION_MAX = 2_000, 255

_CHANNELS_OF: Mapping[Kind, tuple[Channel, ...]] = {
    "assigned": ("mail", "sms"),
    "state": ("callback",),
    "settled": ("mail", "sms", "reply"),
    "photo_rejected": ("mail", "sms", "callback"),
}
_OF_PEOPLE: tuple[Channel, ...] = ("mail", "sms")
"""The channels whose targets the directory knows."""


def read_notice(event: Envelope) -> Notice:
    """The notice that a message carries. Whether its target may be used is asked where it is told.

    Raises:
        HopelessMessage: its data is not right; the reason names the field.
    """
    data = event.data
    _expect(_size(data) <= DATA_MAX, f"data must be whole characters, and at most {DATA_MAX:,} bytes as JSON")
    kind = _one_of("kind", data, KINDS)
    channel = _one_of("channel", data, CHANNELS)
    _expect(channel in _CHANNELS_OF[kind], f"channel must be one of {', '.join(_CHANNELS_OF[kind])} for its kind")
    is_person = "person" in data
    _expect(not is_person or channel in _OF_PEOPLE, f"person must be there for {' and '.join(_OF_PEOPLE)} alone")
    return Notice(
        id=event.id,
        task_id=event.subject,
        kind=kind,
        channel=channel,
        to=_text("person" if is_person else "to", data, low=1, high=_TARGET_MAX),
        is_person=is_person,
        correlation_id=_text("correlationId", data, low=0, high=_CORRELATION_MAX),
        task=_news(data, kind),
        at=event.time,
    )


def _news(data: Mapping[str, Any], kind: Kind) -> Mapping[str, Any]:
    """What is told of the task. A newer version may tell more."""
    task = data.get("task")
    if not isinstance(task, dict):
        raise _wrong("task must be an object: what is told of the task")
    _one_of("state", task, tuple(SETTLED) if kind == "settled" else get_args(State))
    for name in ("error", "photo"):
        _expect(isinstance(task.get(name) or {}, dict), f"{name} must be an object, or null")
    return task


def _one_of(name: str, data: Mapping[str, Any], choices: tuple[Any, ...]) -> Any:
    value = data.get(name)
    _expect(isinstance(value, str) and value in choices, f"{name} must be one of {', '.join(sorted(choices))}")
    return value


def _text(name: str, data: Mapping[str, Any], *, low: int, high: int) -> str:
    value = data.get(name, "")
    if not isinstance(value, str) or not low <= len(value) <= high:
        raise _wrong(f"{name} must be a text of {low} to {high:,} characters")
    return value


def _size(data: Mapping[str, Any]) -> float:
    """Bytes of the data as JSON; without end for what has no UTF-8 form."""
    try:
        return len(json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode())
    except UnicodeEncodeError:
        return float("inf")


def _expect(is_right: bool, rule: str) -> None:
    if not is_right:
        raise _wrong(rule)


def _wrong(rule: str) -> HopelessMessage:
    return HopelessMessage(f"the notice's {rule}", code=MALFORMED)
