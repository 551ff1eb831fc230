"""What a message text says, whatever it is: read once, without deciding what to do about it."""

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shared.domain.delivery import Delivery
from shared.domain.envelope import Envelope, decode_object, is_envelope, read_envelope
from shared.domain.errors import HopelessMessage

_PER_COPY = frozenset({"deferrals", "redrives", "reopenedat", "time", "traceparent"})
"""Attributes in which copies of one event may differ."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    """The reading of one text.

    `key` names it among dead letters: its event id, or the SHA-256 of a text without one. `digest` is the SHA-256 of
    what it says, alike for every copy of one event; of the text itself where it is none that can be read. It is an
    `envelope`, or the `fields` of a bare task, or `hopeless`.
    """

    key: str
    digest: str
    envelope: Envelope | None = None
    fields: Mapping[str, Any] | None = None
    hopeless: HopelessMessage | None = None


def read_contents(delivery: Delivery) -> Contents:
    """The reading of a delivery's text; never raises."""
    try:
        message = decode_object(delivery.text)
    except HopelessMessage as error:
        return Contents(key=delivery.digest, digest=delivery.digest, hopeless=error)
    if not is_envelope(message):
        return Contents(key=delivery.digest, digest=delivery.digest, fields=message)
    key = _event_id(message) or delivery.digest
    try:
        return Contents(key=key, digest=_digest(message), envelope=read_envelope(message))
    except HopelessMessage as error:
        return Contents(key=key, digest=delivery.digest, hopeless=error)


def _event_id(event: Mapping[str, Any]) -> str:
    try:
        return str(uuid.UUID(event["id"]))
    except (KeyError, ValueError, AttributeError, TypeError):
        return ""


def _digest(event: Mapping[str, Any]) -> str:
    lasting = {name: value for name, value in event.items() if name not in _PER_COPY}
    if isinstance(lasting.get("data"), dict):
        lasting["data"] = {name: value for name, value in lasting["data"].items() if name != "attempt"}
    return hashlib.sha256(json.dumps(lasting, sort_keys=True).encode()).hexdigest()
