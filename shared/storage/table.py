"""Table Storage: the calls that the product makes on a row, the same for every table."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceModifiedError, ResourceNotFoundError
from azure.data.tables import UpdateMode
from azure.data.tables.aio import TableClient

from shared.domain.errors import DependencyDown
from shared.storage.account import Account
from shared.storage.error_table import Meaning
from shared.storage.faults import made_if_missing, meaning_of, told_as_down

ETAG = "etag"
"""The key under which a read row carries its version."""

Row = dict[str, Any]


class StaleRow(Exception):
    """The row was changed since it was read; nothing was written. Read it again."""


class Table:
    """One table. A missing one is made by the first call that meets it.

    Every call raises DependencyDown when the table cannot be used now; a write may have landed all the same.
    """

    def __init__(self, account: Account, name: str) -> None:
        self._account = account
        self._name = name

    @cached_property
    def _client(self) -> TableClient:
        return self._account.tables.get_table_client(self._name)

    async def create(self, row: Mapping[str, Any]) -> str | None:
        """Write a new row and give its ETag; None, and nothing written, if there is a row with its keys."""
        with told_as_down():
            try:
                written = await made_if_missing(lambda: self._client.create_entity(row), self._client.create_table)
            except ResourceExistsError as error:
                if meaning_of(error) is not Meaning.EXPECTED:
                    raise
                return None
        return str(written["etag"])

    async def read(self, partition: str, key: str, *, columns: Sequence[str] = ()) -> Row | None:
        """The row with its ETag under `etag`; None if there is none. `columns`: of them alone, and of the keys."""
        select = ["PartitionKey", "RowKey", *columns] if columns else None
        with told_as_down():
            try:
                entity = await made_if_missing(
                    lambda: self._client.get_entity(partition, key, select=select), self._client.create_table
                )
            except ResourceNotFoundError as error:
                if meaning_of(error) is not Meaning.EXPECTED:
                    raise
                return None
        if (entity.get("PartitionKey"), entity.get("RowKey")) != (partition, key):
            raise DependencyDown("an answer that is not the row which was asked for")
        # A column that the row does not have is null where it is asked for by name.
        return {**{name: value for name, value in entity.items() if value is not None}, ETAG: entity.metadata["etag"]}

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
                if meaning_of(error) is not Meaning.EXPECTED:
                    raise
                raise StaleRow from error
        return str(written["etag"])

    async def put(self, row: Mapping[str, Any]) -> None:
        """Write the row whether or not there is one: for rows of which every copy says the same."""
        with told_as_down():
            await made_if_missing(
                lambda: self._client.upsert_entity(row, mode=UpdateMode.REPLACE), self._client.create_table
            )

    async def query(self, where: str, values: Mapping[str, str], *, limit: int) -> list[Row]:
        """The first rows, `limit` at most, in the order of their keys, for which a filter holds; with their ETags.

        `where` is an OData filter in which `@name` stands for a value. It must bound the keys: a filter over other
        columns alone, or one with `or`, has the service read the whole table.
        """
        found: list[Row] = []
        mark: tuple[str, str] | None = None
        while True:  # a page may hold fewer than were asked for, or none, and yet there are more
            rows, mark = await self.page(where, values, limit=limit - len(found), mark=mark)
            found += rows
            if mark is None or len(found) == limit:
                return found

    async def page(
        self,
        where: str,
        values: Mapping[str, str],
        *,
        limit: int,
        mark: tuple[str, str] | None = None,
        columns: Sequence[str] = (),
    ) -> tuple[list[Row], tuple[str, str] | None]:
        """What one request finds of the rows for which a filter (as in `query`) holds; `limit` at most, up to 1,000.

        With it the mark at which the next request goes on, None at the end. The service stops after some seconds of
        reading: there may be fewer rows than asked for, or none, and yet more to come. `columns`: of them
        alone.
        """
        with told_as_down():
            return await made_if_missing(
                lambda: self._page(where, values, limit, mark, columns), self._client.create_table
            )

    async def _page(
        self,
        where: str,
        values: Mapping[str, str],
        limit: int,
        mark: tuple[str, str] | None,
        columns: Sequence[str],
    ) -> tuple[list[Row], tuple[str, str] | None]:
        entities = self._client.query_entities(
            where, parameters=dict(values), results_per_page=limit, select=list(columns) or None
        )
        start: Any = {"PartitionKey": mark[0] or None, "RowKey": mark[1] or None} if mark else None
        pages: Any = entities.by_page(start)  # the token is a pair of texts, whatever its type says
        found = [{**entity, ETAG: entity.metadata["etag"]} async for entity in await anext(pages)]
        token = pages.continuation_token
        return found, (token["PartitionKey"] or "", token["RowKey"] or "") if token else None

    async def remove(self, partition: str, key: str, *, etag: str) -> None:
        """Remove a row that is still at this ETag; StaleRow if it is not, or is gone."""
        with told_as_down():
            try:
                await self._delete(partition, key, etag=etag, match_condition=MatchConditions.IfNotModified)
            except ResourceModifiedError as error:
                raise StaleRow from error

    async def drop(self, partition: str, key: str) -> None:
        """Remove a row; harmless if there is none."""
        with told_as_down():
            await self._delete(partition, key)

    async def _delete(self, partition: str, key: str, **condition: Any) -> None:
        # The SDK takes every 404 for a row that is gone, also one that storage did not say.
        answers: list[Any] = []

        async def delete() -> None:
            await self._client.delete_entity(partition, key, raw_response_hook=answers.append, **condition)
            answer = HttpResponseError(response=answers[-1].http_response)
            if answer.status_code == 404 and meaning_of(answer) is not Meaning.EXPECTED:
                raise answer

        await made_if_missing(delete, self._client.create_table)
