"""The receipt: a signed token that proves that a task was accepted, readable without any store.

Form `v2.<payload>.<signature>`, both base64url without padding. Payload: task id (16 bytes), fingerprint (32), time in
microseconds since 1970 (8, big endian), the digest of who submitted it (8). Signature: HMAC-SHA256 over
`fixit-receipt.v2.` and the payload's bytes.

`v1`, of which there are receipts still about, ends before that digest: its tasks are those of services with a key.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from shared.domain.identity import KEY_CALLER, caller_digest
from shared.domain.signing import is_signed, signature, to_bytes, to_text

_VERSION, _OLD_VERSION = "v2", "v1"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OLD_PAYLOAD_BYTES = 16 + 32 + 8
_PAYLOAD_BYTES = {_VERSION: _OLD_PAYLOAD_BYTES + 8, _OLD_VERSION: _OLD_PAYLOAD_BYTES}


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What was accepted: which task, which content (a fingerprint in hex), when (UTC, microseconds), whose it is (a
    digest of the caller, as `identity.caller_digest` makes it)."""

    task_id: str
    fingerprint: str
    accepted_at: datetime
    caller_digest: bytes


def sign(receipt: Receipt, keys: Sequence[bytes]) -> str:
    """The token, signed with the first key; 133 characters, safe in a URL."""
    microseconds = (receipt.accepted_at - _EPOCH) // timedelta(microseconds=1)
    payload = b"".join(
        (
            uuid.UUID(receipt.task_id).bytes,
            bytes.fromhex(receipt.fingerprint),
            microseconds.to_bytes(8, "big"),
            receipt.caller_digest,
        )
    )
    return ".".join((_VERSION, to_text(payload), to_text(signature(_message(_VERSION, payload), keys[0]))))


def verify(token: str, keys: Sequence[bytes]) -> Receipt | None:
    """What the token proves, whichever of the keys signed it; None for anything that we did not sign."""
    version, _, rest = token.partition(".")
    payload_text, _, signature_text = rest.partition(".")
    payload = to_bytes(payload_text)
    if len(payload) != _PAYLOAD_BYTES.get(version):
        return None
    if not is_signed(_message(version, payload), to_bytes(signature_text), keys):
        return None
    return Receipt(
        task_id=str(uuid.UUID(bytes=payload[:16])),
        fingerprint=payload[16:48].hex(),
        accepted_at=_EPOCH + timedelta(microseconds=int.from_bytes(payload[48:56], "big")),
        caller_digest=payload[56:] or caller_digest(KEY_CALLER),
    )


def _message(version: str, payload: bytes) -> bytes:
    return f"fixit-receipt.{version}.".encode() + payload
