"""The directory: who tasks may be assigned to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from shared.domain.errors import DependencyDown, UnknownOwner, UnknownPerson
from shared.domain.person import Person
from shared.storage.people import PeopleStore


@dataclass(frozen=True, kw_only=True)
class People:
    """What operators do with the directory. Every call raises DependencyDown after `seconds`, or while the table cannot
    be used; a write may have landed all the same, and can be repeated."""

    store: PeopleStore
    seconds: float

    async def get(self, person: str) -> Person:
        """The entry of somebody; UnknownPerson if there is none."""
        async with self._in_time():
            found = await self.store.read(person)
        if found is None:
            raise UnknownPerson
        return found

    async def put(self, person: Person) -> None:
        """Write an entry, in place of the one before if there is one."""
        async with self._in_time():
            await self.store.put(person)

    async def remove(self, person: str) -> None:
        """Remove the entry of somebody; harmless if there is none."""
        async with self._in_time():
            await self.store.remove(person)

    async def check_owner(self, owner: str) -> None:
        """UnknownOwner if the owner of a task is not in the directory."""
        async with self._in_time():
            is_known = await self.store.has(owner)
        if not is_known:
            raise UnknownOwner

    @asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self.seconds):
                yield
        except TimeoutError as error:
            raise DependencyDown("the table did not answer in time") from error
