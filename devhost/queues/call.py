"""The call that a queue message makes: what the function gets, and what the log says about it."""

from datetime import datetime

from azure_functions_runtime.bindings.datumdef import Datum

from devhost.functions import Function
from devhost.invocation import Call
from devhost.queues.message import ReceivedMessage
from devhost.queues.trigger_metadata import merge_body, queue_metadata


def call_for_message(function: Function, queue: str, message: ReceivedMessage, body: bytes) -> Call:
    """The call for a received message."""
    return _call(
        function,
        body,
        message,
        reason=f"New queue message detected on '{queue}'.",
        details=f"MessageId: {message.id}, DequeueCount: {message.dequeue_count}, "
        f"InsertedOn: {_shown(message.inserted_at)}",
    )


def call_for_input(function: Function, text: str, reason: str) -> Call:
    """The call for a text that no queue holds: a message without id, receipt or deliveries."""
    message = ReceivedMessage(
        id="", pop_receipt="", dequeue_count=0, text=text, inserted_at=None, expires_at=None, next_visible_at=None
    )
    return _call(function, text.encode(), message, reason=reason, details="")


def _call(function: Function, body: bytes, message: ReceivedMessage, *, reason: str, details: str) -> Call:
    binary = str(function.trigger.properties.get("dataType", "")).lower() == "binary"
    text, refused = None, ""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        if not binary:
            refused = f"Exception binding parameter '{function.trigger.name}': the message is not UTF-8 ({error})"
    metadata = queue_metadata(message, text)
    if text is not None and not binary:
        metadata = merge_body(metadata, text)
    return Call(
        function=function,
        trigger=Datum(body, "bytes") if binary or text is None else Datum(text, "string"),
        reason=reason,
        details=details,
        metadata=metadata,
        refused=refused,
    )


def _shown(instant: datetime | None) -> str:
    return instant.isoformat() if instant else ""
