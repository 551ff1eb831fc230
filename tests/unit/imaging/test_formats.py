"""Each kind of picture looks in its thumbnail and its clean copy as it was meant."""

import struct

import pytest
from PIL import Image

from shared.domain.errors import PhotoRejected
from shared.imaging.render import Rendered, render
from tests.support.pictures import BLUE, RED, animated, chunk, halves, jpeg, opened, png, saved
from tests.unit.imaging.near import near

WHITE = (255, 255, 255)


def thumbnail(result: Rendered) -> Image.Image:
    assert result.thumbnail.startswith(b"\xff\xd8\xff")
    picture = opened(result.thumbnail)
    assert picture.mode == "RGB"
    return picture


def half_clear(mode: str) -> Image.Image:
    """The left half is opaque, the right half shines through, and is black beneath."""
    picture = Image.new(mode, (64, 32), 0)
    picture.paste((90, 255) if mode == "LA" else (*RED, 255), (0, 0, 32, 32))
    return picture


@pytest.mark.parametrize(
    ("data", "left", "right"),
    [
        pytest.param(saved(Image.new("RGBA", (64, 32), 0), "PNG"), WHITE, WHITE, id="rgba-clear"),
        pytest.param(saved(half_clear("RGBA"), "PNG"), RED, WHITE, id="rgba"),
        pytest.param(saved(half_clear("LA"), "PNG"), (90, 90, 90), WHITE, id="la"),
        pytest.param(saved(half_clear("RGBA"), "WEBP", lossless=True), RED, WHITE, id="webp"),
        pytest.param(saved(half_clear("RGBA"), "GIF"), RED, WHITE, id="gif"),
        pytest.param(saved(half_clear("RGBA").quantize(8), "PNG"), RED, WHITE, id="palette"),
    ],
)
def test_what_shines_through_is_white_in_a_thumbnail(  # IF-05
    data: bytes, left: tuple[int, ...], right: tuple[int, ...]
) -> None:
    result = render(data)
    small = thumbnail(result)
    assert near(small.getpixel((8, 16)), left)
    assert near(small.getpixel((56, 16)), right)
    assert (result.clean_type, result.extension) == ("image/png", "png")
    assert opened(result.clean).convert("RGBA").getpixel((56, 16))[3] == 0  # type: ignore[index]


@pytest.mark.parametrize(
    ("data", "extension"),
    [
        pytest.param(saved(halves(mode="P"), "PNG"), "png", id="palette"),
        pytest.param(saved(halves(), "PNG"), "png", id="png"),
        pytest.param(saved(halves(mode="RGBA"), "PNG"), "png", id="opaque-alpha"),
        pytest.param(saved(halves(), "GIF"), "png", id="gif"),
        pytest.param(saved(halves(), "WEBP"), "jpg", id="webp"),
        pytest.param(saved(halves(mode="RGBA"), "WEBP"), "jpg", id="webp-opaque-alpha"),
        pytest.param(saved(halves(mode="CMYK"), "JPEG"), "jpg", id="cmyk"),
        pytest.param(saved(halves(), "JPEG", progressive=True), "jpg", id="progressive"),
        pytest.param(saved(halves(), "JPEG", restart_marker_blocks=1), "jpg", id="restarts"),
    ],
)
def test_a_picture_keeps_its_colours(data: bytes, extension: str) -> None:
    result = render(data)
    assert result.extension == extension
    clean = opened(result.clean)
    assert clean.size == (200, 100)
    assert clean.mode == "RGB"
    for picture in (clean, thumbnail(result)):
        assert near(picture.getpixel((30, 50)), RED)
        assert near(picture.getpixel((170, 50)), BLUE)


def test_grey_stays_grey() -> None:
    for data in (jpeg(halves(mode="L")), saved(halves(mode="L"), "PNG"), saved(halves(mode="1"), "PNG")):
        result = render(data)
        assert opened(result.clean).mode == "L"
        assert thumbnail(result).size == (200, 100)


