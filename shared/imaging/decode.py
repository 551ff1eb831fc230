"""From a photo's outline to its pixels. Imports the decoders: import this in a thread, and when a photo is there.

Which errors of a decoder are a verdict on the file: the decoders raise what their C and Python code happens to raise on
bytes that make no sense. These classes are all that their sources raise for it. Each is taken as a verdict only around
opening and loading, where none of our own code runs. Everything else is a crash, for the caller to count: MemoryError
(the next instance may have more), an OSError with a number (the system said it), AttributeError, AssertionError.
"""

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import pillow_heif
from PIL import Image

from shared.imaging.exif import Shot, read_exif
from shared.imaging.limits import check_frames, check_size, damaged, unsupported
from shared.imaging.outline import Kind, Outline

_VERDICTS = (
    Image.DecompressionBombError,
    Image.DecompressionBombWarning,
    EOFError,  # the data ends within the first frame
    IndexError,  # a header ends too early
    KeyError,  # a mode or table that is not known
    OSError,  # UnidentifiedImageError, "image file is truncated", "broken data stream"
    OverflowError,  # a number of the file does not fit C
    RuntimeError,  # libheif, of a picture that its decoder gave up on
    SyntaxError,  # the header breaks its format
    TypeError,  # a header ends too early
    ValueError,  # numbers of the file that contradict each other, and libheif
    struct.error,
    zlib.error,
)


class Decoded(NamedTuple):
    """The first picture of a photo, loaded, and what was written beside it."""

    picture: Image.Image  # its `info` says what is transparent
    shot: Shot
    profile: bytes


def decode(outline: Outline) -> Decoded:
    """Raises PhotoRejected: damaged, too large (of a HEIC only known here), or a HEIC that cannot be read."""
    if outline.kind is Kind.HEIC:
        _read_heic()
    # Never restored: a thread that restores the filters takes those of the other thread with it.
    warnings.filterwarnings("ignore", module=r"PIL\.|pillow_heif\.")
    with _verdicts(heic=outline.kind is Kind.HEIC):
        picture = Image.open(io.BytesIO(outline.picture), formats=(outline.kind.value,))
    check_size(*picture.size)
    if outline.kind is Kind.HEIC:
        check_frames(getattr(picture, "n_frames", 1))
    with _verdicts():
        picture.load()
    check_size(*picture.size)  # of a HEIC it is known now
    if outline.kind is Kind.HEIC:
        return _with_heic_info(picture.copy())
    return Decoded(
        # A WebP's decoder stays with its picture, and has two canvases of that size.
        picture.copy() if outline.kind is Kind.WEBP else picture,
        read_exif(outline.exif),
        outline.profile,
    )


def _with_heic_info(picture: Image.Image) -> Decoded:
    """Which way is up stands in a HEIC's container, and its decoder has obeyed it."""
    shot = read_exif((picture.info.get("exif") or b"").removeprefix(b"Exif\0\0"))
    return Decoded(picture, replace(shot, orientation=1), picture.info.get("icc_profile") or b"")


@cache
def _read_heic() -> None:
    """Make the decoder know HEIC, of which it reads the picture alone, with no threads of its own."""
    pillow_heif.register_heif_opener(thumbnails=False, depth_images=False, aux_images=False, decode_threads=1)


@contextmanager
def _verdicts(*, heic: bool = False) -> Iterator[None]:
    """Turn what is a verdict on the file into PhotoRejected. A HEIC that does not open may be of another coding."""
    try:
        yield
    except _VERDICTS as error:
        if isinstance(error, OSError) and (error.errno is not None or "out of memory" in str(error)):
            raise
        raise (unsupported() if heic else damaged()) from error
