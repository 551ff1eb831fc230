"""Reading what a form of ours sends: exactly its fields, each once."""

import re
from collections.abc import Collection
from urllib.parse import unquote_to_bytes

import azure.functions as func

from shared.domain.errors import FieldError, InvalidRequest
from shared.web.request import read_body

URLENCODED = "application/x-www-form-urlencoded"

_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


def read_form(request: func.HttpRequest, names: Collection[str]) -> dict[str, str]:
    """The fields of a form that has these; those that were not sent are empty. Line ends are line feeds.

    Raises:
        UnsupportedMedia: it is not urlencoded, or not in UTF-8.
        TaskTooLarge: over 256 KiB.
        InvalidRequest: no body, not UTF-8, a field that the form does not have, or one that comes twice.
    """
    body = read_body(request, taken=(URLENCODED,))
    found: dict[str, str] = {}
    for pair in body.split(b"&"):
        name, _, value = (_text(piece) for piece in pair.partition(b"="))
        if name not in names or name in found:
            rule = "comes twice" if name in found else "is not a field of this form"
            raise _refusal(f"A field {rule}.", FieldError(name[:80], rule))
        found[name] = value.replace("\r\n", "\n")
    return {name: found.get(name, "") for name in names}


def _text(piece: bytes) -> str:
    """A name or a value, as https://url.spec.whatwg.org/#application/x-www-form-urlencoded has it, but strictly."""
    try:
        text = piece.replace(b"+", b" ").decode("ascii")
        if _BROKEN_ESCAPE.search(text):
            raise _refusal("The form holds a % that no two hex digits follow.")
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        raise _refusal("The form is not UTF-8.") from None


def _refusal(detail: str, *errors: FieldError) -> InvalidRequest:
    return InvalidRequest(detail, code="invalid_form", errors=errors)
