"""What the bytes of a photo say before any of its pixels is decoded."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What can be read. The values are the decoder's names of the formats."""

    JPEG = "JPEG"
    PNG = "PNG"
    GIF = "GIF"
    WEBP = "WEBP"
    HEIC = "HEIF"


@dataclass(frozen=True, kw_only=True)
class Outline:
    """A photo within the limits, as far as its header says; a HEIC's header is read by its decoder alone.

    The decoder is never shown what surrounds the picture: camera data, text, profiles, previews and further pictures
    can each be made to take memory without bounds, and the decoder would look into them when it opens the file.
    """

    kind: Kind
    picture: bytes  # the picture alone: what the decoder is given
    exif: bytes = b""  # what the camera wrote: a TIFF block without the marker before it, or nothing
    profile: bytes = b""  # the ICC colour profile, or nothing
    bits: int = 8  # of one sample
