"""What the signed tokens have in common: base64url without padding, and HMAC-SHA256 by any of several keys."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence


def to_text(raw: bytes) -> str:
    """Bytes as base64url without padding, safe in a URL."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def to_bytes(text: str) -> bytes:
    """The bytes, or none where the text is not the one canonical form: a token has one spelling."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars="-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
    return raw if to_text(raw) == text else b""


def signature(message: bytes, key: bytes) -> bytes:
    """The HMAC-SHA256 of a message."""
    return hmac.digest(key, message, hashlib.sha256)


def is_signed(message: bytes, given: bytes, keys: Sequence[bytes]) -> bool:
    """Whether one of the keys gives this signature of the message."""
    return any(hmac.compare_digest(given, signature(message, key)) for key in keys)
