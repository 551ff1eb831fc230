"""Where a photo was taken, as decimal degrees, or nothing."""

import struct

import pytest

from shared.imaging.exif import read_exif
from shared.imaging.render import render
from tests.support.pictures import SYDNEY, Fractions, chunk, exif_segment, halves, jpeg, saved, tiff, with_chunk

SOUTH, EAST = SYDNEY


def geotag(latitude: Fractions | None, longitude: Fractions | None, **more: object) -> tuple[float, float] | None:
    return read_exif(tiff(latitude=latitude, longitude=longitude, **more)).geotag  # type: ignore[arg-type]


@pytest.mark.parametrize("refs", [(b"S", b"E"), (b"s", b"e")], ids=["capitals", "small"])
def test_hemisphere_letters_in_either_case_are_understood(refs: tuple[bytes, bytes]) -> None:  # IE-03
    assert geotag(SOUTH, EAST, refs=refs) == (-33.86, 151.211111)
    assert geotag(SOUTH, EAST, refs=refs, order=">") == (-33.86, 151.211111)


@pytest.mark.parametrize(
    ("refs", "expected"),
    [
        ((b"N", b"E"), (33.86, 151.211111)),
        ((b"N", b"W"), (33.86, -151.211111)),
        ((b"S", b"W"), (-33.86, -151.211111)),
        (None, None),  # IE-03
        ((b"E", b"N"), None),
        ((b"\0", b"E"), None),
        ((b"N", b"\xff"), None),
        ((b"N", b"?"), None),
    ],
    ids=["ne", "nw", "sw", "none", "swapped", "nul", "high", "question"],
)
def test_a_place_needs_both_letters(refs: tuple[bytes, bytes] | None, expected: object) -> None:
    assert geotag(SOUTH, EAST, refs=refs) == expected


@pytest.mark.parametrize(
    ("latitude", "longitude"),
    [
        (((0, 0), (0, 0), (0, 0)), ((0, 0), (0, 0), (0, 0))),  # IE-01
        (((33, 1), (51, 1), (0, 0)), EAST),
        (((33, 0), (51, 1), (36, 1)), EAST),
        (SOUTH, ((151, 1), (12, 0), (0, 1))),
        (((91, 1), (0, 1), (0, 1)), EAST),
        (((90, 1), (0, 1), (1, 100)), EAST),
        (SOUTH, ((180, 1), (1, 1), (0, 1))),
        (((0xFFFFFFFF, 1), (0, 1), (0, 1)), EAST),
        (((33, 1), (51, 1)), EAST),
        (((33, 1),), EAST),
        ((), EAST),
        (((33, 1), (51, 1), (36, 1), (0, 1)), EAST),
        (None, EAST),
        (SOUTH, None),
    ],
    ids=[
        *("all-0/0", "seconds-0/0", "degrees-33/0", "longitude-12/0", "91", "just-over-90", "over-180", "huge"),
        *("two-parts", "one-part", "no-parts", "four-parts", "no-latitude", "no-longitude"),
    ],
)
def test_half_a_place_or_an_impossible_one_is_none(latitude: Fractions | None, longitude: Fractions | None) -> None:
    assert geotag(latitude, longitude) is None


def test_zero_denominators_keep_the_photo_upright_and_without_a_place() -> None:  # IE-01
    nothing = ((0, 0), (0, 0), (0, 0))
    result = render(jpeg(None, exif_segment(tiff(orientation=6, latitude=nothing, longitude=nothing))))
    assert (result.width, result.height, result.geotag) == (100, 200, None)


def test_zero_components_are_valid() -> None:  # IE-04
    altitude = [struct.pack("<HHII", 6, 5, 1, 8)]
    assert geotag(((0, 1), (30, 1), (0, 1)), ((6, 1), (0, 1), (0, 1)), extra=altitude) == (0.5, 6.0)
    zero = geotag(((0, 1), (0, 1), (0, 1)), ((0, 1), (0, 1), (0, 1)), refs=(b"S", b"W"))
    assert f"{zero}" == "(0.0, 0.0)"


def test_the_ends_of_the_earth_are_on_it() -> None:
    zero = (0, 1)
    assert geotag(((90, 1), zero, zero), ((180, 1), zero, zero), refs=(b"S", b"W")) == (-90.0, -180.0)


def test_numbers_that_are_no_fractions_are_no_place() -> None:
    for kind in (1, 3, 4, 7, 10, 11, 12, 99):  # 11 and 12 are floating: what is not a number is not looked at
        block = bytearray(tiff(latitude=SOUTH, longitude=EAST))
        at = block.index(struct.pack("<HHI", 2, 5, 3))
        block[at + 2 : at + 4] = struct.pack("<H", kind)
        assert read_exif(bytes(block)).geotag is None


def test_a_place_is_read_from_each_kind_of_file_that_has_one() -> None:
    block = tiff(latitude=SOUTH, longitude=EAST, refs=(b"S", b"E"))
    for data in (
        jpeg(None, exif_segment(block)),
        saved(halves(), "WEBP", exif=block),
        with_chunk(saved(halves(), "PNG"), chunk(b"eXIf", block)),
    ):
        assert render(data).geotag == (-33.86, 151.211111)
