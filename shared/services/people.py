"""The directory: who tasks may be assigned to."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from shared import log
from shared.domain.errors import DependencyDown, NotKnownWritten, UnknownOwner, UnknownPerson, told
from shared.domain.person import Person
from shared.services.deadline import answers_within
from shared.storage.people import PeopleStore


@dataclass(frozen=True, kw_only=True)
class People:
    """What operators do with the directory. After `seconds`, or while the table cannot be used, a read raises
    DependencyDown and a write NotKnownWritten: it may have landed all the same, and can be repeated."""

    store: PeopleStore
    seconds: float

    async def get(self, person: str) -> Person:
        """The entry of somebody; UnknownPerson if there is none."""
        async with answers_within(self.seconds):
            found = await self.store.read(person)
        if found is None:
            raise UnknownPerson
        return found

    async def put(self, person: Person) -> None:
        """Write an entry, in place of the one before if there is one."""
        async with self._writing():
            await self.store.put(person)

    async def remove(self, person: str) -> None:
        """Remove the entry of somebody; harmless if there is none."""
        async with self._writing():
            await self.store.remove(person)

    async def check_owner(self, owner: str) -> None:
        """UnknownOwner if the owner of a task is not in the directory."""
        async with answers_within(self.seconds):
            is_known = await self.store.has(owner)
        if not is_known:
            raise UnknownOwner

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[None]:
        try:
            async with answers_within(self.seconds):
                yield
        except DependencyDown as error:
            log.warning("a write of the directory was not acknowledged", because=told(error))
            raise NotKnownWritten from error
