"""The receipt: a signed token that proves that a task was accepted, readable without any store.

Form `v1.<payload>.<signature>`, both base64url without padding. Payload: task id (16 bytes), fingerprint (32), time in
microseconds since 1970 (8, big endian). Signature: HMAC-SHA256 over `fixit-receipt.v1.` and the payload's bytes.
"""

import base64
import binascii
import hashlib
import hmac
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_VERSION = "v1"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PAYLOAD_BYTES = 16 + 32 + 8


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What was accepted: which task, which content (a fingerprint in hex), when (UTC, microseconds)."""

    task_id: str
    fingerprint: str
    accepted_at: datetime


def sign(receipt: Receipt, keys: Sequence[bytes]) -> str:
    """The token, signed with the first key; 122 characters, safe in a URL."""
    microseconds = (receipt.accepted_at - _EPOCH) // timedelta(microseconds=1)
    payload = uuid.UUID(receipt.task_id).bytes + bytes.fromhex(receipt.fingerprint) + microseconds.to_bytes(8, "big")
    return ".".join((_VERSION, _text(payload), _text(_signature(payload, keys[0]))))


def verify(token: str, keys: Sequence[bytes]) -> Receipt | None:
    """What the token proves, whichever of the keys signed it; None for anything that we did not sign."""
    version, _, rest = token.partition(".")
    payload_text, _, signature_text = rest.partition(".")
    payload, signature = _bytes(payload_text), _bytes(signature_text)
    if version != _VERSION or len(payload) != _PAYLOAD_BYTES:
        return None
    if not any(hmac.compare_digest(signature, _signature(payload, key)) for key in keys):
        return None
    return Receipt(
        task_id=str(uuid.UUID(bytes=payload[:16])),
        fingerprint=payload[16:48].hex(),
        accepted_at=_EPOCH + timedelta(microseconds=int.from_bytes(payload[48:], "big")),
    )


def _signature(payload: bytes, key: bytes) -> bytes:
    return hmac.digest(key, b"fixit-receipt." + _VERSION.encode() + b"." + payload, hashlib.sha256)


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _bytes(text: str) -> bytes:
    """The bytes, or none where the text is not the one canonical form: a receipt has one spelling."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars="-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
    return raw if _text(raw) == text else b""
