"""The outline of a PNG: a walk over its chunks, each with its checksum.

An animated one is read as its default picture. Text is never unpacked; a profile is, up to a limit.
"""

import struct
import zlib
from collections.abc import Iterator

from shared.imaging.limits import MAX_PROFILE_BYTES, check_frames, check_parts, check_size, damaged
from shared.imaging.outline import Kind, Outline

_SIGNATURE_BYTES = 8
_BY_PALETTE = 3  # of a header's types of colour
_PALETTE_COLOURS = 256
_PICTURE = {b"PLTE", b"tRNS", b"IDAT", b"IEND"}


def read_png(data: bytes) -> Outline:
    """Raises PhotoRejected: over a limit, cut short, or with a wrong checksum."""
    chunks = _chunks(data)
    kind, header, whole = next(chunks)
    if kind != b"IHDR" or len(header) != 13:
        raise damaged()
    width, height, bits, colours = struct.unpack_from(">IIBB", header)
    check_size(width, height)
    kept: list[bytes | memoryview] = [data[:_SIGNATURE_BYTES], whole]
    exif = profile = b""
    has_palette = False
    for number, (kind, body, whole) in enumerate(chunks, 2):
        check_parts(number)
        if kind == b"tRNS" and len(body) > _PALETTE_COLOURS:
            continue  # it says nothing of the rest, and the decoder trips over it
        if kind in _PICTURE:
            kept.append(whole)
            has_palette |= kind == b"PLTE"
        elif kind == b"acTL":
            check_frames(int.from_bytes(body[:4]))
        elif kind == b"eXIf":
            exif = exif or bytes(body)
        elif kind == b"iCCP":
            profile = profile or _unpacked(bytes(body))
    if colours == _BY_PALETTE and not has_palette:
        raise damaged()
    return Outline(kind=Kind.PNG, picture=b"".join(kept), exif=exif, profile=profile, bits=bits)


def _chunks(data: bytes) -> Iterator[tuple[bytes, memoryview, memoryview]]:
    """Each chunk up to the end: its kind, its body, and all of it. Left out: an unneeded one with a wrong checksum."""
    view, start, kind = memoryview(data), _SIGNATURE_BYTES, b""
    while kind != b"IEND":
        if start + 12 > len(view):
            raise damaged()
        length, kind = struct.unpack_from(">I4s", view, start)
        end = start + 12 + length
        if end > len(view):
            raise damaged()
        if zlib.crc32(view[start + 4 : end - 4]) == int.from_bytes(view[end - 4 : end]):
            yield kind, view[start + 8 : end - 4], view[start:end]
        elif kind[:1].isupper():  # one that a reader cannot do without
            raise damaged()
        start = end


def _unpacked(body: bytes) -> bytes:
    """The profile of an iCCP chunk; nothing where it cannot be unpacked, or is too large."""
    packed = body.partition(b"\0")[2][1:]
    unpacking = zlib.decompressobj()
    try:
        profile = unpacking.decompress(packed, MAX_PROFILE_BYTES)
    except zlib.error:
        return b""
    return profile if unpacking.eof else b""
