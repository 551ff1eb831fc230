"""Which task has a photo: the first that claims it, for ever."""

from shared.domain.names import INDEX_TABLE
from shared.storage.account import Account
from shared.storage.columns import Columns
from shared.storage.table import Row, Table

SWEEPER = "sweeper"
"""Who claims an upload that is to be removed: no task can have it any more."""


class PhotoClaims:
    """Every call raises DependencyDown while the table cannot be used; a claim may have been made."""

    def __init__(self, account: Account) -> None:
        self._rows = Table(account, INDEX_TABLE)

    async def claim(self, photo: str, task_id: str) -> str:
        """The id of the task that has the photo: this one's, unless another was first. A repeat finds its own claim."""
        row = {**_keys(photo), "task": task_id}
        if await self._rows.create(row):
            return task_id
        return await self.holder(photo) or task_id

    async def holder(self, photo: str) -> str | None:
        """The id of the task that has the photo, or `sweeper`; None if nobody has."""
        keys = _keys(photo)
        row = await self._rows.read(keys["PartitionKey"], keys["RowKey"])
        return Columns(row).text("task") if row else None


def _keys(photo: str) -> Row:
    return {"PartitionKey": f"photo:{photo[:2]}", "RowKey": photo}
