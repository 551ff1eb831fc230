"""A thumbnail and a clean copy are upright."""

import struct

import pytest

from shared.imaging.render import render
from tests.support.pictures import (
    BLUE,
    RED,
    chunk,
    directory,
    exif_segment,
    halves,
    jpeg,
    opened,
    saved,
    tiff,
    tiff_of,
    with_chunk,
)
from tests.unit.imaging.near import near

# Where the red half of the picture (left of it, as stored) is seen.
RED_AT = {1: "left", 2: "right", 3: "right", 4: "left", 5: "top", 6: "top", 7: "bottom", 8: "bottom"}
PLACES = {"left": (0.1, 0.5), "right": (0.9, 0.5), "top": (0.5, 0.1), "bottom": (0.5, 0.9)}
OPPOSITE = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}


def sees(data: bytes, place: str) -> tuple[int, ...]:
    picture = opened(data).convert("RGB")
    x, y = PLACES[place]
    pixel = picture.getpixel((int(x * picture.width), int(y * picture.height)))
    assert isinstance(pixel, tuple)
    return pixel


@pytest.mark.parametrize("order", ["<", ">"], ids=["intel", "motorola"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_is_applied(orientation: int, order: str) -> None:  # IE-05
    result = render(jpeg(None, exif_segment(tiff(orientation=orientation, order=order))))
    size = (200, 100) if orientation < 5 else (100, 200)
    assert (result.width, result.height) == opened(result.clean).size == opened(result.thumbnail).size == size
    for data in (result.clean, result.thumbnail):
        assert near(sees(data, RED_AT[orientation]), RED)
        assert near(sees(data, OPPOSITE[RED_AT[orientation]]), BLUE)


@pytest.mark.parametrize("orientation", [0, 9, 255, 65535])
def test_an_orientation_that_does_not_exist_is_ignored(orientation: int) -> None:  # IE-07
    result = render(jpeg(None, exif_segment(tiff(orientation=orientation))))
    assert opened(result.thumbnail).size == (200, 100)
    assert near(sees(result.thumbnail, "left"), RED)
    assert result.geotag is None


def test_corners_tell_a_turned_picture_from_a_mirrored_one() -> None:
    picture = halves()
    picture.paste((0, 254, 0), (0, 0, 40, 40))
    for orientation, corner in {5: (5, 5), 6: (90, 5), 7: (90, 190), 8: (5, 190)}.items():
        clean = opened(render(jpeg(picture, exif_segment(tiff(orientation=orientation)))).clean)
        pixel = clean.getpixel(corner)
        assert isinstance(pixel, tuple)
        assert near(pixel, (0, 254, 0))


def test_orientation_of_a_png_and_a_webp_is_applied() -> None:
    block = tiff(orientation=6)
    for data in (
        with_chunk(saved(halves(), "PNG"), chunk(b"eXIf", block)),
        saved(halves(), "WEBP", exif=block),
        saved(halves(), "WEBP", exif=b"Exif\0\0" + block),
    ):
        result = render(data)
        assert (result.width, result.height) == (100, 200)
        assert near(sees(result.thumbnail, "top"), RED)


def test_orientation_may_be_a_long_number_and_no_other_kind() -> None:
    for kind, size in {4: (100, 200), 1: (200, 100), 2: (200, 100), 5: (200, 100), 99: (200, 100)}.items():
        block = tiff_of(directory([struct.pack("<HHII", 0x0112, kind, 1, 6)]))
        assert opened(render(jpeg(None, exif_segment(block))).thumbnail).size == size
