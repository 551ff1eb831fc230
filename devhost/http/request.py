"""An HTTP request as the worker is given it. Source: the host's GrpcMessageConversionExtensions, ToRpcHttp."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote_to_bytes

from azure_functions_runtime.bindings.datumdef import Datum

from devhost.dotnet.texts import ordinal_key
from devhost.http.request_line import RequestLine
from devhost.http.request_path import encode_path
from devhost.http.route_matcher import RouteValues

_ESCAPES = re.compile(r"(?:%[0-9a-fA-F]{2})+")


def request_datum(line: RequestLine, headers: Iterable[tuple[str, str]], values: RouteValues, body: bytes) -> Datum:
    """The `http` datum: method in upper case, header names in lower case, parameters without a value left out."""
    joined = joined_headers(headers)
    text = {
        "headers": joined,
        "query": {name: value for name, value in parse_query(line.query).items() if value},
        "params": {name: value for name, value in values.items() if value is not None},
    }
    value: dict[str, object] = {key: _strings(entries) for key, entries in text.items()}
    value["method"] = Datum(line.method.upper(), "string")
    value["url"] = Datum(request_url(line, joined.get("host", "")), "string")
    value["body"] = Datum(body, "bytes")
    return Datum(value, "http")


def request_url(line: RequestLine, host: str) -> str:
    """The address as ASP.NET renders it: the path decoded and encoded again, the query as it was sent."""
    return f"http://{host}{encode_path(line.path)}{line.query.replace('#', '%23')}"


def joined_headers(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Values by lower-case name; those of one name joined with a bare comma, empty ones skipped."""
    joined: dict[str, str] = {}
    for name, value in headers:
        _append(joined, name.lower(), value)
    return joined


def parse_query(query: str) -> dict[str, str]:
    """The parameters of a query (`?a=1&b`): names ignore case, the first spelling stays; repeated values are joined."""
    found: dict[str, str] = {}
    spelled: dict[str, str] = {}
    for pair in query.removeprefix("?").split("&"):
        if pair:
            name, _, value = pair.partition("=")
            name = _unescape(name)
            _append(found, spelled.setdefault(ordinal_key(name), name), _unescape(value))
    return found


def _append(joined: dict[str, str], name: str, value: str) -> None:
    before = joined.get(name, "")
    joined[name] = f"{before},{value}" if before and value else before or value


def _unescape(text: str) -> str:
    """`+` and escapes decoded; an escape that is not valid UTF-8 stays as it is."""
    return _ESCAPES.sub(lambda match: _decode_or_keep(match[0]), text.replace("+", " "))


def _decode_or_keep(run: str) -> str:
    decoded = unquote_to_bytes(run).decode(errors="surrogateescape")
    return "".join(
        f"%{ord(character) - 0xDC00:02X}" if "\udc80" <= character <= "\udcff" else character for character in decoded
    )


def _strings(entries: Mapping[str, str]) -> dict[str, Datum]:
    return {name: Datum(value, "string") for name, value in entries.items()}
