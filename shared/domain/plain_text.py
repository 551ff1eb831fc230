"""Text that somebody else wrote, made fit for a line or a letter, and shortened without breaking a character."""

import unicodedata
from collections.abc import Callable

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They turn the direction of what follows, which may be our own words."""

_LINES = frozenset("\u2028\u2029")
_ZWJ = "\u200d"


def clean(text: str) -> str:
    """The text with line feeds and tabs, and blanks for every other control or direction character."""
    return "".join(map(_cleaned, text.replace("\r\n", "\n").replace("\r", "\n")))


def one_line(text: str) -> str:
    """The text as one line: whatever ends a line or is none of its characters is a blank, and blanks are one."""
    return " ".join(clean(text).split())


def shorten(text: str, limit: int, *, size: Callable[[str], int] = len, end: str = "…") -> str:
    """The text if its size is within the limit, else its beginning and `end`, never ending inside a character.

    A character is what a reader takes for one: a letter with its accents, an emoji with its colour, a flag.
    `size` of a text is never less than that of its beginning, and the limit not less than that of `end`.
    """
    if size(text) <= limit:
        return text
    room, at, used = limit - size(end), 0, 0
    while at < len(text) and (used := used + size(text[at])) <= room:
        at += 1
    while at and not _ends_character(text, at):
        at -= 1
    return text[:at].rstrip() + end


def utf16_units(text: str) -> int:
    """How many UTF-16 code units the text has."""
    return len(text) + sum(char > "\uffff" for char in text)


def _cleaned(char: str) -> str:
    if char in "\n\t":
        return char
    if "\ud800" <= char <= "\udfff":
        return "\ufffd"
    if char in _BIDI or char in _LINES or char in "\ufffe\uffff" or unicodedata.category(char) == "Cc":
        return " "
    return char


def _ends_character(text: str, at: int) -> bool:
    """Whether a character ends before `at`; `at` is inside the text."""
    before, after = text[at - 1], text[at]
    if before == _ZWJ or _is_joined(after):
        return False
    if _is_flag_half(after) and _is_flag_half(before):
        halves = next((back for back in range(at) if not _is_flag_half(text[at - 1 - back])), at)
        return halves % 2 == 0
    return True


def _is_joined(char: str) -> bool:
    """Whether it belongs to the character before it."""
    return (
        unicodedata.category(char).startswith("M")  # accents, vowel signs, what chooses between text and emoji
        or char == _ZWJ
        or "\u1160" <= char <= "\u11ff"  # the later letters of a Hangul syllable
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # the colours of skin
        or "\U000e0020" <= char <= "\U000e007f"  # the letters of a region's flag
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
