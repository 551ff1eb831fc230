"""The photo id that a client is given and its task names: a signed token for one blob, bound to who asked for it.

Form `p1.<payload>.<signature>`, both base64url without padding. Payload: the photo (16 bytes), when it was given, in
microseconds since 1970 (8, big endian), the digest of the caller (8). Signature: HMAC-SHA256 over `fixit-photo.p1.` and
the payload's bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from shared.domain.identity import caller_digest
from shared.domain.signing import is_signed, signature, to_bytes, to_text

GOOD_FOR = timedelta(days=1)
"""A task that names it must be submitted within this time."""

_VERSION = "p1"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PAYLOAD_BYTES = 16 + 8 + 8


@dataclass(frozen=True, kw_only=True)
class PhotoId:
    """`photo` names the blob (32 hex digits), `given_at` says when (UTC), `caller_digest` to whom."""

    photo: str
    given_at: datetime
    caller_digest: bytes

    def is_for(self, caller: str, *, at: datetime) -> bool:
        """Whether a task that this caller submitted then may name it."""
        return self.caller_digest == caller_digest(caller) and at - self.given_at <= GOOD_FOR


def sign_photo_id(photo: str, caller: str, *, now: datetime, keys: Sequence[bytes]) -> str:
    """The token for a photo, signed with the first key; 90 characters, safe in a URL."""
    microseconds = (now - _EPOCH) // timedelta(microseconds=1)
    payload = bytes.fromhex(photo) + microseconds.to_bytes(8, "big") + caller_digest(caller)
    return ".".join((_VERSION, to_text(payload), to_text(signature(_message(payload), keys[0]))))


def verify_photo_id(token: str, keys: Sequence[bytes]) -> PhotoId | None:
    """What the token says, whichever of the keys signed it; None for anything that we did not sign."""
    payload = _payload(token)
    if not payload or not is_signed(_message(payload), to_bytes(token.rpartition(".")[2]), keys):
        return None
    return PhotoId(
        photo=payload[:16].hex(),
        given_at=_EPOCH + timedelta(microseconds=int.from_bytes(payload[16:24], "big")),
        caller_digest=payload[24:],
    )


def photo_of(token: str) -> str:
    """The photo that a token names, whoever signed it; of what is no token nothing."""
    return _payload(token)[:16].hex()


def _payload(token: str) -> bytes:
    version, _, rest = token.partition(".")
    payload = to_bytes(rest.partition(".")[0])
    return payload if version == _VERSION and len(payload) == _PAYLOAD_BYTES else b""


def _message(payload: bytes) -> bytes:
    return f"fixit-photo.{_VERSION}.".encode() + payload
