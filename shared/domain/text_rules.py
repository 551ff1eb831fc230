"""The patterns that task fields obey, written so that Python and JSON Schema read them alike (match the whole text)."""

import re

LINE = r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]*$"
"""One line: no control characters."""

PARAGRAPHS = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]*$"
"""Many lines: tab, line feed and carriage return may stand in it, other control characters may not."""

EMAIL = r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$"
"""The addr-spec of HTML's email field; international addresses in their ASCII form."""

HTTPS_URL = r"^https://[A-Za-z0-9.\-\[\]:]+(?:[/?][!-~]*)?$"
"""An absolute https URL in ASCII, without user information and with a host."""

QUEUE_NAME = r"^[a-z0-9](?:-?[a-z0-9]){2,62}$"
"""A storage queue's name: 3–63 lower-case letters, digits and single dashes."""

VISIBLE = r"^[!-~]{1,255}$"
"""1–255 visible ASCII characters: an idempotency key, a correlation id."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def matches(pattern: str, text: str) -> bool:
    """Whether the whole text matches; a trailing line feed does not slip past `$` as it does in Python's search."""
    return re.fullmatch(pattern, text) is not None


def has_lone_surrogate(text: str) -> bool:
    """Whether the text holds half a character: it has no UTF-8 form, so it can be neither sent nor stored."""
    return _SURROGATE.search(text) is not None
