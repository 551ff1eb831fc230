"""What is too large is refused by its header, before memory is taken for it."""

import struct
import subprocess
import sys
from pathlib import Path

import pytest

from shared.domain.errors import PhotoRejected
from shared.imaging.limits import MAX_BYTES, MAX_FRAMES, MAX_PIXELS, MAX_SCANS, MAX_SIDE
from shared.imaging.render import render
from tests.support.pictures import (
    animated,
    chunk,
    halves,
    jpeg,
    opened,
    png,
    riff,
    saved,
    segment,
    short_gif,
    with_chunk,
)

ROOT = Path(__file__).resolve().parents[3]


def frame_of(width: int, height: int) -> bytes:
    """A JPEG whose header says another size than its pixels have."""
    good = jpeg()
    at = good.index(b"\xff\xc0") + 5
    return good[:at] + struct.pack(">HH", height, width) + good[at + 4 :]


def gif_of(width: int, height: int) -> bytes:
    good = saved(halves(), "GIF")
    return good[:6] + struct.pack("<HH", width, height) + good[10:]


def gif_with_frame_of(width: int, height: int) -> bytes:
    good = short_gif(1)
    at = good.index(b"\x2c") + 5
    return good[:at] + struct.pack("<HH", width, height) + good[at + 4 :]


def webp_of(width: int, height: int) -> bytes:
    canvas = bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return riff((b"VP8X", canvas), (b"VP8L", saved(halves(), "WEBP", lossless=True)[20:]))


def lossless_webp_of(width: int, height: int) -> bytes:
    return riff((b"VP8L", b"\x2f" + (width - 1 | height - 1 << 14).to_bytes(4, "little") + bytes(9)))


