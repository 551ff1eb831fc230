"""Photos in their container, which is private."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceNotFoundError

from shared.domain.names import PHOTO_CONTAINER
from shared.storage.account import Account
from shared.storage.error_table import Meaning
from shared.storage.faults import made_if_missing, meaning_of, told_as_down
from shared.storage.photo_names import INCOMING, checked, clean_name, incoming_name, photo_of_upload, thumbnail_name

if TYPE_CHECKING:
    from azure.storage.blob.aio import BlobClient, ContainerClient

UNKNOWN_TYPE = "application/octet-stream"

_PRIVATE = "private, max-age=86400"
"""Of what is linked: whoever may see it may keep it for a day; no cache between may."""

Where = Literal["incoming", "original"]


@dataclass(frozen=True, kw_only=True)
class Found:
    """Where the bytes of a photo are, and how many."""

    where: Where
    size: int


@dataclass(frozen=True, kw_only=True)
class Upload:
    """One blob under `incoming/`. `photo` is empty where its name is none that the app makes."""

    photo: str
    uploaded_at: datetime


class PhotoStore:
    """Every call raises DependencyDown while the container cannot be used; one that writes may have written."""

    def __init__(self, account: Account) -> None:
        self._account = account

    @property
    def _container(self) -> "ContainerClient":
        return self._account.blobs.get_container_client(PHOTO_CONTAINER)

    async def make(self) -> None:
        """The container is there, and private."""
        container = self._container
        with told_as_down():  # whoever may not make one can use the one that is there
            await made_if_missing(container.get_container_properties, container.create_container)

    async def put_incoming(self, photo: str, data: bytes, media_type: str) -> bool:
        """Keep an upload; False, and nothing written, if there is one for this photo."""
        try:
            await self._put(
                incoming_name(photo), data, overwrite=False, content_type=media_type, disposition="attachment"
            )
        except ResourceExistsError as error:
            if meaning_of(error) is not Meaning.EXPECTED:
                raise
            return False
        return True

    async def size_of(self, photo: str) -> Found | None:
        """Where the photo is and its length in bytes, before anything of it is read; None if it is not there (yet)."""
        places: tuple[tuple[Where, str], ...] = (("incoming", incoming_name(photo)), ("original", photo))
        for where, name in places:
            blob = self._container.get_blob_client(name)
            properties = await self._unless_missing(blob.get_blob_properties)
            if properties is not None:
                return Found(where=where, size=properties.size)
        return None

    async def read(self, photo: str, *, most: int) -> bytes | None:
        """The photo as it was uploaded, its first `most` bytes; None if it is not there."""
        for name in (incoming_name(photo), photo):
            data = await self._unless_missing(self._reading(name, most))
            if data is not None:
                return data
        return None

    def _reading(self, name: str, most: int) -> Callable[[], Awaitable[bytes]]:
        container = self._container

        async def read() -> bytes:
            try:
                download = await container.download_blob(name, offset=0, length=most)
            except HttpResponseError as error:
                if error.status_code != 416:  # a blob without a byte has no first one
                    raise
                return b""
            return await download.readall()

        return read

    async def keep(
        self, photo: str, *, original: bytes, clean: bytes, extension: str, clean_type: str, thumbnail: bytes
    ) -> None:
        """Keep the original and what was made of it, in place of what was kept before. The upload stays."""
        await self._put(checked(photo), original, content_type=UNKNOWN_TYPE, disposition="attachment")
        name = clean_name(photo, extension)
        file = f'inline; filename="photo.{extension}"'
        await self._put(name, clean, content_type=clean_type, disposition=file, cache_control=_PRIVATE)
        file = 'inline; filename="thumbnail.jpg"'
        await self._put(
            thumbnail_name(photo), thumbnail, content_type="image/jpeg", disposition=file, cache_control=_PRIVATE
        )

    async def drop_incoming(self, photo: str) -> None:
        """Remove the upload; harmless if it is gone."""
        await self._unless_missing(self._container.get_blob_client(incoming_name(photo)).delete_blob)

    async def remove(self, photo: str) -> None:
        """Remove every form of the photo. Repeating it is harmless."""
        await self.drop_incoming(photo)
        for blob in await self._forms(checked(photo)):
            await self._unless_missing(blob.delete_blob)

    async def _forms(self, photo: str) -> "list[BlobClient]":
        container = self._container

        async def look() -> list[str]:  # a photo has one length, so what begins with it is of it
            return [str(name) async for name in container.list_blob_names(name_starts_with=photo)]

        with told_as_down():
            names = await made_if_missing(look, container.create_container)
        return [container.get_blob_client(name) for name in names]

    async def uploads(self, mark: str | None = None, *, limit: int) -> tuple[list[Upload], str | None]:
        """One page of the uploads by name, `limit` at most, and the mark of the next; None: there is none."""
        container = self._container

        async def look() -> tuple[list[Upload], str | None]:
            listing = container.list_blobs(name_starts_with=INCOMING, results_per_page=limit)
            pages: Any = listing.by_page(mark)
            found = [
                Upload(photo=photo_of_upload(each.name), uploaded_at=each.creation_time or each.last_modified)
                async for each in await anext(pages)
            ]
            return found, pages.continuation_token or None

        with told_as_down():
            return await made_if_missing(look, container.create_container)

    async def _put(
        self,
        name: str,
        data: bytes,
        *,
        content_type: str,
        disposition: str,
        cache_control: str = "no-store",
        overwrite: bool = True,
    ) -> None:
        from azure.storage.blob import ContentSettings

        settings = ContentSettings(
            content_type=content_type, content_disposition=disposition, cache_control=cache_control
        )
        container = self._container
        with told_as_down():
            await made_if_missing(
                lambda: container.upload_blob(name, data, overwrite=overwrite, content_settings=settings),
                container.create_container,
            )

    async def _unless_missing[T](self, call: Callable[[], Awaitable[T]]) -> T | None:
        """What the call answers; None where there is no such blob."""
        with told_as_down():
            try:
                return await made_if_missing(call, self._container.create_container)
            except ResourceNotFoundError as error:
                if meaning_of(error) is not Meaning.EXPECTED:
                    raise
                return None
