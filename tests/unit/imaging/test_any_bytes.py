"""Whatever the bytes are, the outcome is a rendered photo or a rejected one, and never a crash, a hang or a warning."""

import random
import struct
import warnings
from functools import cache

import pillow_heif
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from PIL import ImageCms

from shared.domain.errors import PhotoRejected
from shared.imaging.render import render
from tests.support.pictures import (
    SYDNEY,
    animated,
    chunk,
    exif_segment,
    halves,
    jpeg,
    mottled,
    opened,
    png,
    saved,
    tiff,
    with_chunk,
)

PLACE = tiff(orientation=6, latitude=SYDNEY[0], longitude=SYDNEY[1])
CODES = {"photo_too_large", "photo_damaged", "photo_unsupported"}
KINDS = [
    *("jpeg", "progressive", "cmyk", "mpo", "png", "palette", "la", "grey-16", "interlaced", "one-bit"),
    *("gif", "webp", "webp-clear", "webp-animated", "heic"),
]


@cache
def sample(kind: str) -> bytes:
    """A small file of a kind, with metadata where it can have some."""
    picture = mottled(40, 30)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    block = chunk(b"eXIf", PLACE)
    pillow_heif.register_heif_opener()
    return {
        "jpeg": lambda: jpeg(picture, exif_segment(PLACE), icc_profile=profile),
        "progressive": lambda: jpeg(picture, exif_segment(PLACE), progressive=True),
        "cmyk": lambda: jpeg(picture.convert("CMYK")),
        "mpo": lambda: saved(picture, "MPO", save_all=True, append_images=[halves()]),
        "png": lambda: with_chunk(saved(picture, "PNG", icc_profile=profile), block),
        "palette": lambda: saved(picture.quantize(16), "PNG", transparency=bytes(range(16))),
        "la": lambda: saved(picture.convert("LA"), "PNG"),
        "grey-16": lambda: png(
            8, 8, chunk(b"tRNS", b"\1\2"), bits=16, colour=0, rows=b"".join(b"\1" + bytes(range(16)) for _ in range(8))
        ),
        "interlaced": lambda: png(4, 1, bits=8, colour=0, rows=b"\0\x0a\0\x1e\0\x14\x28", interlaced=True),
        "one-bit": lambda: saved(picture.convert("1"), "PNG"),
        "gif": lambda: animated("GIF"),
        "webp": lambda: saved(picture, "WEBP", exif=PLACE, icc_profile=profile),
        "webp-clear": lambda: saved(picture.convert("RGBA"), "WEBP", lossless=True),
        "webp-animated": lambda: animated("WEBP"),
        "heic": lambda: saved(picture, "HEIF", exif=PLACE),
    }[kind]()


def outcome(data: bytes) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = render(data)
        except PhotoRejected as rejected:
            assert rejected.code in CODES
            return rejected.code
    assert opened(result.clean).size == (result.width, result.height)
    assert max(opened(result.thumbnail).size) <= 320
    return "rendered"


def changed(data: bytes, chance: random.Random) -> bytes:
    """A few bits or bytes are other ones, a piece is missing, twice there or zero, or the end is missing."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(out))
        match chance.randrange(7):
            case 0 | 1:
                out[at] ^= 1 << chance.randrange(8)
            case 2:
                out[at] = chance.choice((0, 0x7F, 0x80, 0xFF))
            case 3:
                out[at : at + 4] = chance.randbytes(4)
            case 4 if len(out) > 40:
                del out[at : at + chance.randrange(1, 9)]
            case 5:
                out[at:at] = out[at : at + chance.randrange(1, 40)]
            case _ if chance.random() < 0.3:
                del out[at + 1 :]
    return bytes(out)


def mended(data: bytes) -> bytes:
    """A PNG whose checksums are right again, so that the decoder gets to see what is wrong with it."""
    out, at = data[:8], 8
    while at + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        out += chunk(kind, data[at + 8 : at + 8 + length])
        at += 12 + length
    return out


@pytest.mark.parametrize("kind", KINDS)
def test_samples_are_rendered(kind: str) -> None:
    assert outcome(sample(kind)) == "rendered"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "rounds", [40, pytest.param(5_000, marks=(pytest.mark.full, pytest.mark.timeout(1_800)))], ids=["few", "many"]
)
def test_a_changed_file_is_rendered_or_rejected(kind: str, rounds: int) -> None:
    chance = random.Random(f"{kind}{rounds}")
    for _ in range(rounds):
        data = changed(sample(kind), chance)
        try:
            outcome(data)
            if data.startswith(b"\x89PNG"):
                outcome(mended(data))
        except BaseException:
            print(kind, data.hex())
            raise


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "step", [0, pytest.param(1, marks=(pytest.mark.full, pytest.mark.timeout(600)))], ids=["some", "every"]
)
def test_a_file_that_is_cut_anywhere_is_rendered_or_rejected(kind: str, step: int) -> None:
    data = sample(kind)
    for end in range(0, len(data), step or max(1, len(data) // 40)):
        outcome(data[:end])


STARTS = [b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF"]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(some.sampled_from(STARTS), some.binary(max_size=300))
def test_any_bytes_behind_a_start_are_rendered_or_rejected(start: bytes, rest: bytes) -> None:
    outcome(start + rest)
