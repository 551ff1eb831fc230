"""The cursor: where a long list goes on, signed, and good only for the list that it was made for.

Form `c1.<payload>.<signature>`, both base64url without padding. The payload is a JSON array of texts; the signature is
HMAC-SHA256 over `fixit-cursor.c1.`, the SHA-256 of the list's own text, and the payload as it stands.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Sequence

_VERSION = "c1"


def sign_cursor(place: Sequence[str], *, of: str, keys: Sequence[bytes]) -> str:
    """The cursor for a place in a list, signed with the first key. `of` is a text that tells this list from others."""
    payload = _text(json.dumps(place, separators=(",", ":")).encode())
    return ".".join((_VERSION, payload, _signature(payload, of, keys[0])))


def read_cursor(token: str, *, of: str, keys: Sequence[bytes]) -> tuple[str, ...] | None:
    """The place, whichever key signed it; None for a cursor that we did not sign, or that is of another list."""
    version, _, rest = token.partition(".")
    payload, _, signature = rest.partition(".")
    given = signature.encode(errors="replace")
    if version != _VERSION or not any(
        hmac.compare_digest(given, _signature(payload, of, key).encode()) for key in keys
    ):
        return None
    return tuple(json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))))


def _signature(payload: str, of: str, key: bytes) -> str:
    list_digest = hashlib.sha256(of.encode()).digest()
    message = b"fixit-cursor." + _VERSION.encode() + b"." + list_digest + payload.encode(errors="replace")
    return _text(hmac.digest(key, message, hashlib.sha256))


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")
