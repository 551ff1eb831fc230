"""The shapes of photos: what is known of one, and how it is uploaded."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from shared.services.photo_uploads import MEDIA_TYPES
from shared.services.photo_view import State
from shared.web.openapi.models.common import ONE_LINE, Count, Instant, Path, Shape
from shared.web.photo_answers import NAME_MAX


class Location(Shape):
    """Where the photo was taken, in decimal degrees, if it says so."""

    latitude: Annotated[float, Meta(ge=-90, le=90)]
    longitude: Annotated[float, Meta(ge=-180, le=180)]


class PhotoPaths(Shape):
    photo: Path
    thumbnail: Path


class PhotoView(Shape):
    """How the photo of a task is. `ready`: `links` lead to it. Else `reason` says why not: `waiting` to be looked at,
    `rejected`, `missing` (never uploaded), `taken` by another task, `removed` with a cancelled task."""

    state: State
    code: str
    reason: str
    width: Count
    height: Count
    location: Location | None
    links: PhotoPaths | None


class PhotoWish(Shape):
    """What is known of a photo that is to be uploaded."""

    name: Annotated[str, Meta(max_length=NAME_MAX, extra_json_schema=ONE_LINE)] | None = None
    type: Literal[MEDIA_TYPES] | None = None  # type: ignore[valid-type]
    size: Annotated[float, Meta(ge=1, le=10**12, description="Bytes; over 10 MiB is refused")] | None = None


class PhotoUpload(Shape):
    """The request that uploads the photo: once, to storage itself, with these headers."""

    method: Literal["PUT"]
    url: Annotated[str, Meta(description="A secret: whoever has it may upload")]
    headers: dict[str, str]
    expires_at: Instant
    max_bytes: Count


class PhotoOffer(Shape):
    """A photo that may be uploaded. Name its `photoId` in a task, submitted until `goodUntil`."""

    photo_id: str
    good_until: Instant
    upload: PhotoUpload
    photo_name: Annotated[str, Meta(description="As it was given, for the task's `photoName`")] | UnsetType = UNSET
