"""Table Storage: the calls that the product makes on a row, the same for every table."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from azure.core import MatchConditions
from azure.core.exceptions import ResourceExistsError, ResourceModifiedError, ResourceNotFoundError
from azure.data.tables import UpdateMode
from azure.data.tables.aio import TableClient, TableServiceClient

from shared.domain.errors import DependencyDown
from shared.storage.clients import make_client
from shared.storage.connections import StorageConnections
from shared.storage.faults import error_code, made_if_missing, told_as_down

ETAG = "etag"
"""The key under which a read row carries its version."""

Row = dict[str, Any]


class StaleRow(Exception):
    """The row was changed since it was read; nothing was written. Read it again."""


class Tables:
    """The tables of one account. The client is opened at the first call and kept."""

    def __init__(self, connections: StorageConnections, *, environment_proxy: bool = False) -> None:
        self._connections = connections
        self._environment_proxy = environment_proxy

    @cached_property
    def _client(self) -> TableServiceClient:
        return make_client(TableServiceClient, self._connections, "table", environment_proxy=self._environment_proxy)

    def table(self, name: str) -> "Table":
        """One table of the account, which need not exist yet."""
        return Table(self, name)

    def client(self, name: str) -> TableClient:
        """The SDK's client of one table; SettingsError where the account's address is not set."""
        return self._client.get_table_client(name)

    async def close(self) -> None:
        """Let go of the connections."""
        if "_client" in self.__dict__:
            await self._client.close()


class Table:
    """One table. A missing one is made by the first call that meets it.

    Every call raises DependencyDown when the table cannot be used now; a write may have landed all the same.
    """

    def __init__(self, tables: Tables, name: str) -> None:
        self._tables = tables
        self._name = name

    @cached_property
    def _client(self) -> TableClient:
        return self._tables.client(self._name)

    async def create(self, row: Mapping[str, Any]) -> str | None:
        """Write a new row and give its ETag; None, and nothing written, if there is a row with its keys."""
        with told_as_down():
            try:
                written = await made_if_missing(lambda: self._client.create_entity(row), self._client.create_table)
            except ResourceExistsError as error:
                if error_code(error) == "TableBeingDeleted":
                    raise
                return None
        return str(written["etag"])

    async def read(self, partition: str, key: str) -> Row | None:
        """The row with its ETag under `etag`; None if there is none."""
        with told_as_down():
            try:
                entity = await made_if_missing(
                    lambda: self._client.get_entity(partition, key), self._client.create_table
                )
            except ResourceNotFoundError as error:
                if error_code(error) in {"ResourceNotFound", "EntityNotFound"}:
                    return None
                raise
        if (entity.get("PartitionKey"), entity.get("RowKey")) != (partition, key):
            raise DependencyDown("an answer that is not the row which was asked for")
        return {**entity, ETAG: entity.metadata["etag"]}

    async def merge(self, row: Mapping[str, Any], *, etag: str) -> str:
        """Change the given columns of a row that is still at this ETag, and give the new one.

        Raises:
            StaleRow: it is not, or is gone.
        """
        with told_as_down():
            try:
                written = await self._client.update_entity(
                    row, mode=UpdateMode.MERGE, etag=etag, match_condition=MatchConditions.IfNotModified
                )
            except (ResourceModifiedError, ResourceNotFoundError) as error:
                if isinstance(error, ResourceNotFoundError) and error_code(error) == "TableNotFound":
                    raise
                raise StaleRow from error
        return str(written["etag"])

    async def put(self, row: Mapping[str, Any]) -> None:
        """Write the row whether or not there is one: for rows of which every copy says the same."""
        with told_as_down():
            await made_if_missing(
                lambda: self._client.upsert_entity(row, mode=UpdateMode.REPLACE), self._client.create_table
            )

    async def drop(self, partition: str, key: str) -> None:
        """Remove a row; harmless if there is none."""
        with told_as_down():
            await self._client.delete_entity(partition, key)
