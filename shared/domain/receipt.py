"""The receipt: a signed token that proves that a task was accepted, readable without any store.

Form `v1.<payload>.<signature>`, both base64url without padding. Payload: task id (16 bytes), fingerprint (32), time in
microseconds since 1970 (8, big endian). Signature: HMAC-SHA256 over `fixit-receipt.v1.` and the payload's bytes.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from shared.domain.signing import is_signed, signature, to_bytes, to_text

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
    return ".".join((_VERSION, to_text(payload), to_text(signature(_message(payload), keys[0]))))


def verify(token: str, keys: Sequence[bytes]) -> Receipt | None:
    """What the token proves, whichever of the keys signed it; None for anything that we did not sign."""
    version, _, rest = token.partition(".")
    payload_text, _, signature_text = rest.partition(".")
    payload = to_bytes(payload_text)
    if version != _VERSION or len(payload) != _PAYLOAD_BYTES:
        return None
    if not is_signed(_message(payload), to_bytes(signature_text), keys):
        return None
    return Receipt(
        task_id=str(uuid.UUID(bytes=payload[:16])),
        fingerprint=payload[16:48].hex(),
        accepted_at=_EPOCH + timedelta(microseconds=int.from_bytes(payload[48:], "big")),
    )


def _message(payload: bytes) -> bytes:
    return b"fixit-receipt." + _VERSION.encode() + b"." + payload
