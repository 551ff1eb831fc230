"""What is made of a plain picture: a clean copy of its full size, and a thumbnail.

Both come of one decode. A second one for the thumbnail, at a fraction of the size as JPEG allows it, would cost more
than it saves: the clean copy needs all pixels anyway.
"""

import io
from typing import NamedTuple

from PIL import Image

from shared.imaging.colour import on_white
from shared.imaging.outline import Kind

THUMBNAIL_SIDE = 320
_THUMBNAIL_QUALITY = 80
_CLEAN_QUALITY = 88
_PNG_LEVEL = 4  # of noise as small as level 6, in half the time

_LOSSLESS = {Kind.PNG, Kind.GIF}  # screenshots and drawings: JPEG would blur them

_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class Copy(NamedTuple):
    data: bytes
    media_type: str
    extension: str


def upright(picture: Image.Image, orientation: int) -> Image.Image:
    """The picture turned as its camera meant it: an EXIF orientation of 1 to 8."""
    turn = _UPRIGHT.get(orientation)
    return picture if turn is None else picture.transpose(turn)


def clean_copy(picture: Image.Image, kind: Kind) -> Copy:
    """A PNG where something shines through, or the photo was a PNG or GIF; else a JPEG. With no metadata at all."""
    written = io.BytesIO()
    if kind in _LOSSLESS or picture.mode in {"LA", "RGBA"}:
        picture.save(written, "PNG", compress_level=_PNG_LEVEL)
        return Copy(written.getvalue(), "image/png", "png")
    picture.save(written, "JPEG", quality=_CLEAN_QUALITY)
    return Copy(written.getvalue(), "image/jpeg", "jpg")


def thumbnail(picture: Image.Image) -> bytes:
    """A JPEG of the picture on white that fits into THUMBNAIL_SIDE, never enlarged, at least one pixel a side."""
    scale = min(1, THUMBNAIL_SIDE / max(picture.size))
    size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    small = picture if size == picture.size else picture.resize(size, Image.Resampling.LANCZOS, reducing_gap=3)
    written = io.BytesIO()
    on_white(small).save(written, "JPEG", quality=_THUMBNAIL_QUALITY)
    return written.getvalue()
