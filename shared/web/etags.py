"""Entity tags: which version of a thing a client has seen (RFC 9110, 8.8.3 and 13.1)."""

import re

_HEADER_MAX = 2_000
_TAG = r'(?:W/)?"[^"\s]*"'
_LIST = re.compile(rf"[\s,]*(?:{_TAG}\s*(?:,[\s,]*|$))+")


def matches_any(header: str | None, tag: str) -> bool:
    """Whether an `If-Match` names this tag, or is `*`. A weak tag names nothing; nor does what is no list of tags.

    Without a header it does not: whoever needs one asks for it first.
    """
    return _is_any(header) or tag in _tags(header)


def none_match(header: str | None, tag: str) -> bool:
    """Whether the condition of an `If-None-Match` holds: neither `*` nor this tag, weak or strong; True without one.

    Where it does not, a GET or HEAD is answered 304.
    """
    return not _is_any(header) and tag not in {each.removeprefix("W/") for each in _tags(header)}


def _is_any(header: str | None) -> bool:
    return (header or "").strip() == "*"


def _tags(header: str | None) -> list[str]:
    text = (header or "")[:_HEADER_MAX]
    return re.findall(_TAG, text) if _LIST.fullmatch(text) else []
