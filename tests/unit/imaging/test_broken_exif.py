"""What a camera wrote wrong makes no photo unusable, and says nothing."""

import random
import struct

import pytest

from shared.imaging.exif import Shot, read_exif
from shared.imaging.render import render
from tests.support.pictures import SYDNEY, chunk, exif_segment, halves, jpeg, opened, saved, tiff, tiff_of, with_chunk

GOOD = tiff(orientation=6, latitude=SYDNEY[0], longitude=SYDNEY[1])

BROKEN = {
    "marker-twice": b"Exif\0\0" + GOOD,  # IE-07
    "random": random.Random(7).randbytes(2_000),  # IE-07
    "random-behind-header": GOOD[:8] + random.Random(8).randbytes(2_000),  # IE-07
    "65535-entries": tiff_of(struct.pack("<H", 65_535)),  # IE-07
    "65535-entries-with-good-ones": GOOD[:8] + b"\xff\xff" + GOOD[10:],  # IE-07
    "empty": b"",
    "header-alone": GOOD[:8],
    "half-a-header": GOOD[:5],
    "first-directory-behind-the-end": GOOD[:4] + b"\xff\xff\xff\xff" + GOOD[8:],
    "first-directory-in-the-header": GOOD[:4] + b"\0\0\0\0" + GOOD[8:],
    "big-tiff": b"II+\0" + GOOD[4:],
    "other-letters": b"XX" + GOOD[2:],
}


@pytest.mark.parametrize("block", BROKEN.values(), ids=BROKEN)
def test_a_broken_block_says_nothing_and_the_photo_is_shown(block: bytes) -> None:  # IE-07
    assert read_exif(block).geotag is None
    for data in (
        jpeg(None, exif_segment(block)),
        saved(halves(), "WEBP", exif=b"Exif\0\0" * 2 + block),  # the library writes one marker less
        with_chunk(saved(halves(), "PNG"), chunk(b"eXIf", block)),
    ):
        result = render(data)
        assert result.geotag is None
        assert opened(result.thumbnail).size == (200, 100)


def test_a_block_that_is_cut_anywhere_is_read_or_says_nothing() -> None:
    whole = read_exif(GOOD)
    for end in range(len(GOOD)):
        shot = read_exif(GOOD[:end])
        assert shot.geotag is None
        assert shot.orientation in {1, whole.orientation}


def test_a_place_whose_directory_is_broken_leaves_the_orientation() -> None:
    at = GOOD.index(struct.pack("<HHI", 0x8825, 4, 1)) + 8
    for position in (0, 3, len(GOOD), 0xFFFFFFFF):
        block = GOOD[:at] + struct.pack("<I", position) + GOOD[at + 4 :]
        assert read_exif(block) == Shot(orientation=6, geotag=None)


def test_a_directory_that_is_its_own_place_ends() -> None:
    at = GOOD.index(struct.pack("<HHI", 0x8825, 4, 1)) + 8
    assert read_exif(GOOD[:at] + struct.pack("<I", 8) + GOOD[at + 4 :]) == Shot(orientation=6)


def test_a_checksum_that_is_wrong_in_a_block_of_a_png_leaves_the_block_out() -> None:
    wrong = chunk(b"eXIf", GOOD)[:-1] + b"?"
    result = render(with_chunk(saved(halves(), "PNG"), wrong))
    assert (result.width, result.height, result.geotag) == (200, 100, None)


@pytest.mark.parametrize("seed", range(20))
def test_a_block_with_changed_bytes_never_raises(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        block = bytearray(GOOD)
        for _ in range(chance.randint(1, 6)):
            block[chance.randrange(len(block))] = chance.choice((0, 1, 0xFF, chance.randrange(256)))
        shot = read_exif(bytes(block))
        assert 1 <= shot.orientation <= 8
        if shot.geotag:
            assert -90 <= shot.geotag[0] <= 90
            assert -180 <= shot.geotag[1] <= 180
