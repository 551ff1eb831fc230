"""Which of the media types that an answer can be of the client takes (RFC 9110, 12.5.1)."""

import re
from collections.abc import Sequence

from shared.domain.errors import NotAcceptable

JSON = "application/json"
HTML = "text/html"
IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
"""What a photo can be shown as."""

_HEADER_MAX = 2_000
_WEIGHT = re.compile(r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?")


def choose(header: str | None, offered: Sequence[str]) -> str:
    """The offered type that an `Accept` header likes best, the first of equals; the first of all without a header.

    Raises:
        NotAcceptable: it takes none of them.
    """
    if not (header or "").strip():
        return offered[0]
    ranges = _ranges((header or "")[:_HEADER_MAX])
    best = max(offered, key=lambda media: _quality(media, ranges))  # max gives the first of equals
    if _quality(best, ranges) == 0:
        raise NotAcceptable(f"This can be had as {' or '.join(offered)}; the Accept header takes none of it.")
    return best


def _ranges(header: str) -> dict[str, float]:
    """How much each media range is liked; what cannot be understood is not liked."""
    found = {}
    for part in header.split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        weight = next((value[2:].strip() for value in parameters if value.startswith("q=")), "1")
        found[name] = float(weight) if _WEIGHT.fullmatch(weight) else 0.0
    return found


def _quality(media: str, ranges: dict[str, float]) -> float:
    """By the most specific range that fits."""
    kind = media.partition("/")[0]
    return next((ranges[name] for name in (media, f"{kind}/*", "*/*") if name in ranges), 0.0)