PIXELS = {
    "png-13000x13000": png(13_000, 13_000, bits=1, colour=0, rows=bytes(1_626 * 13_000)),  # IF-01
    "png-just-over": png(MAX_PIXELS // 20_000 + 1, 20_000, bits=1, colour=0),
    "jpeg": frame_of(20_000, 20_000),
    "gif": gif_of(20_000, 20_000),
    "gif-frame": gif_with_frame_of(20_000, 20_000),
    "webp": webp_of(20_000, 20_000),
    "webp-lossless": lossless_webp_of(16_384, 16_384),
}
SIDES = {
    "png-60000x60000": png(60_000, 60_000, bits=1, colour=0, rows=b"\0"),  # IF-01
    "png": png(MAX_SIDE + 1, 1, rows=bytes(3 * MAX_SIDE + 4)),
    "png-largest": png(0xFFFFFFFF, 0xFFFFFFFF),
    "jpeg": frame_of(65_535, 1),
    "gif": gif_of(1, 65_535),
    "webp": webp_of(2**24, 1),
}


def rejection(data: bytes) -> PhotoRejected:
    with pytest.raises(PhotoRejected) as rejected:
        render(data)
    return rejected.value


@pytest.mark.parametrize("data", PIXELS.values(), ids=PIXELS)
def test_too_many_pixels_are_refused(data: bytes) -> None:
    error = rejection(data)
    assert error.code == "photo_too_large"
    assert error.reason == "The photo has more than 40 million pixels; make it smaller."


@pytest.mark.parametrize("data", SIDES.values(), ids=SIDES)
def test_too_long_a_side_is_refused(data: bytes) -> None:
    error = rejection(data)
    assert error.code == "photo_too_large"
    assert "30,000 pixels" in error.reason


def test_too_many_bytes_are_refused_before_a_look_at_them() -> None:
    error = rejection(b"\0" * (MAX_BYTES + 1))
    assert (error.code, "10 MiB" in error.reason) == ("photo_too_large", True)
    assert rejection(b"\0" * MAX_BYTES).code == "photo_unsupported"


@pytest.mark.parametrize("kind", ["gif", "png", "webp"])
def test_too_many_frames_are_refused(kind: str) -> None:
    over, within = {
        "gif": (short_gif(MAX_FRAMES + 1), short_gif(MAX_FRAMES)),
        "png": (_animated_png(MAX_FRAMES + 1), _animated_png(MAX_FRAMES)),
        "webp": (_long_webp(MAX_FRAMES + 1), animated("WEBP")),
    }[kind]
    error = rejection(over)
    assert (error.code, "1,000 frames" in error.reason) == ("photo_too_large", True)
    assert opened(render(within).thumbnail).mode == "RGB"


def _animated_png(frames: int) -> bytes:
    return png(1, 1, chunk(b"acTL", struct.pack(">II", frames, 0)), rows=b"\0\xff\0\0")


def _long_webp(frames: int) -> bytes:
    return riff((b"VP8X", b"\x02" + bytes(9)), (b"ANIM", bytes(6)), *[(b"ANMF", bytes(16))] * frames)


def test_a_jpeg_that_goes_over_its_pixels_too_often_is_refused() -> None:
    good = jpeg(progressive=True)
    at = good.rindex(b"\xff\xda")
    scan = good[at:-2]
    assert rejection(good[:-2] + scan * MAX_SCANS + good[-2:]).code == "photo_too_large"


FLOODS = {
    "jpeg-comments": jpeg(None, segment(0xFE, b"") * 30_000),
    "jpeg-restarts": jpeg(None, segment(0xDD, b"\0\1") * 30_000),
    "png-text": with_chunk(saved(halves(), "PNG"), chunk(b"tEXt", b"") * 30_000),
    "png-rows": with_chunk(saved(halves(), "PNG"), chunk(b"IDAT", b"") * 30_000),
    "gif-comments": short_gif(0)[:-1] + b"\x21\xfe\0" * 30_000 + short_gif(1)[19:],
    "webp-junk": riff((b"VP8X", bytes(10)), *[(b"JUNK", b"")] * 30_000),
}


@pytest.mark.parametrize("data", FLOODS.values(), ids=FLOODS)
def test_a_file_in_too_many_parts_is_refused(data: bytes) -> None:
    error = rejection(data)
    assert (error.code, "20,000 parts" in error.reason) == ("photo_too_large", True)


def test_the_largest_that_is_allowed_is_rendered() -> None:
    side = 20_000
    height = MAX_PIXELS // side
    result = render(png(side, height, bits=1, colour=0, rows=bytes((side // 8 + 1) * height)))
    assert (result.width, result.height) == (side, height)
    assert opened(result.thumbnail).size == (320, 32)


IN_A_PROCESS_OF_ITS_OWN = """
import resource, struct, sys, zlib
from shared.domain.errors import PhotoRejected
from shared.imaging.render import render
from tests.support.pictures import chunk, exif_segment, halves, jpeg, png, saved, with_chunk
from tests.unit.imaging.test_limits import PIXELS, SIDES, filled_exif

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

def outcome(data):
    try:
        return bool(render(data))
    except PhotoRejected as error:
        return error.code

good, text = saved(halves(), "PNG"), zlib.compress(bytes(60_000_000), 1)
profile = b"name\\0\\0" + text
others = [
    with_chunk(good, chunk(b"zTXt", b"Comment\\0\\0" + text)),
    with_chunk(good, chunk(b"iTXt", b"XML:com.adobe.xmp\\0\\1\\0\\0\\0" + text)),
    with_chunk(good, chunk(b"iCCP", profile)),
    with_chunk(good, chunk(b"eXIf", filled_exif(8_000_000))),
    jpeg(None, *[exif_segment(filled_exif(65_000))] * 100),
]
for data in (good, jpeg(), saved(halves(), "GIF"), saved(halves(), "WEBP")):
    assert render(data)
before = peak()
bombs = {outcome(data) for data in (*PIXELS.values(), *SIDES.values())}
between = peak()
rest = {outcome(data) for data in others}
print(bombs, rest, between - before, peak() - between)
"""


def filled_exif(size: int) -> bytes:
    """A block whose entries all take its whole length for their value: read with care, it would be size x entries."""
    entries = min(65_535, (size - 14) // 12)
    directory = b"".join(struct.pack("<HHII", tag, 7, size - 8, 8) for tag in range(entries))
    block = struct.pack("<2sHIH", b"II", 42, 8, entries) + directory
    return block + bytes(size - len(block))


def test_bombs_take_no_memory() -> None:  # IF-01
    done = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS_OF_ITS_OWN], cwd=ROOT, capture_output=True, text=True, check=True
    )
    *outcomes, grown, more = done.stdout.split()
    assert outcomes == ["{'photo_too_large'}", "{True}"]
    assert int(grown) <= 4
    assert int(more) <= 40, "a picture with a lot beside it takes as much as its file has, and what decoding takes"
    assert not done.stderr
