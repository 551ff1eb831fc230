"""HEIC, whose header its library reads."""

import struct

import pillow_heif
import pytest
from PIL import Image

from shared.domain.errors import PhotoRejected
from shared.imaging.render import render
from tests.support.pictures import BLUE, RED, SYDNEY, halves, mottled, opened, saved, tiff
from tests.unit.imaging.near import near
from tests.unit.imaging.parts import jpeg_parts


def heic(picture: Image.Image | None = None, **options: object) -> bytes:
    pillow_heif.register_heif_opener()
    return saved(picture or halves(), "HEIF", quality=80, **options)


def code(data: bytes) -> str:
    with pytest.raises(PhotoRejected) as rejected:
        render(data)
    return rejected.value.code


def test_a_heic_becomes_a_jpeg_without_metadata() -> None:
    result = render(heic(exif=tiff(latitude=SYDNEY[0], longitude=SYDNEY[1], refs=(b"S", b"E")), xmp=b"<x>secret</x>"))
    assert (result.clean_type, result.extension, result.width, result.height) == ("image/jpeg", "jpg", 200, 100)
    assert result.geotag == (-33.86, 151.211111)
    assert jpeg_parts(result.clean) == ["E0:JFIF", "DB", "DB", "C0", "C4", "C4", "C4", "C4", "DA"]
    for picture in (opened(result.clean), opened(result.thumbnail)):
        assert near(picture.getpixel((30, 50)), RED)
        assert near(picture.getpixel((170, 50)), BLUE)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_heic_is_turned_once(orientation: int) -> None:
    result = render(heic(exif=tiff(orientation=orientation)))
    assert (result.width, result.height) == ((200, 100) if orientation < 5 else (100, 200))


def test_what_only_says_that_it_is_a_heic_is_unsupported() -> None:  # IF-03
    start = bytes.fromhex("000000186674797068656963000000006865696d696631")
    for data in (start, start + bytes(5_000), start + b"\xff" * 5_000):
        assert code(data) == "photo_unsupported"


def test_a_cut_heic_is_refused() -> None:
    data = heic(mottled(120, 120))
    for share in (0.5, 0.9, 0.99):
        assert code(data[: int(len(data) * share)]) in {"photo_damaged", "photo_unsupported"}


def test_a_heic_with_a_large_header_is_refused() -> None:
    data = heic()
    at = data.index(b"ispe") + 8
    assert struct.unpack_from(">II", data, at) == (200, 100)
    for width, height in ((20_000, 20_000), (30_001, 1), (0xFFFFFFFF, 0xFFFFFFFF)):
        assert code(data[:at] + struct.pack(">II", width, height) + data[at + 8 :]) in {
            "photo_too_large",
            "photo_unsupported",
        }


def test_a_heic_whose_pixels_are_more_than_its_header_says_is_damaged() -> None:
    data = heic(halves(600, 400))
    small = data.replace(struct.pack(">II", 600, 400), struct.pack(">II", 200, 100))
    assert small != data
    assert code(small) == "photo_damaged"


def test_a_heic_with_transparency_stays_so() -> None:
    picture = Image.new("RGBA", (64, 64), (*RED, 255))
    picture.paste((0, 0, 0, 0), (32, 0, 64, 64))
    result = render(heic(picture))
    assert result.extension == "png"
    assert near(opened(result.thumbnail).getpixel((60, 32)), (255, 255, 255))
