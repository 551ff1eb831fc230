"""The outline of a JPEG: a walk over its segments, up to the end of its first picture.

What follows that end is dropped: the further pictures of an MPO, a film of a "motion photo", whatever a polyglot hides.
"""

import re
from collections.abc import Iterator

from shared.imaging.limits import MAX_PROFILE_BYTES, check_parts, check_scans, check_size, damaged, unsupported
from shared.imaging.outline import Kind, Outline

# Neither a stuffed 00 nor a restart marker ends what is compressed; a run of FF is filling before a marker.
_MARKER = re.compile(rb"\xff([\x01-\xcf\xd8-\xfe])")

_NO_LENGTH = {0x01, 0xD8}
_END, _SCAN, _EXIF, _PROFILE = 0xD9, 0xDA, 0xE1, 0xE2
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_TABLES = {0xC4, 0xCC, 0xDB, 0xDD}
_JFIF, _ADOBE = 0xE0, 0xEE  # they say how the colours are meant


def read_jpeg(data: bytes) -> Outline:
    """Raises PhotoRejected: over a limit, cut short, or of a kind of JPEG that is not read."""
    kept, profile, exif = [b"\xff\xd8"], [], b""
    frames = scans = 0
    for number, (marker, body, compressed) in enumerate(_segments(data), 1):
        check_parts(number)
        if marker in _FRAMES:
            _check_frame(body)
            frames += 1
        elif marker == _SCAN:
            scans += 1
            check_scans(scans)
        elif marker == _EXIF and body.startswith(b"Exif\0\0"):
            exif = exif or body[6:]
            continue
        elif marker == _PROFILE and body.startswith(b"ICC_PROFILE\0"):
            profile.append(body[12:])
            continue
        elif marker not in _TABLES and not _says_colours(marker, body):
            continue
        kept += [bytes((0xFF, marker)), (len(body) + 2).to_bytes(2), body, compressed]
    if frames != 1 or not scans:
        raise damaged()
    kept.append(b"\xff\xd9")
    return Outline(kind=Kind.JPEG, picture=b"".join(kept), exif=exif, profile=_joined(profile))


def _segments(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Each segment before the end: its marker, its body, and the compressed data behind it (of a scan)."""
    found = _MARKER.search(data, 2)
    while found and found[1][0] != _END:
        marker, start = found[1][0], found.end()
        if marker in _NO_LENGTH:
            found = _MARKER.search(data, start)
            continue
        end = start + int.from_bytes(data[start : start + 2])
        if not start + 2 <= end <= len(data):
            raise damaged()
        found = _MARKER.search(data, end)
        yield marker, data[start + 2 : end], data[end : found.start()] if found and marker == _SCAN else b""
    if not found:
        raise damaged()  # no end was reached: it was cut


def _check_frame(body: bytes) -> None:
    if len(body) < 6:
        raise damaged()
    bits, layers = body[0], body[5]
    if bits != 8 or layers not in (1, 3, 4):
        raise unsupported()
    check_size(width=int.from_bytes(body[3:5]), height=int.from_bytes(body[1:3]))


def _says_colours(marker: int, body: bytes) -> bool:
    return (marker == _JFIF and body.startswith(b"JFIF\0")) or (marker == _ADOBE and body.startswith(b"Adobe"))


def _joined(parts: list[bytes]) -> bytes:
    """A profile of its numbered parts; nothing where one is missing."""
    parts = sorted(parts)
    if [part[:2] for part in parts] != [bytes((number, len(parts))) for number in range(1, min(len(parts), 255) + 1)]:
        return b""
    profile = b"".join(part[2:] for part in parts)
    return profile if len(profile) <= MAX_PROFILE_BYTES else b""
