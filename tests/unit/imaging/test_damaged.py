"""No half picture: what is cut or broken is refused whole."""

import struct

import pytest

from shared.domain.errors import PhotoRejected
from shared.imaging.render import render
from tests.support.pictures import animated, chunk, halves, jpeg, mottled, opened, png, riff, saved, segment, short_gif

WHOLE = {
    "jpeg": saved(mottled(400, 400), "JPEG"),
    "progressive": saved(mottled(400, 400), "JPEG", progressive=True),
    "png": saved(mottled(200, 200), "PNG"),
    "gif": saved(mottled(200, 200), "GIF"),
    "webp": saved(mottled(200, 200), "WEBP"),
}


def code(data: bytes) -> str:
    with pytest.raises(PhotoRejected) as rejected:
        render(data)
    return rejected.value.code


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("kind", WHOLE)
def test_a_cut_photo_is_damaged(kind: str, share: float) -> None:  # IF-07
    data = WHOLE[kind]
    assert render(data).width in {200, 400}
    assert code(data[: int(len(data) * share)]) == "photo_damaged"


def test_an_empty_photo_is_damaged() -> None:  # IF-07
    with pytest.raises(PhotoRejected, match="empty") as rejected:
        render(b"")
    assert rejected.value.code == "photo_damaged"


def test_a_reason_is_one_sentence_with_the_way_out() -> None:
    with pytest.raises(PhotoRejected) as rejected:
        render(WHOLE["jpeg"][:5_000])
    assert rejected.value.reason == "The photo is damaged or was cut short; send it again, or save it anew first."


BROKEN = {
    "jpeg-start-alone": b"\xff\xd8\xff",
    "jpeg-no-scan": b"\xff\xd8\xff\xd9",
    "jpeg-no-frame": b"\xff\xd8" + segment(0xDA, bytes(8)) + b"\0\0\xff\xd9",
    "jpeg-two-frames": jpeg(None, segment(0xC0, b"\x08\0\x10\0\x10\1\1\x11\0")),
    "jpeg-short-frame": jpeg(None, segment(0xC0, b"\x08\0\x10")),
    "jpeg-no-height": jpeg().replace(struct.pack(">HH", 100, 200), struct.pack(">HH", 0, 200), 1),
    "jpeg-length-of-one": b"\xff\xd8\xff\xe1\0\1" + jpeg()[2:],
    "jpeg-filling-alone": b"\xff\xd8" + b"\xff" * 100_000,
    "png-signature-alone": b"\x89PNG\r\n\x1a\n",
    "png-no-width": png(0, 5, rows=b"\0"),
    "png-no-rows": png(200, 200, rows=b""),
    "png-no-header": b"\x89PNG\r\n\x1a\n" + chunk(b"IDAT", b"") + chunk(b"IEND", b""),
    "png-short-header": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(12)) + chunk(b"IEND", b""),
    "png-unknown-mode": png(1, 1, bits=3, colour=2, rows=b"\0\0\0\0"),
    "png-unknown-filter": png(1, 1, rows=b"\x09\0\0\0"),
    "png-rows-of-noise": png(9, 9, chunk(b"IDAT", b"noise"), rows=b""),
    "gif-header-alone": b"GIF89a" + bytes(7),
    "gif-short-header": b"GIF89a\1",
    "gif-no-frame": short_gif(0),
    "gif-no-width": b"GIF89a\0\0\1\0" + short_gif(1)[10:],
    "webp-header-alone": b"RIFF\4\0\0\0WEBP",
    "webp-unknown-first": riff((b"JUNK", b"12")),
    "webp-no-picture": riff((b"VP8X", bytes(10))),
    "webp-short": riff((b"VP8 ", bytes(3))),
    "webp-chunk-too-long": b"RIFF\x0c\0\0\0WEBPVP8X\xff\xff\xff\xff",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_photo_that_makes_no_sense_is_damaged(data: bytes) -> None:
    assert code(data) == "photo_damaged"


def test_a_wrong_checksum_of_a_picture_is_damage() -> None:
    data = bytearray(WHOLE["png"])
    data[data.index(b"IDAT") + 600] ^= 1
    assert code(bytes(data)) == "photo_damaged"


@pytest.mark.parametrize("kind", ["GIF", "MPO"])
def test_damage_behind_the_first_picture_is_not_asked_for(kind: str) -> None:  # IF-10
    pictures = [halves(), mottled(300, 200)]
    data = saved(pictures[0], kind, save_all=True, append_images=pictures[1:])
    assert b"MPF" in data or kind == "GIF"
    result = render(data[: -len(data) // 4])
    assert opened(result.thumbnail).size == opened(result.clean).size == (200, 100)


def test_only_the_first_frame_is_decoded() -> None:  # IF-05
    data = animated("GIF")
    third = data.rindex(b"\x2c")
    broken = data[: third + 11] + b"\x01\xff\x00;"
    assert opened(render(broken).clean).size == (40, 30)
