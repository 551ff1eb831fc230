"""The tag of a version: what clients know a row's version by, and name when they change it."""

import hashlib
import re

_DIGITS = 24
"""Hex digits of a tag: 96 bits, so that no two versions of a thing share one."""


def tag_of(text: str) -> str:
    """A strong tag, quotes and all, of a text that is another for each version: a row's ETag, or what is shown.

    The same text has the same tag in every process, and the tag says nothing about it.
    """
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"'


def is_tag(text: str) -> bool:
    """Whether this can be a tag of ours."""
    return re.fullmatch(rf'"[0-9a-f]{{{_DIGITS}}}"', text) is not None
