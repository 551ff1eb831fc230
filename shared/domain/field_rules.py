"""What a model says of one of its fields, asked of a value, and told in words that name the limit and the way out."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

from shared.domain.errors import FieldError
from shared.domain.text_rules import (
    EMAIL,
    HTTPS_URL,
    LINE,
    PARAGRAPHS,
    PERSON,
    PHONE,
    PHOTO_ID,
    QUEUE_NAME,
    VISIBLE,
    has_lone_surrogate,
    matches,
)

_ERRORS_MAX = 50
"""Fields named in one refusal: a body of nothing but wrong fields must not have an answer many times its size."""

_WORDS = {
    LINE: "must be one line without control characters",
    PARAGRAPHS: "must hold no control characters except tab and line ends",
    EMAIL: "must be one email address, like ann@example.com",
    HTTPS_URL: "must be an absolute https URL in ASCII without user information",
    QUEUE_NAME: "must be the name of a storage queue: 3 to 63 lower-case letters, digits and single dashes",
    VISIBLE: "must be 1 to 255 visible ASCII characters without blanks",
    PERSON: "must be one line without control characters, / \\ or %, and neither . nor ..: it stands in an address",
    PHOTO_ID: "must be a photoId as POST /api/photos gives it",
    PHONE: "must be a phone number as +, the country and up to 15 digits in all, like +4930123456",
}


def value_errors(field: msgspec.structs.FieldInfo, value: Any) -> Iterator[FieldError]:
    """What is wrong with the value that is given for a field: its kind or length, or else its characters."""
    name = field.encode_name
    try:
        msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        yield FieldError(name, _limit(field.type, value))
        return
    if not isinstance(value, str):
        return
    pattern = _pattern_of(field)
    if has_lone_surrogate(value):
        yield FieldError(name, "holds half a character (a lone surrogate); send whole characters")
    elif pattern and not matches(pattern, value):
        yield FieldError(name, _WORDS[pattern])


def first_errors(fields: Mapping[str, Any], errors_of: Callable[[str, Any], Iterator[FieldError]]) -> list[FieldError]:
    """What is wrong with fields, each with its value, as far as one refusal names it."""
    return list(islice((error for item in fields.items() for error in errors_of(*item)), _ERRORS_MAX))


def sentence(errors: Iterable[FieldError]) -> str:
    """The errors in one text."""
    return f"{'; '.join(f'{error.field} {error.message}' for error in errors)}."[:2_000]


def shown(name: str) -> str:
    """A name that somebody else chose, as a refusal may quote it."""
    return name[:80].encode("utf-8", "replace").decode()


def _limit(wanted: Any, value: Any) -> str:
    info = msgspec.inspect.type_info(wanted)
    if isinstance(info, msgspec.inspect.Metadata):
        info = info.type
    if isinstance(info, msgspec.inspect.LiteralType):
        return f"must be one of {', '.join(map(str, info.values))}"
    if isinstance(info, msgspec.inspect.BoolType):
        return "must be true or false"
    assert isinstance(info, msgspec.inspect.StrType)
    found = f"it has {len(value):,}" if isinstance(value, str) else f"it is {_json_kind(value)}"
    return f"must be a text of {info.min_length or 0} to {info.max_length:,} characters; {found}"


def _json_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "an array" if isinstance(value, list) else "an object"


def _pattern_of(field: msgspec.structs.FieldInfo) -> str | None:
    for mark in getattr(field.type, "__metadata__", ()):
        return (mark.extra_json_schema or {}).get("pattern")
    return None
