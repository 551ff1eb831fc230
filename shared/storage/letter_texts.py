"""The raw texts of dead letters: one blob each, `<queue>/<key of the letter>`."""

from typing import TYPE_CHECKING

from azure.core import MatchConditions
from azure.core.exceptions import ResourceModifiedError, ResourceNotFoundError

from shared.domain.names import LETTER_CONTAINER
from shared.storage.account import Account
from shared.storage.error_table import Meaning
from shared.storage.faults import made_if_missing, meaning_of, told_as_down

if TYPE_CHECKING:
    from azure.storage.blob.aio import ContainerClient


class LetterTexts:
    """Every call raises DependencyDown while the container cannot be used."""

    def __init__(self, account: Account) -> None:
        self._account = account

    @property
    def _container(self) -> "ContainerClient":
        return self._account.blobs.get_container_client(LETTER_CONTAINER)

    async def keep(self, queue: str, key: str, raw: bytes) -> None:
        """Keep a text, byte for byte, in place of the one before."""
        container = self._container
        with told_as_down():
            await made_if_missing(
                lambda: container.upload_blob(_name(queue, key), raw, overwrite=True), container.create_container
            )

    async def read(self, queue: str, key: str) -> bytes | None:
        """The text; None if there is none."""
        container = self._container
        with told_as_down():
            try:
                download = await made_if_missing(
                    lambda: container.download_blob(_name(queue, key)), container.create_container
                )
                return await download.readall()
            except ResourceNotFoundError as error:
                _expect_no_text(error)
                return None

    async def version(self, queue: str, key: str) -> str | None:
        """The ETag of the text; None if there is none."""
        container = self._container
        blob = container.get_blob_client(_name(queue, key))
        with told_as_down():
            try:
                properties = await made_if_missing(blob.get_blob_properties, container.create_container)
            except ResourceNotFoundError as error:
                _expect_no_text(error)
                return None
        return str(properties.etag)

    async def drop(self, queue: str, key: str, version: str) -> None:
        """Remove a text, if it is still this version."""
        container = self._container
        blob = container.get_blob_client(_name(queue, key))
        with told_as_down():
            try:
                await made_if_missing(
                    lambda: blob.delete_blob(etag=version, match_condition=MatchConditions.IfNotModified),
                    container.create_container,
                )
            except ResourceModifiedError:
                return
            except ResourceNotFoundError as error:
                _expect_no_text(error)


def _expect_no_text(error: ResourceNotFoundError) -> None:
    """Raise the error again unless it says that there is no such blob: any other 404 is none of storage's own."""
    if meaning_of(error) is not Meaning.EXPECTED:
        raise error


def _name(queue: str, key: str) -> str:
    return f"{queue}/{key}"
