"""The kind of a photo is said by its first bytes alone."""

import pytest

from shared.domain.errors import PhotoRejected
from shared.imaging.render import render
from tests.support.pictures import halves, jpeg, png, saved

TIFF = saved(halves(), "TIFF")

OTHERS = {
    "text": b"a photo of the lift",
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
    "svg-declared": b'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg>&a;</svg>',
    "html": b"<!doctype html><html><body><img src=x onerror=alert(1)></body></html>",
    "tiff": TIFF,
    "big-tiff": b"II+\0\x08\0\0\0" + TIFF,
    "psd": b"8BPS\0\x01" + bytes(40),
    "pdf": b"%PDF-1.7\n" + jpeg(),
    "postscript": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
    "bmp": saved(halves(), "BMP"),
    "icon": saved(halves(64, 64), "ICO"),
    "ppm": saved(halves(), "PPM"),
    "jpeg-2000": saved(halves(), "JPEG2000"),
    "avif": saved(halves(), "AVIF"),
    "mp4": b"\0\0\0\x18ftypisom\0\0\0\0isommp42" + bytes(99),
    "zip": b"PK\x03\x04" + bytes(40),
    "space-first": b"\n" + jpeg(),
    "wave": b"RIFF\x24\0\0\0WAVEfmt " + bytes(40),
    "one-byte": b"\xff",
}


@pytest.mark.parametrize("data", OTHERS.values(), ids=OTHERS)
def test_what_is_no_picture_that_is_read_here_is_unsupported(data: bytes) -> None:
    with pytest.raises(PhotoRejected) as rejected:
        render(data)
    assert rejected.value.code == "photo_unsupported"
    assert "JPEG, PNG, GIF, WebP or HEIC" in rejected.value.reason


@pytest.mark.parametrize(
    "data",
    [jpeg() + b"<html><script>alert(1)</script></html>", png(1, 1, rows=b"\0\xff\0\0") + b"PK\x03\x04" + bytes(99)],
    ids=["jpeg-and-html", "png-and-zip"],
)
def test_what_a_picture_carries_behind_its_end_is_not_in_its_copy(data: bytes) -> None:
    clean = render(data).clean
    assert b"script" not in clean
    assert b"PK\x03\x04" not in clean
