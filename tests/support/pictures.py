"""Pictures for tests, made by code: good ones by the library, the rest byte by byte."""

import io
import struct
import zlib
from collections.abc import Sequence

from PIL import Image

RED, BLUE = (254, 0, 0), (0, 0, 254)
SYDNEY = ((33, 1), (51, 1), (3600, 100)), ((151, 1), (12, 1), (4000, 100))

Fractions = Sequence[tuple[int, int]]


def saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    """The bytes of a file that the library writes."""
    written = io.BytesIO()
    picture.save(written, kind, **options)
    return written.getvalue()


def opened(data: bytes) -> Image.Image:
    """The pixels of a file, loaded."""
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture


def halves(width: int = 200, height: int = 100, mode: str = "RGB") -> Image.Image:
    """The left half red, the right half blue."""
    picture = Image.new("RGB", (width, height), RED)
    picture.paste(BLUE, (width // 2, 0, width, height))
    return picture.convert(mode)


def mottled(width: int, height: int) -> Image.Image:
    """A picture with so much in it that its file is cut in the middle of its pixels."""
    return Image.frombytes("RGB", (width, height), bytes((at * at >> 3) % 251 for at in range(width * height * 3)))


def jpeg(picture: Image.Image | None = None, *segments: bytes, **options: object) -> bytes:
    """A JPEG with segments of one's own at its start."""
    data = saved(picture or halves(), "JPEG", quality=90, **options)
    return data[:2] + b"".join(segments) + data[2:]


def segment(marker: int, body: bytes) -> bytes:
    """A segment of a JPEG."""
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def exif_segment(tiff: bytes) -> bytes:
    """The segment that a camera writes."""
    return segment(0xE1, b"Exif\0\0" + tiff)


def png(
    width: int, height: int, *chunks: bytes, bits: int = 8, colour: int = 2, rows: bytes = b"", interlaced: bool = False
) -> bytes:
    """A PNG of its parts. `rows`: not yet compressed, each with its filter byte. `chunks`: between header and rows."""
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, interlaced)
    data = chunk(b"IDAT", zlib.compress(rows, 9))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunks) + data + chunk(b"IEND", b"")


def chunk(kind: bytes, body: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def with_chunk(data: bytes, added: bytes) -> bytes:
    """A PNG with one more chunk behind its header."""
    return data[:33] + added + data[33:]


def riff(*chunks: tuple[bytes, bytes]) -> bytes:
    """A WebP of its chunks."""
    body = b"WEBP" + b"".join(
        kind + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2) for kind, content in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def tiff(
    *,
    orientation: int | None = None,
    latitude: Fractions | None = None,
    longitude: Fractions | None = None,
    refs: tuple[bytes, bytes] | None = (b"N", b"E"),
    extra: Sequence[bytes] = (),
    order: str = "<",
) -> bytes:
    """What a camera writes of its orientation and place. `extra`: entries of 12 bytes for the place's directory."""
    first = [] if orientation is None else [struct.pack(order + "HHIHH", 0x0112, 3, 1, orientation, 0)]
    places = 8 + 2 + 12 * (len(first) + 1) + 4
    first.append(struct.pack(order + "HHII", 0x8825, 4, 1, places))
    place: list[bytes] = [*extra]
    count = len(place) + 2 * (refs is not None) + (latitude is not None) + (longitude is not None)
    values, at = b"", places + 2 + 12 * count + 4
    for tag, fractions in ((2, latitude), (4, longitude)):
        if refs is not None:
            place.append(struct.pack(order + "HHI4s", tag - 1, 2, 2, refs[tag // 4]))
        if fractions is not None:
            place.append(struct.pack(order + "HHII", tag, 5, len(fractions), at + len(values)))
            values += b"".join(struct.pack(order + "II", *fraction) for fraction in fractions)
    return tiff_of(directory(first, order) + directory(place, order) + values, order)


def tiff_of(content: bytes, order: str = "<") -> bytes:
    """A block with its header; the first directory starts at byte 8."""
    return (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 8) + content


def directory(entries: Sequence[bytes], order: str = "<") -> bytes:
    """A directory, with none behind it."""
    return struct.pack(order + "H", len(entries)) + b"".join(entries) + struct.pack(order + "I", 0)


def animated(kind: str, frames: int = 3, size: tuple[int, int] = (40, 30)) -> bytes:
    """A red frame, and others behind it."""
    pictures = [Image.new("RGB", size, RED if not at else (0, 255 - at % 200, 99)) for at in range(frames)]
    return saved(pictures[0], kind, save_all=True, append_images=pictures[1:], duration=40)


def short_gif(frames: int) -> bytes:
    """A GIF of one pixel and many frames."""
    frame = b"\x2c" + struct.pack("<4HB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return b"GIF89a" + struct.pack("<2H3B", 1, 1, 0x80, 0, 0) + b"\xff\0\0\0\0\xff" + frame * frames + b";"