# One row of two pixels each: what is stored, and what is seen of it.
ROWS = {
    "grey-16": (16, 0, b"\x80\x00\x40\xff", b"", [(128,) * 3, (64,) * 3]),
    "grey-16-clear": (16, 0, b"\x80\x00\x80\x01", b"\x80\x00", [WHITE, (128,) * 3]),
    "grey-alpha-16": (16, 4, b"\x80\x00\xff\xff\x00\x00\x00\x00", b"", [(128,) * 3, WHITE]),
    "rgb-16": (16, 2, b"\xff\xff\0\0\0\0" + b"\0\0\x80\0\0\0", b"", [(255, 0, 0), (0, 128, 0)]),
    "rgb-16-clear": (16, 2, b"\xff\xff\0\0\0\0" + b"\0\0\x80\0\0\0", b"\xff\xff\0\0\0\0", [WHITE, (0, 128, 0)]),
    "rgba-16": (16, 6, b"\xff\xff\0\0\0\0\xff\xff" + bytes(8), b"", [(255, 0, 0), WHITE]),
    "grey-4": (4, 0, b"\x3f", b"", [(51,) * 3, WHITE]),
    "grey-4-clear": (4, 0, b"\x30", b"\0\x03", [WHITE, (0,) * 3]),
    "grey-2-clear": (2, 0, b"\x60", b"\0\x01", [WHITE, (170,) * 3]),
    "grey-1-clear": (1, 0, b"\x40", b"\0\0", [WHITE, WHITE]),
    "rgb-clear": (8, 2, b"\1\2\3\4\5\6", b"\0\1\0\2\0\3", [WHITE, (4, 5, 6)]),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_every_depth_of_a_png_is_understood(row: tuple[int, int, bytes, bytes, list[tuple[int, ...]]]) -> None:
    bits, colour, stored, clear, seen = row
    chunks = [chunk(b"tRNS", clear)] if clear else []
    clean = opened(render(png(2, 1, *chunks, bits=bits, colour=colour, rows=b"\0" + stored)).clean).convert("RGBA")
    over_white = Image.alpha_composite(Image.new("RGBA", clean.size, "white"), clean)
    assert [over_white.getpixel((x, 0)) for x in (0, 1)] == [(*pixel, 255) for pixel in seen]


def test_an_interlaced_png_is_understood() -> None:
    # The first pass has pixel 0, the fourth pixel 2, the sixth pixels 1 and 3 of a row of four.
    rows = b"\0\x0a" + b"\0\x1e" + b"\0\x14\x28"
    clean = opened(render(png(4, 1, bits=8, colour=0, rows=rows, interlaced=True)).clean)
    assert [clean.getpixel((x, 0)) for x in range(4)] == [10, 20, 30, 40]


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_an_animation_is_its_first_frame(kind: str) -> None:  # IF-05
    result = render(animated(kind))
    assert near(thumbnail(result).getpixel((20, 15)), RED)
    clean = opened(result.clean)
    assert getattr(clean, "n_frames", 1) == 1
    assert near(clean.convert("RGB").getpixel((20, 15)), RED)


@pytest.mark.parametrize(("size", "small"), [((1, 20_000), (1, 320)), ((20_000, 1), (320, 1))])
def test_extreme_shapes_have_a_thumbnail(size: tuple[int, int], small: tuple[int, int]) -> None:  # IF-09
    result = render(saved(Image.new("RGB", size, RED), "PNG"))
    assert thumbnail(result).size == small
    assert (result.width, result.height) == opened(result.clean).size == size


@pytest.mark.parametrize(
    ("size", "small"),
    [((1, 1), (1, 1)), ((320, 320), (320, 320)), ((321, 100), (320, 100)), ((640, 480), (320, 240)), ((9, 8), (9, 8))],
)
def test_a_thumbnail_fits_and_is_never_enlarged(size: tuple[int, int], small: tuple[int, int]) -> None:
    assert thumbnail(render(saved(Image.new("RGB", size, RED), "JPEG"))).size == small


def test_the_first_picture_of_several_is_shown() -> None:  # IF-10
    data = saved(halves(), "MPO", save_all=True, append_images=[Image.new("RGB", (300, 200), BLUE)])
    result = render(data)
    assert result.extension == "jpg"
    assert thumbnail(result).size == (200, 100)


def test_kinds_of_jpeg_that_are_not_read_are_unsupported() -> None:
    good = jpeg()
    at = good.index(b"\xff\xc0") + 4
    for frame in (b"\x0c" + good[at + 1 : at + 6], good[at : at + 5] + b"\x02"):
        data = good[:at] + frame + good[at + 6 :]
        with pytest.raises(PhotoRejected) as rejected:
            render(data)
        assert rejected.value.code == "photo_unsupported"


def test_a_palette_that_is_missing_or_too_short_or_too_long_is_no_crash() -> None:
    for palette in (b"\xff\0\0", bytes(768)):
        for clear in (b"\0" * 300, b"\xff" * 299 + b"\0", b"\0"):
            chunks = chunk(b"PLTE", palette), chunk(b"tRNS", clear)
            assert render(png(2, 1, *chunks, bits=8, colour=3, rows=b"\0\x00\xff")).width == 2
    for bad in (b"", chunk(b"tRNS", b"\0"), chunk(b"PLTE", bytes(1_200))):
        with pytest.raises(PhotoRejected):
            render(png(2, 1, bad, bits=8, colour=3, rows=b"\0\x00\xff"))


def test_a_gif_whose_frame_is_larger_than_its_canvas_is_shown_whole() -> None:
    data = saved(halves(), "GIF")
    result = render(data[:6] + struct.pack("<HH", 1, 1) + data[10:])
    assert (result.width, result.height) == (200, 100)
