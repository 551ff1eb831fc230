"""The patterns that task fields obey, written so that Python and JSON Schema read them alike (match the whole text)."""

import re

LINE = r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]*$"
"""One line: no control characters."""

PARAGRAPHS = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]*$"
"""Many lines: tab, line feed and carriage return may stand in it, other control characters may not."""

EMAIL = r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$"
"""The addr-spec of HTML's email field; international addresses in their ASCII form."""

PERSON = r"^(?!\.{1,2}$)[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff/\\%]*$"
"""One line that can stand in an address as one segment, percent-encoded, whichever proxy decodes it how often."""

PHONE = r"^\+[1-9][0-9]{1,14}$"
"""E.164: the international form, digits alone."""

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_PORT = r"(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
HTTPS_URL = rf"^https://(?:{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f]{{0,4}}(?::[0-9A-Fa-f]{{0,4}}){{2,7}}\]){_PORT}(?:[/?][!-~]*)?$"
"""An absolute https URL in ASCII: a host name or an IPv6 address, a port if need be, and no user information."""

QUEUE_NAME = r"^(?=.{3,63}$)[a-z0-9](?:-?[a-z0-9])*$"
"""A storage queue's name: 3–63 lower-case letters, digits and single dashes."""

VISIBLE = r"^[!-~]{1,255}$"
"""1–255 visible ASCII characters: an idempotency key, a correlation id."""

PHOTO_ID = r"^p1\.[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}$"
"""The signed name of an upload, as the app gives it."""

_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_SURROGATE = re.compile("[\ud800-\udfff]")


def matches(pattern: str, text: str) -> bool:
    """Whether the whole text matches; a trailing line feed does not slip past `$` as it does in Python's search."""
    return re.fullmatch(pattern, text) is not None


def has_something_to_read(text: str) -> bool:
    """Whether a character of the text leaves ink: blanks, joiners and the fillers of some scripts do not."""
    return any(char.isprintable() and not char.isspace() and char not in _FILLERS for char in text)


def has_lone_surrogate(text: str) -> bool:
    """Whether the text holds half a character: it has no UTF-8 form, so it can be neither sent nor stored."""
    return _SURROGATE.search(text) is not None
