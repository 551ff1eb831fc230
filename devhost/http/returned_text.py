"""What the host makes of a function that returns a `str`: it looks for JSON in it first.

Source: the host's HttpBinding.CreateResult and RawScriptResult; Newtonsoft's writer for the indented form.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_TEXT = "text/plain"


@dataclass(frozen=True, kw_only=True)
class ReturnedText:
    """A response that a text stands for; `status` as it was found, not yet read."""

    body: bytes
    headers: tuple[tuple[str, str], ...]
    status: object = 200


def read_text(text: str) -> ReturnedText:
    """The response.

    - not JSON: the text itself, `text/plain`;
    - an object with a `body`: a response, with `status` or `statusCode` and `headers`; names ignore case;
    - any other JSON: written again, indented by two, still `text/plain`; a string without its quotes, `true` as `True`.
    """
    try:
        content = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return _plain(text)
    if isinstance(content, dict) and (described := _entries(content)).keys() >= {"body"}:
        return _described(described)
    return _plain(_written(content, indent=2))


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _described(entries: Mapping[str, Any]) -> ReturnedText:
    headers = entries.get("headers")
    given = {name: _written(value) for name, value in headers.items()} if isinstance(headers, dict) else {}
    status = entries.get("statuscode", entries.get("status", 200))
    return _plain(_written(entries["body"]), given, status)


def _plain(body: str, described: Mapping[str, str] | None = None, status: object = 200) -> ReturnedText:
    """A body that is text: its type gets a charset."""
    given = dict(described or {})
    name = next((name for name in given if name.lower() == "content-type"), "Content-Type")
    media_type = given.pop(name, "") or _TEXT
    if "charset=" not in media_type.lower():
        media_type += "; charset=utf-8"
    headers = (("Content-Type", media_type), *given.items())
    return ReturnedText(body=body.encode(errors="replace"), headers=headers, status=status)


def _entries(content: Mapping[str, Any]) -> dict[str, Any]:
    """By lower-case name; of names that differ only in case, the first."""
    entries: dict[str, Any] = {}
    for name, value in content.items():
        entries.setdefault(name.lower(), value)
    return entries


def _written(content: Any, indent: int | None = None) -> str:
    """As .NET's ToString writes it."""
    if content is None:
        return ""
    if isinstance(content, str | bool):
        return str(content)
    separators = None if indent else (",", ":")
    return json.dumps(content, indent=indent, separators=separators, ensure_ascii=False)
