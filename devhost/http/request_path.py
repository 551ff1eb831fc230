"""Paths as Kestrel decodes them and ASP.NET Core writes them again."""

import re
from urllib.parse import quote, unquote_to_bytes

_ESCAPES = re.compile(rb"(?:%[0-9a-fA-F]{2})+")
_URI_SAFE = "!$&'()*+,;=:@/-._~"
_ESCAPED_OR_NOT = re.compile(r"%[0-9a-fA-F]{2}|.", re.DOTALL)


def decode_path(raw: bytes) -> str:
    """The path, ASCII as received, unescaped once and freed of dot segments.

    `%2F` stays as it is, and so does every escape that is not part of valid UTF-8.

    Raises:
        ValueError: the path has a NUL.
    """
    return remove_dot_segments(_ESCAPES.sub(lambda match: _decode_run(match[0]), raw)).decode()


def _decode_run(run: bytes) -> bytes:
    """A row of escapes: the longest valid UTF-8 sequences are decoded, what is between them is kept."""
    octets = unquote_to_bytes(run)
    decoded = bytearray()
    position = 0
    while position < len(octets):
        length = _sequence_length(octets[position : position + 4])
        sequence = octets[position : position + length]
        if sequence == b"\0":
            raise ValueError("the path has a NUL")
        if length == 0 or sequence == b"/":
            decoded += run[3 * position : 3 * position + 3]
            position += 1
        else:
            decoded += sequence
            position += length
    return bytes(decoded)


def _sequence_length(octets: bytes) -> int:
    """How many octets the first character takes; 0 if they are not the UTF-8 of any."""
    for length in range(1, len(octets) + 1):
        try:
            octets[:length].decode()
        except UnicodeDecodeError:
            continue
        return length
    return 0


def remove_dot_segments(path: bytes) -> bytes:
    """RFC 3986 section 5.2.4, for a path that begins with '/'. An empty segment counts as one."""
    kept: list[bytes] = []
    segments = path.split(b"/")[1:]
    for index, segment in enumerate(segments):
        if segment == b"..":
            del kept[-1:]
        elif segment != b".":
            kept.append(segment)
        if segment in (b".", b"..") and index == len(segments) - 1:
            kept.append(b"")
    return b"/" + b"/".join(kept)


def encode_path(path: str) -> str:
    """A decoded path as `PathString` writes it into a URL: what looks like an escape is left alone."""
    return "".join(
        match[0] if len(match[0]) == 3 else quote(match[0], safe=_URI_SAFE) for match in _ESCAPED_OR_NOT.finditer(path)
    )
