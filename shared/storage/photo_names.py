"""The names of blobs in the container of photos: every one is made here, and of nothing but a photo.

`incoming/<photo>` is an upload as it came, `<photo>` the original once it was looked at, unchanged. Only
`<photo>_clean.<ext>` and `<photo>_thumb.jpg`, which the app makes, are ever linked. A photo is 32 hex digits.
"""

import re
from typing import Literal

from shared.domain.photo import Photo

INCOMING = "incoming/"

_PHOTO = re.compile(r"[0-9a-f]{32}")
_EXTENSION = re.compile(r"[a-z0-9]{1,8}")


def incoming_name(photo: str) -> str:
    """The blob that somebody uploads to."""
    return f"{INCOMING}{checked(photo)}"


def clean_name(photo: str, extension: str) -> str:
    """The blob that is shown, without metadata."""
    if not _EXTENSION.fullmatch(extension):
        raise ValueError("no extension of a clean copy")
    return f"{checked(photo)}_clean.{extension}"


def thumbnail_name(photo: str) -> str:
    """The small one. Its name follows from the photo's, so that a repeat overwrites it."""
    return f"{checked(photo)}_thumb.jpg"


def checked(photo: str) -> str:
    """The photo; ValueError for what is none: no name of a blob is made of anything else."""
    if not _PHOTO.fullmatch(photo):
        raise ValueError("no photo")
    return photo


def shown_name(photo: str, form: Literal["photo", "thumbnail"], result: Photo) -> str:
    """The blob that is linked for a form of a photo that is ready."""
    return thumbnail_name(photo) if form == "thumbnail" else clean_name(photo, result.extension)


def photo_of_upload(name: str) -> str:
    """The photo that a blob under `incoming/` is; empty where its name is none that the app makes."""
    photo = name.removeprefix(INCOMING)
    return photo if _PHOTO.fullmatch(photo) else ""
