"""One received message, and what its text says once decoded."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Encoding = Literal["base64", "none"]

# .NET's Convert.FromBase64String skips these four, and no others.
_BASE64_WHITE_SPACE: Mapping[int, None] = dict.fromkeys(map(ord, " \t\r\n"))


@dataclass(frozen=True, kw_only=True)
class ReceivedMessage:
    """A message under lease. `text` is what is stored; `pop_receipt` the latest one known."""

    id: str
    pop_receipt: str
    dequeue_count: int
    text: str
    inserted_at: datetime | None
    expires_at: datetime | None
    next_visible_at: datetime | None


def decode_text(text: str, encoding: Encoding) -> bytes:
    """The body of a message with this text.

    Raises:
        ValueError: the text is not base64 as .NET reads it: standard alphabet, exact padding, white space ignored.
    """
    if encoding == "none":
        return text.encode()
    try:
        return base64.b64decode(text.translate(_BASE64_WHITE_SPACE), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"not base64: {error}") from None


def encode_body(body: bytes, encoding: Encoding) -> str:
    """The text under which this body is stored; without an encoding, what is not UTF-8 becomes U+FFFD as in .NET."""
    return base64.b64encode(body).decode("ascii") if encoding == "base64" else body.decode(errors="replace")
