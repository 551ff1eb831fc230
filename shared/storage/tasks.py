"""The table of tasks, and the pointers that lists are made of."""

import asyncio
import hashlib
import unicodedata
from collections.abc import Collection
from dataclasses import replace
from datetime import date

from shared.domain.names import INDEX_TABLE, TASK_TABLE
from shared.domain.record import Record
from shared.storage.account import Account
from shared.storage.columns import Columns
from shared.storage.pointers import newest_first
from shared.storage.table import Table
from shared.storage.task_rows import edited, keys, standing, to_record, to_row


class TaskStore:
    """Rows and pointers. Every call raises DependencyDown while the table cannot be used."""

    def __init__(self, account: Account) -> None:
        self._rows = Table(account, TASK_TABLE)
        self._pointers = Table(account, INDEX_TABLE)

    async def create(self, record: Record) -> Record | None:
        """Write a new task's row and give it with its ETag; None, and nothing written, if its id has one."""
        etag = await self._rows.create(to_row(record))
        return replace(record, etag=etag) if etag else None

    async def read(self, task_id: str) -> Record | None:
        """The task, or None if there is no row for it.

        Raises:
            DamagedRow: there is one that this version did not write.
        """
        row = await self._rows.read(*keys(task_id))
        return to_record(row) if row else None

    async def change(self, record: Record) -> Record:
        """Write where a task stands, if its row is still at the record's ETag; other columns stay untouched.

        Gives the record with the new ETag.

        Raises:
            StaleRow: the row was changed meanwhile; nothing was written.
        """
        partition, key = keys(record.id)
        columns = {"PartitionKey": partition, "RowKey": key, **standing(record)}
        return replace(record, etag=await self._rows.merge(columns, etag=record.etag))

    async def edit(self, record: Record) -> Record:
        """Write the fields that were edited and what tells of the edit, if its row is still at the record's ETag; other
        columns stay untouched. Gives the record with the new ETag.

        Raises:
            StaleRow: the row was changed meanwhile; nothing was written.
        """
        partition, key = keys(record.id)
        columns = {"PartitionKey": partition, "RowKey": key, **edited(record)}
        return replace(record, etag=await self._rows.merge(columns, etag=record.etag))

    async def overwrite(self, record: Record) -> Record:
        """Write every column that a record has, if its row is still at the record's ETag, and give it with the new one.

        Raises:
            StaleRow: it is not; nothing was written.
        """
        return replace(record, etag=await self._rows.merge(to_row(record), etag=record.etag))

    async def point(self, record: Record) -> None:
        """Put the task into each list that it belongs to: none, if it never came. A repeat writes the same again."""
        if record.is_tombstone:
            return
        row_key = newest_first(record.submitted_at, record.id)
        lists = [day_list(record.submitted_at)]
        if record.task.owner:
            lists.append(person_list("owner", record.task.owner))
        if record.task.created_by:
            lists.append(person_list("by", record.task.created_by))
        await asyncio.gather(*(self._pointers.put({"PartitionKey": name, "RowKey": row_key}) for name in lists))

    async def owner(self, task_id: str) -> str | None:
        """Who owns the task now; nothing else is read. None if there is no row for it."""
        row = await self._rows.read(*keys(task_id), columns=("owner",))
        return Columns(row).text("owner", "") if row else None

    async def point_owner(self, record: Record, owner: str, *, instead_of: Collection[str]) -> None:
        """Put the task into the list of an owner, then take it out of the lists of others. A repeat does so again."""
        row_key = newest_first(record.submitted_at, record.id)
        kept = _owner_lists({owner})
        for name in kept:
            await self._pointers.put({"PartitionKey": name, "RowKey": row_key})
        for name in _owner_lists(instead_of) - kept:
            await self._pointers.drop(name, row_key)


DAYS = "all:"
"""With a day behind it, the key of the list of all its tasks."""


def day_list(day: date) -> str:
    """The key of the list of all tasks of a day (UTC)."""
    return f"{DAYS}{day:%Y-%m-%d}"


def _owner_lists(owners: Collection[str]) -> set[str]:
    return {person_list("owner", owner) for owner in owners if owner}


def person_list(kind: str, person: str) -> str:
    """The key of a person's list: a digest, since keys never hold user text as it came.

    Names are alike that differ only in case, in outer blanks or in Unicode form (NFC).
    """
    alike = person.strip()
    for _ in range(2):  # folding may leave a form that is not NFC, and NFC one that folds further
        alike = unicodedata.normalize("NFC", unicodedata.normalize("NFC", alike).casefold())
    return hashlib.sha256(f"{kind}:{alike}".encode()).hexdigest()
