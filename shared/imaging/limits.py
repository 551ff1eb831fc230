"""How large a photo may be, as errors that are found before a pixel is decoded."""

from shared.domain.errors import PhotoRejected

MAX_BYTES = 10 * 1024 * 1024
"""Of the file. A telephone's photo has 2 to 8 MiB; each decode holds its file in memory."""

MAX_PIXELS = 40_000_000
"""Of the picture: cameras and telephones make 12 to 36 million. A decode takes up to 16 bytes for each of them (a
WebP, whose decoder has two canvases of its own), others 10 to 13: 640 MB at worst, and two at once, with 1.3 GB, fit an
instance of 2,048 MB."""

MAX_SIDE = 30_000
"""Of the picture, in pixels. Browsers show nothing larger than 32,767, and a JPEG cannot be larger than 65,500."""

MAX_FRAMES = 1_000
"""Of an animation: 40 seconds at 25 a second. Only the first is decoded; what has more is a film and not a photo."""

MAX_SCANS = 100
"""Of a JPEG: real ones have up to about 15. Each goes over all pixels again, and can be made of a few bytes."""

MAX_PARTS = 20_000
"""Segments, chunks or blocks of a file: 10 MiB in the smallest rows that writers use have some thousand. More take
seconds to walk over, and memory for each."""

MAX_PROFILE_BYTES = 1024 * 1024
"""Of a colour profile, which may come compressed. Printers' profiles have up to about this; a larger one is ignored."""


def check_bytes(size: int) -> None:
    """Raise PhotoRejected where a file of `size` bytes is none, or too large."""
    if size == 0:
        raise damaged("The photo is empty; send it again.")
    if size > MAX_BYTES:
        mebibytes = MAX_BYTES // 1024**2
        raise too_large(f"The photo has more than {mebibytes} MiB; make it smaller, or send a part of it.")


def check_size(width: int, height: int) -> None:
    """Raise PhotoRejected where a picture of so many pixels is none, or too large."""
    if width < 1 or height < 1:
        raise damaged()
    if max(width, height) > MAX_SIDE:
        raise too_large(
            f"A side of the photo has more than {MAX_SIDE:,} pixels; make it smaller, or send a part of it."
        )
    if width * height > MAX_PIXELS:
        raise too_large(f"The photo has more than {MAX_PIXELS // 10**6} million pixels; make it smaller.")


def check_frames(frames: int) -> None:
    """Raise PhotoRejected where an animation has too many frames."""
    if frames > MAX_FRAMES:
        raise too_large(f"The animation has more than {MAX_FRAMES:,} frames; send one picture of it.")


def check_parts(parts: int) -> None:
    """Raise PhotoRejected where a file is in too many pieces."""
    if parts > MAX_PARTS:
        raise too_large(f"The photo's file has more than {MAX_PARTS:,} parts; save it anew.")


def check_scans(scans: int) -> None:
    """Raise PhotoRejected where a JPEG goes over its pixels too often."""
    if scans > MAX_SCANS:
        raise too_large(f"The JPEG has more than {MAX_SCANS} scans; save it anew as a plain JPEG.")


def too_large(reason: str) -> PhotoRejected:
    """The photo breaks the limit that `reason` names."""
    return PhotoRejected(reason, code="photo_too_large")


def damaged(
    reason: str = "The photo is damaged or was cut short; send it again, or save it anew first.",
) -> PhotoRejected:
    """The photo is of a known kind and cannot be read to its end."""
    return PhotoRejected(reason, code="photo_damaged")


def unsupported() -> PhotoRejected:
    """The photo is of no kind that can be read here."""
    return PhotoRejected(
        "The photo is not a picture that can be read here; send a JPEG, PNG, GIF, WebP or HEIC.",
        code="photo_unsupported",
    )
