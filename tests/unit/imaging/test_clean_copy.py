"""A clean copy has the picture and nothing beside it."""

import struct
import zlib

import pytest
from PIL import ImageCms

from shared.imaging.render import render
from tests.support.pictures import (
    RED,
    SYDNEY,
    chunk,
    exif_segment,
    halves,
    jpeg,
    opened,
    saved,
    segment,
    tiff,
    with_chunk,
)
from tests.unit.imaging.near import near
from tests.unit.imaging.parts import jpeg_parts, png_parts

SECRET = b"Hauptstrasse 7"
PLACE = tiff(orientation=1, latitude=SYDNEY[0], longitude=SYDNEY[1])
XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/">' + SECRET + b"</x:xmpmeta>"
SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()

JPEG = (
    jpeg(
        None,
        exif_segment(PLACE + SECRET + jpeg(halves(16, 16))),
        segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + XMP),
        segment(0xE2, b"MPF\0" + SECRET),
        segment(0xED, b"Photoshop 3.0\x008BIM\4\4\0\0" + struct.pack(">I", len(SECRET)) + SECRET),
        segment(0xEB, SECRET),
        segment(0xFE, SECRET),
        icc_profile=SRGB,
    )
    + SECRET
)
PNG = (
    with_chunk(
        with_chunk(saved(halves(), "PNG", icc_profile=SRGB), chunk(b"eXIf", PLACE + SECRET)),
        chunk(b"tEXt", b"Comment\0" + SECRET)
        + chunk(b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(SECRET))
        + chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + XMP)
        + chunk(b"tIME", b"\x07\xea\1\1\1\1\1")
        + chunk(b"prVt", SECRET),
    )
    + SECRET
)
CLEAR = halves(mode="RGBA")
CLEAR.putpixel((0, 0), (0, 0, 0, 0))

FILES = {
    "jpeg": JPEG,
    "png": PNG,
    "gif": saved(halves(), "GIF", comment=SECRET, xmp=XMP),
    "webp": saved(halves(), "WEBP", exif=PLACE + SECRET, xmp=XMP, icc_profile=SRGB),
    "webp-clear": saved(CLEAR, "WEBP", exif=PLACE + SECRET, xmp=XMP, icc_profile=SRGB),
}

JPEG_PARTS = ["E0:JFIF", "DB", "DB", "C0", "C4", "C4", "C4", "C4", "DA"]


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_no_metadata_is_left(data: bytes) -> None:
    assert SECRET in data
    result = render(data)
    if result.extension == "jpg":
        assert jpeg_parts(result.clean) == JPEG_PARTS
    else:
        assert set(png_parts(result.clean)) == {"IHDR", "IDAT", "IEND"}
    assert jpeg_parts(result.thumbnail) == JPEG_PARTS
    assert SECRET not in result.clean + result.thumbnail
    assert opened(result.clean).info.keys() <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_the_same_photo_gives_the_same_bytes(data: bytes) -> None:
    assert render(data) == render(data)


def test_a_kept_type_has_its_name_and_media_type() -> None:
    kinds = {name: (render(data).extension, render(data).clean_type) for name, data in FILES.items()}
    jpg, png = ("jpg", "image/jpeg"), ("png", "image/png")
    assert kinds == {"jpeg": jpg, "png": png, "gif": png, "webp": jpg, "webp-clear": png}


def swapped_profile(copyright_bytes: int = 0) -> bytes:
    """A profile whose red is green and whose green is red, so that it is seen when it is obeyed."""
    profile = bytearray(SRGB)
    count = int.from_bytes(profile[128:132])
    places = {bytes(profile[at : at + 4]): at for at in range(132, 132 + 12 * count, 12)}
    red, green = places[b"rXYZ"], places[b"gXYZ"]
    profile[red : red + 4], profile[green : green + 4] = b"gXYZ", b"rXYZ"
    profile[0:4] = (len(profile) + copyright_bytes).to_bytes(4)
    return bytes(profile) + bytes(copyright_bytes)


@pytest.mark.parametrize(
    ("kind", "mode"), [("JPEG", "RGB"), ("PNG", "RGB"), ("PNG", "RGBA"), ("PNG", "P"), ("WEBP", "RGB")]
)
def test_colours_are_what_the_profile_says(kind: str, mode: str) -> None:
    picture = halves(mode="RGBA" if mode == "RGBA" else "RGB")
    if mode == "RGBA":
        picture.putpixel((199, 99), (0, 0, 0, 0))
    result = render(saved(picture.convert(mode), kind, icc_profile=swapped_profile()))
    clean = opened(result.clean)
    assert "icc_profile" not in clean.info
    for copy in (clean, opened(result.thumbnail)):
        seen = copy.convert("RGB").getpixel((30, 50))
        assert near(seen, (0, 254, 0), by=12), seen
    if mode == "RGBA":
        assert clean.getpixel((199, 99))[3] == 0  # type: ignore[index]
        assert clean.getpixel((30, 50))[3] == 255  # type: ignore[index]


def test_a_profile_in_many_parts_is_put_together() -> None:
    profile = swapped_profile(150_000)
    result = render(jpeg(None, icc_profile=profile))
    assert near(opened(result.clean).getpixel((30, 50)), (0, 254, 0), by=12)


BAD_PROFILES = {
    "noise": b"noise",
    "empty": b"",
    "cut": swapped_profile()[:200],
    "no-such-colours": swapped_profile().replace(b"RGB ", b"\xfaGB ", 1),
    "grey-for-colours": swapped_profile().replace(b"RGB ", b"GRAY", 1),
    "printer-for-colours": swapped_profile().replace(b"RGB ", b"CMYK", 1),
    "too-large": swapped_profile(1_100_000),
}


@pytest.mark.parametrize("profile", BAD_PROFILES.values(), ids=BAD_PROFILES)
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_profile_that_cannot_be_used_is_ignored(kind: str, profile: bytes) -> None:
    result = render(saved(halves(), kind, icc_profile=profile))
    assert near(opened(result.clean).getpixel((30, 50)), RED)


def test_a_profile_with_a_part_missing_is_ignored() -> None:
    parts = [segment(0xE2, b"ICC_PROFILE\0" + bytes((number, 3)) + swapped_profile()[:600]) for number in (1, 3)]
    for order in (parts, parts[::-1], parts[:1]):
        assert near(opened(render(jpeg(None, *order)).clean).getpixel((30, 50)), RED)


def test_a_grey_profile_and_a_printers_profile_are_obeyed_or_ignored_without_a_crash() -> None:
    for mode in ("L", "CMYK"):
        for profile in (SRGB, swapped_profile().replace(b"RGB ", b"GRAY", 1)):
            result = render(jpeg(halves(mode=mode), icc_profile=profile))
            assert (result.width, result.height) == (200, 100)
