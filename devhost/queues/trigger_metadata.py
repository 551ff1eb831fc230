"""What the host tells a function about a queue message besides its body."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from azure_functions_runtime.bindings.datumdef import Datum

from devhost.queues.message import ReceivedMessage
from devhost.settings.lenient_json import JsonError, parse_json_object

LATEST = "9999-12-31T23:59:59.9999999+00:00"  # DateTimeOffset.MaxValue


def queue_metadata(message: ReceivedMessage, text: str | None) -> dict[str, Datum]:
    """The trigger metadata of a message. `text` is its body where that is text, None otherwise.

    Source: WebJobs storage extension, Triggers/QueueTriggerBinding.cs.
    """
    strings = {"QueueTrigger": text, "Id": message.id or None, "PopReceipt": message.pop_receipt or None}
    return {name: Datum(value, "string") for name, value in strings.items() if value is not None} | {
        "DequeueCount": Datum(str(message.dequeue_count), "json"),
        "ExpirationTime": _time(message.expires_at, LATEST),
        "InsertionTime": _time(message.inserted_at, datetime.now(UTC).isoformat()),
        "NextVisibleTime": _time(message.next_visible_at, LATEST),
    }


def merge_body(metadata: dict[str, Datum], body: str) -> dict[str, Datum]:
    """The metadata with the top-level properties of a JSON object in the body laid over it, ignoring case.

    This is the host's doing and a trap: a body with an `id` or a `dequeueCount` hides the message's own.
    Null and arrays are left out, numbers and booleans become text, objects stay JSON.
    Source: azure-functions-host, Utility.ApplyBindingData, called for string inputs only.
    """
    try:
        parsed = parse_json_object(body)
    except JsonError:
        return metadata
    merged = dict(metadata)
    names = {name.lower(): name for name in merged}
    for name, datum in _properties(parsed.root):
        merged[names.setdefault(name.lower(), name)] = datum
    return merged


def _properties(parsed: dict[str, Any]) -> Iterator[tuple[str, Datum]]:
    for name, value in parsed.items():
        if isinstance(value, dict):
            yield name, Datum(json.dumps(value, separators=(",", ":"), ensure_ascii=False), "json")
        elif value is not None and not isinstance(value, list):
            yield name, Datum(_as_dotnet_text(value), "string")


def _as_dotnet_text(value: str | float | bool) -> str:
    if isinstance(value, float):
        return repr(value).removesuffix(".0").replace("e", "E")
    return str(value)  # True and False are spelled alike


def _time(instant: datetime | None, missing: str) -> Datum:
    return Datum(json.dumps(instant.isoformat() if instant else missing), "json")
