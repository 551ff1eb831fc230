"""The cursor: where a long list goes on, signed, and good only for the list that it was made for.

Form `c1.<payload>.<signature>`, both base64url without padding. The payload is a JSON array of texts; the signature is
HMAC-SHA256 over `fixit-cursor.c1.`, the SHA-256 of the list's own text, and the payload as it stands.
"""

import hashlib
import json
from collections.abc import Sequence

from shared.domain.errors import InvalidRequest
from shared.domain.signing import is_signed, signature, to_bytes, to_text

_VERSION = "c1"


def sign_cursor(place: Sequence[str], *, of: str, keys: Sequence[bytes]) -> str:
    """The cursor for a place in a list, signed with the first key. `of` is a text that tells this list from others."""
    payload = to_text(json.dumps(place, separators=(",", ":")).encode())
    return ".".join((_VERSION, payload, to_text(signature(_message(payload, of), keys[0]))))


def read_cursor(token: str, *, of: str, keys: Sequence[bytes]) -> tuple[str, ...] | None:
    """The place, whichever key signed it; None for a cursor that we did not sign, or that is of another list."""
    version, _, rest = token.partition(".")
    payload, _, given = rest.partition(".")
    if version != _VERSION or not is_signed(_message(payload, of), to_bytes(given), keys):
        return None
    return tuple(json.loads(to_bytes(payload)))


def place_of(token: str, *, of: str, keys: Sequence[bytes]) -> tuple[str, ...]:
    """As `read_cursor`, for whoever sent it: InvalidRequest where that gives none."""
    place = read_cursor(token, of=of, keys=keys)
    if place is None:
        raise InvalidRequest(
            "The cursor is not one of this list. Send it with exactly what it was given for.", code="invalid_cursor"
        )
    return place


def _message(payload: str, of: str) -> bytes:
    list_digest = hashlib.sha256(of.encode()).digest()
    return b"fixit-cursor." + _VERSION.encode() + b"." + list_digest + payload.encode(errors="replace")
