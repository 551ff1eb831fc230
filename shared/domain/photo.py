"""What became of a task's photo: kept with the task, and told to who may see it."""

from dataclasses import dataclass
from typing import Literal, get_args

PhotoState = Literal["ready", "rejected", "missing", "taken"]
"""`ready`: it can be looked at. `rejected`: it cannot be a photo, or the app never gave its id to who sent it.
`missing`: nothing was uploaded in time. `taken`: another task had named it first."""

DELIVERIES = 3
"""After so many failed ones its filter gives a photo up, or the task where the photo is not at fault."""

PHOTO_STATES: tuple[PhotoState, ...] = get_args(PhotoState)


@dataclass(frozen=True, kw_only=True)
class Photo:
    """`code` and `reason` say why it is not ready. `extension` is that of the clean copy, width and height are its
    pixels, upright. `location` is where it was taken: latitude and longitude in decimal degrees, if it says so."""

    state: PhotoState
    code: str = ""
    reason: str = ""
    extension: str = ""
    width: int = 0
    height: int = 0
    location: tuple[float, float] | None = None
