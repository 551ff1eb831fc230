"""From an uploaded photo to what may be shown of it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from shared.imaging.gif import read_gif
from shared.imaging.jpeg import read_jpeg
from shared.imaging.limits import check_bytes, unsupported
from shared.imaging.outline import Kind, Outline
from shared.imaging.png import read_png
from shared.imaging.slots import in_slot
from shared.imaging.sniff import sniff
from shared.imaging.webp import read_webp

_READERS: dict[Kind, Callable[[bytes], Outline]] = {
    Kind.JPEG: read_jpeg,
    Kind.PNG: read_png,
    Kind.GIF: read_gif,
    Kind.WEBP: read_webp,
    Kind.HEIC: lambda data: Outline(kind=Kind.HEIC, picture=data),
}


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """What is made of a photo. The same photo gives the same bytes, so that a repeat overwrites."""

    clean: bytes  # the picture without any metadata, upright, in sRGB
    clean_type: str  # its media type
    extension: str  # of its name, without the dot
    thumbnail: bytes  # a JPEG that fits into 320 x 320
    width: int  # of the clean copy
    height: int
    geotag: tuple[float, float] | None  # latitude and longitude in decimal degrees, to 6 digits


async def rendered(data: bytes) -> Rendered:
    """As `render`, in a thread, once fewer than two photos are being decoded in this process."""
    return await in_slot(partial(render, data))


def render(data: bytes) -> Rendered:
    """A clean copy and a thumbnail of a photo's first picture, and where it was taken. Work for a thread.

    Raises PhotoRejected: `photo_too_large`, `photo_damaged` or `photo_unsupported`.
    """
    check_bytes(len(data))
    kind = sniff(data)
    if kind is None:
        raise unsupported()
    outline = _READERS[kind](data)

    # They bring the decoders, which nothing but a photo needs.
    from shared.imaging.colour import plain
    from shared.imaging.copies import clean_copy, thumbnail, upright
    from shared.imaging.decode import decode

    picture, shot, profile = decode(outline)
    picture = upright(plain(picture, bits=outline.bits, profile=profile), shot.orientation)
    clean = clean_copy(picture, kind)
    return Rendered(
        clean=clean.data,
        clean_type=clean.media_type,
        extension=clean.extension,
        thumbnail=thumbnail(picture),
        width=picture.width,
        height=picture.height,
        geotag=shot.geotag,
    )
