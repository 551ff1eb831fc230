"""The outline of a WebP: a walk over its chunks."""

import struct
from collections.abc import Iterator

from shared.imaging.limits import MAX_PROFILE_BYTES, check_frames, check_parts, check_size, damaged
from shared.imaging.outline import Kind, Outline

_LEFT_OUT = {b"EXIF", b"XMP ", b"ICCP"}
_HEADER_BYTES = 12


def read_webp(data: bytes) -> Outline:
    """Raises PhotoRejected: over a limit, or cut short."""
    end = 8 + int.from_bytes(data[4:8], "little")
    if not _HEADER_BYTES < end <= len(data):
        raise damaged()
    kept: list[bytes] = []
    exif = profile = b""
    frames = 0
    for number, (kind, body) in enumerate(_chunks(data, end), 1):
        check_parts(number)
        if not kept:
            check_size(*_canvas(kind, body))
        if kind == b"ANMF":
            frames += 1
            check_frames(frames)
        elif kind == b"EXIF":
            exif = exif or body.removeprefix(b"Exif\0\0")
        elif kind == b"ICCP" and len(body) <= MAX_PROFILE_BYTES:
            profile = profile or body
        if kind not in _LEFT_OUT:
            kept += [kind, len(body).to_bytes(4, "little"), body, b"\0" * (len(body) % 2)]
    riff = b"WEBP" + b"".join(kept)
    picture = b"RIFF" + len(riff).to_bytes(4, "little") + riff
    return Outline(kind=Kind.WEBP, picture=picture, exif=exif, profile=profile)


def _chunks(data: bytes, end: int) -> Iterator[tuple[bytes, bytes]]:
    position = _HEADER_BYTES
    while position + 8 <= end:
        kind, size = struct.unpack_from("<4sI", data, position)
        body = data[position + 8 : position + 8 + size]
        if len(body) != size:
            raise damaged()
        yield kind, body
        position += 8 + size + size % 2


def _canvas(kind: bytes, body: bytes) -> tuple[int, int]:
    """Width and height by the first chunk, which is one of three."""
    if kind == b"VP8X" and len(body) >= 10:
        return int.from_bytes(body[4:7], "little") + 1, int.from_bytes(body[7:10], "little") + 1
    if kind == b"VP8 " and body[3:6] == b"\x9d\x01\x2a" and len(body) >= 10:
        width, height = struct.unpack_from("<HH", body, 6)
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L" and body[:1] == b"\x2f" and len(body) >= 5:
        sides = int.from_bytes(body[1:5], "little")
        return (sides & 0x3FFF) + 1, (sides >> 14 & 0x3FFF) + 1
    raise damaged()
