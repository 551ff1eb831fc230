"""Valet keys: a client uploads its photo straight to storage, and its task names it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from shared.domain import identity
from shared.domain.photo_id import GOOD_FOR, sign_photo_id
from shared.services.deadline import STORAGE, answers_within
from shared.storage.photo_links import PhotoLinks
from shared.storage.photos import UNKNOWN_TYPE, PhotoStore

MEDIA_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp", "image/heic", "image/heif")
"""What a client may say that a photo is. What it is, its bytes tell."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A photo that may be uploaded: its id for the task, the request to make, and until when each is good."""

    photo_id: str
    name: str
    url: str
    headers: Mapping[str, str]
    expires_at: datetime
    good_until: datetime


class PhotoUploads:
    """`keys` sign the ids. An offer takes at most so many seconds."""

    def __init__(self, *, store: PhotoStore, links: PhotoLinks, keys: Sequence[bytes], seconds: float) -> None:
        self._store = store
        self._links = links
        self._keys = keys
        self._seconds = seconds
        self._has_container = False

    async def offer(self, caller: str, *, name: str, media_type: str, now: datetime) -> Offer:
        """Let a caller upload one photo. With an account's key storage is asked once in a process, and then never.

        Raises:
            DependencyDown: storage cannot be used now, or gives this app no key to sign with.
        """
        photo = identity.new_photo()
        async with answers_within(self._seconds, STORAGE):
            await self._make_container()
            link = await self._links.upload_link(photo, now=now)
        return Offer(
            photo_id=sign_photo_id(photo, caller, now=now, keys=self._keys),
            name=name,
            url=link.url,
            headers={**link.headers, "Content-Type": media_type or UNKNOWN_TYPE},
            expires_at=link.expires_at,
            good_until=now + GOOD_FOR,
        )

    async def _make_container(self) -> None:
        """A client cannot make what is missing: a link gives no right to."""
        if not self._has_container:
            await self._store.make()
            self._has_container = True
