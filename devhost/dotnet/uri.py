"""Addresses as .NET's `Uri` reads them, as far as an address of a storage service goes.

Measured on Microsoft's own queue extension, whose storage client reads the host in a second way of its own: what
follows the first colon is the port. So an IPv6 address, or a user with a password, is refused there, and here.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote

from devhost.dotnet.trim import trim

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_LABEL = r"[\w-]{1,63}"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.?")
_DNS_LABEL = r"[^\W_][\w-]{0,62}"
_DNS_NAME = re.compile(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*\.?")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+){0,3}")
_UNRESERVED = re.compile(r"%(2[dDeE]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF]|7[eE])")
_MALFORMED = re.compile(r"[\s<>\"{}|\\^`\[\]]|%(?![0-9A-Fa-f]{2})")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True, kw_only=True)
class Uri:
    """An address. `path` starts with a slash, `query` has no question mark. Without `host` it is none of the web's."""

    scheme: str
    host: str = ""
    port: str = ""
    path: str = "/"
    query: str = ""

    @property
    def is_web(self) -> bool:
        """Whether it is `http` or `https`."""
        return self.scheme in _DEFAULT_PORTS

    def __str__(self) -> str:
        port = f":{self.port}" if self.port else ""
        query = f"?{self.query}" if self.query else ""
        return f"{self.scheme}://{self.host}{port}{self.path}{query}"


def parse_uri(text: str) -> Uri:
    """The address that the text is; a default port is left out, dots in the path are resolved.

    Raises:
        ValueError: it is none. The text is .NET's.
    """
    text = trim(text)
    if not text:
        raise ValueError("Invalid URI: The URI is empty.")
    scheme = _SCHEME.match(text)
    if text[0] in "/\\" or (scheme and len(scheme[1]) == 1):
        return Uri(scheme="file")
    if scheme is None:
        raise ValueError("Invalid URI: The format of the URI could not be determined.")
    uri = Uri(scheme=scheme[1].lower())
    return _parse_web_uri(uri.scheme, text[scheme.end() :].replace("\\", "/")) if uri.is_web else uri


def is_well_formed(text: str) -> bool:
    """Whether `Uri.IsWellFormedUriString` takes it for an absolute address: one that needs no repair."""
    try:
        uri = parse_uri(text)
    except ValueError as error:
        return "input string" in str(error)  # the storage client's complaint, which comes later
    return uri.scheme != "file" and not _MALFORMED.search(trim(text))


def is_dns_name(text: str) -> bool:
    """Whether `Uri.CheckHostName` takes it for a name rather than an address or nothing."""
    return bool(_DNS_NAME.fullmatch(text)) and not _NUMBERS.fullmatch(text)


def _parse_web_uri(scheme: str, rest: str) -> Uri:
    if not rest.startswith("//"):
        raise ValueError("Invalid URI: The Authority/Host could not be parsed.")
    authority, path, query = re.fullmatch(r"//([^/?#]*)([^?#]*)(?:\?([^#]*))?.*", rest, re.DOTALL).groups()  # type: ignore[union-attr]
    if "[" in authority or re.search(":.*@", authority):
        raise ValueError(f"The input string '{authority.partition(':')[2]}' was not in a correct format.")
    host, _, port = authority.rpartition("@")[2].partition(":")
    if not _HOST.fullmatch(host):
        raise ValueError("Invalid URI: The hostname could not be parsed.")
    if port and not (port.isdecimal() and int(port) <= 65535):
        raise ValueError("Invalid URI: Invalid port specified.")
    return Uri(
        scheme=scheme,
        host=host.lower(),
        port="" if port == _DEFAULT_PORTS[scheme] else port,
        path=_path(path),
        query=escape_query(query or ""),
    )


def escape_query(query: str) -> str:
    """The query with what may not stand in an address escaped, and nothing else touched."""
    return quote(query, safe="%!$&'()*+,;=:@/?-._~")


def _path(path: str) -> str:
    segments: list[str] = []
    names = path.split("/")[1:]
    for name in names:
        if name == "..":
            del segments[-1:]
        elif name != ".":
            segments.append(name)
    if names and names[-1] in {".", ".."}:
        segments.append("")
    unescaped = _UNRESERVED.sub(lambda escape: chr(int(escape[1], 16)), "/".join(segments))
    return "/" + quote(unescaped, safe="%!$&'()*+,;=:@/-._~")
