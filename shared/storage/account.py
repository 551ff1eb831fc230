"""One storage account: its clients, opened on first use and kept, with one sign-in."""

from functools import cached_property
from typing import TYPE_CHECKING

from azure.data.tables.aio import TableServiceClient
from azure.storage.queue.aio import QueueServiceClient

from shared.storage.clients import make_client, make_credential
from shared.storage.connections import StorageConnections

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential
    from azure.storage.blob.aio import BlobServiceClient


class Account:
    """The clients of one account. Each property raises SettingsError where that service's address is not set."""

    def __init__(self, connections: StorageConnections, *, environment_proxy: bool = False) -> None:
        self._connections = connections
        self._environment_proxy = environment_proxy

    @cached_property
    def _credential(self) -> "AsyncTokenCredential | None":
        return make_credential(self._connections)

    @cached_property
    def queues(self) -> QueueServiceClient:
        """Queue Storage."""
        return make_client(QueueServiceClient, self._connections, "queue", self._credential, self._environment_proxy)

    @cached_property
    def tables(self) -> TableServiceClient:
        """Table Storage."""
        return make_client(TableServiceClient, self._connections, "table", self._credential, self._environment_proxy)

    @cached_property
    def blobs(self) -> "BlobServiceClient":
        """Blob Storage."""
        from azure.storage.blob.aio import BlobServiceClient  # only a dead letter needs it: 65 ms of cold start

        return make_client(BlobServiceClient, self._connections, "blob", self._credential, self._environment_proxy)

    async def close(self) -> None:
        """Let go of the connections."""
        for name in ("queues", "tables", "blobs", "_credential"):
            opened = self.__dict__.get(name)
            if opened is not None:
                await opened.close()
