"""Callbacks are signed as Standard Webhooks has it: https://www.standardwebhooks.com."""

import base64
import binascii
from collections.abc import Sequence
from datetime import datetime

from shared.domain.errors import SettingsError
from shared.domain.signing import signature

_PREFIX = "whsec_"
_KEY_MIN, _KEY_MAX = 24, 64


def parse_webhook_keys(text: str) -> tuple[bytes, ...]:
    """The keys that FIXIT_CALLBACK_KEYS lists: `whsec_` and base64 of 24 to 64 bytes, separated by commas; maybe none.

    Raises:
        SettingsError: an entry is not one; the text quotes none.
    """
    return tuple(_key(number, part.strip()) for number, part in enumerate(text.split(","), 1) if part.strip())


def _key(number: int, entry: str) -> bytes:
    try:
        key = base64.b64decode(entry.removeprefix(_PREFIX), validate=True) if entry.startswith(_PREFIX) else b""
    except binascii.Error:
        key = b""
    if not _KEY_MIN <= len(key) <= _KEY_MAX:
        raise SettingsError(
            f"FIXIT_CALLBACK_KEYS, entry {number}: must be {_PREFIX} and the base64 of {_KEY_MIN} to {_KEY_MAX} bytes"
        )
    return key


def signed_headers(event_id: str, body: bytes, keys: Sequence[bytes], now: datetime) -> dict[str, str]:
    """The headers that vouch for a body: by every key, so that a receiver may change from one to another.

    The id is the event's in each attempt; the time, and so the signature, is the attempt's.
    """
    timestamp = str(int(now.timestamp()))
    message = b".".join((event_id.encode(), timestamp.encode(), body))
    signatures = (base64.b64encode(signature(message, key)).decode() for key in keys)
    return {
        "webhook-id": event_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{each}" for each in signatures),
    }
