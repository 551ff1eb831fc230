"""The directory of people."""

import hashlib

from shared.domain.names import PEOPLE_TABLE
from shared.domain.person import FIELDS, Person
from shared.storage.account import Account
from shared.storage.columns import Columns
from shared.storage.table import Table

_PARTITION = "person"


class PeopleStore:
    """One row a person. Every call raises DependencyDown while the table cannot be used."""

    def __init__(self, account: Account) -> None:
        self._rows = Table(account, PEOPLE_TABLE)

    async def read(self, person: str) -> Person | None:
        """Who that is, compared exactly; None if they are not in the directory. DamagedRow if nobody can tell."""
        row = await self._rows.read(_PARTITION, _key(person))
        if row is None:
            return None
        columns = Columns(row)
        return Person(**{name: columns.text(name, "") for name in FIELDS})

    async def has(self, person: str) -> bool:
        """Whether they are in the directory, compared exactly, whatever their row says of them."""
        return await self._rows.read(_PARTITION, _key(person), columns=("person",)) is not None

    async def put(self, person: Person) -> None:
        """Write their row, in place of the one before if there is one."""
        fields = {name: getattr(person, name) for name in FIELDS}
        await self._rows.put({"PartitionKey": _PARTITION, "RowKey": _key(person.person), **fields})

    async def remove(self, person: str) -> None:
        """Remove their row; harmless if there is none."""
        await self._rows.drop(_PARTITION, _key(person))


def _key(person: str) -> str:
    return hashlib.sha256(person.encode()).hexdigest()
