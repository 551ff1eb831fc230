"""Colours as a JPEG keeps them."""

from collections.abc import Sequence


def near(seen: float | Sequence[float] | None, meant: Sequence[float], *, by: int = 6) -> bool:
    """Whether each channel differs by at most `by`."""
    assert isinstance(seen, Sequence)
    return len(seen) == len(meant) and all(abs(a - b) <= by for a, b in zip(seen, meant, strict=True))
