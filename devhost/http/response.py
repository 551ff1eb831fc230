"""What a function returned, as an HTTP response. Source: the host's HttpBinding and RawScriptResult."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from azure_functions_runtime.bindings.datumdef import Datum

from devhost.http.returned_text import read_text
from devhost.http.set_cookie import set_cookie_headers

_HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")
_STATUS = re.compile(r"\s*\+?0*([1-9][0-9]{2})\s*", re.ASCII)
# Framing is the server's business; a length that a function states is only right by luck.
_FRAMING = frozenset({"content-length", "transfer-encoding"})


class UnusableResponse(Exception):
    """The real host fails to send it, so the client gets a 500. The message says what is wrong with it."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A response to send. `headers` may hold a name several times only for Set-Cookie."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


def make_answer(returned: Datum | None) -> Answer:
    """The answer to a request whose function succeeded with this `$return`; nothing returned at all is a bare 200.

    Raises:
        UnusableResponse: a header or a cookie cannot be sent.
    """
    if returned is None or returned.value is None:
        return Answer(status=200)
    if returned.type == "http":
        return _from_response(returned.value)
    if returned.type == "bytes":
        return Answer(status=200, headers=(("Content-Type", "application/octet-stream"),), body=returned.value)
    text = read_text(str(returned.value))
    return Answer(status=read_status(text.status), headers=_checked(text.headers), body=text.body)


def read_status(text: object) -> int:
    """A status travels as text; one that is no number of three digits counts as 200."""
    match = _STATUS.fullmatch(str(text))
    return int(match[1]) if match else 200


def _from_response(value: Mapping[str, Any]) -> Answer:
    headers = _checked((name, datum.value) for name, datum in value["headers"].items())
    try:
        cookies = set_cookie_headers(value.get("cookies") or ())
    except ValueError as error:
        raise UnusableResponse(str(error)) from None
    body = value["body"].value
    return Answer(
        status=read_status(value["status_code"].value),
        headers=(*headers, *_checked(("Set-Cookie", cookie) for cookie in cookies)),
        body=body.encode() if isinstance(body, str) else bytes(body or b""),
    )


def _checked(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The headers that go out: the first of each name (all cookies), none that frame the message, no empty type."""
    kept: list[tuple[str, str]] = []
    seen: set[str] = set()
    for name, value in headers:
        lower = name.lower()
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise UnusableResponse(f"the response header '{name}' has characters that cannot be sent (only ASCII can)")
        if lower in _FRAMING or (lower == "content-type" and not value):
            continue
        if lower == "set-cookie" or lower not in seen:
            kept.append((name, value))
        seen.add(lower)
    return tuple(kept)
