"""Where hosts keep what they remember: the container `azure-webjobs-hosts` in the account of `AzureWebJobsStorage`."""

from typing import TYPE_CHECKING, Self

from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.core.pipeline.transport import AioHttpTransport

from devhost.settings.configuration import Configuration
from devhost.settings.connections import resolve_connection, sdk_credential

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential
    from azure.storage.blob.aio import BlobClient, ContainerClient

STORAGE = "AzureWebJobsStorage"
CONTAINER = "azure-webjobs-hosts"
NO_ANSWER_SECONDS = 10  # well within half of a lease, so that a renewal can be tried again


class HostBlobs:
    """The container; it is made when the first blob is put. Nothing is tried twice here."""

    def __init__(
        self, container: "ContainerClient", credential: "dict[str, str] | AsyncTokenCredential | None" = None
    ) -> None:
        self._container = container
        self._credential = credential

    @classmethod
    def open(cls, configuration: Configuration) -> Self:
        """A client for it. No request is made yet.

        Raises:
            FunctionError: `AzureWebJobsStorage` is not there or cannot be used.
        """
        connection = resolve_connection(configuration, STORAGE, service="blob")
        from azure.storage.blob.aio import ContainerClient  # here: only apps with timers pay for it

        credential = sdk_credential(connection)
        transport = AioHttpTransport(
            use_env_settings=False, connection_timeout=NO_ANSWER_SECONDS, read_timeout=NO_ANSWER_SECONDS
        )
        container = ContainerClient(
            connection.url, CONTAINER, credential=credential, transport=transport, retry_total=0
        )
        return cls(container, credential)

    def blob(self, name: str) -> "BlobClient":
        """One blob of it."""
        return self._container.get_blob_client(name)

    async def put(self, name: str, content: bytes, *, overwrite: bool) -> None:
        """The blob holds the content; without `overwrite`, one that is there stays as it is.

        Raises:
            AzureError: perhaps written; safe to repeat.
        """
        try:
            await self._put(name, content, overwrite=overwrite)
        except ResourceNotFoundError:
            try:
                await self._container.create_container()
            except ResourceExistsError as error:
                if getattr(error, "error_code", None) != "ContainerAlreadyExists":  # being deleted
                    raise
            await self._put(name, content, overwrite=overwrite)

    async def close(self) -> None:
        """Every socket is closed."""
        await self._container.close()
        if self._credential is not None and not isinstance(self._credential, dict):
            await self._credential.close()

    async def _put(self, name: str, content: bytes, *, overwrite: bool) -> None:
        try:
            await self.blob(name).upload_blob(content, overwrite=overwrite)
        except ResourceExistsError:
            if overwrite:
                raise
