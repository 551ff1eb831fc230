"""White space as .NET sees it; Python's `str.strip` also takes the separators U+001C to U+001F."""

WHITE_SPACE = (
    "".join(map(chr, (*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B))))
    + "\u2028\u2029\u202f\u205f\u3000"
)


def trim(text: str) -> str:
    """The text without white space at its ends, as `String.Trim` leaves it."""
    return text.strip(WHITE_SPACE)
