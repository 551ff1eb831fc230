"""The work of a filter that does as a test says, and writes down what it did. Copies of the app have it as a file."""

import time
from dataclasses import dataclass
from datetime import datetime

from shared.domain.delivery import Delivery
from shared.domain.envelope import Envelope
from shared.domain.errors import DependencyDown, HopelessMessage
from shared.domain.record import Record
from shared.services.filter_work import Done, Later, Parts
from shared.storage.table import Table


def open_scripted(name: str, parts: Parts) -> "Scripted":
    """The work of the filter of this name."""
    return Scripted(name, Table(parts.account, "filterwork"), Table(parts.account, "filterorders"))


@dataclass(frozen=True)
class Scripted:
    """`made` holds what was done, in its order; `orders` what a test wants."""

    name: str
    made: Table
    orders: Table

    async def do(self, record: Record, event: Envelope, delivery: Delivery, *, now: datetime) -> Done | Later:
        row = await self.orders.read("filter", self.name)
        what = row["what"] if row else "work"
        if what == "down":
            raise DependencyDown("what the filter needs is not there")
        if what == "refuse":
            raise HopelessMessage("it was told to", code="refused")
        if what == "break":
            raise RuntimeError("nobody foresaw this")
        if what == "later" and event.attempt < 3:
            return Later(seconds=1)
        await self._note(record, "did")
        return Done()

    async def tidy(self, record: Record) -> None:
        await self._note(record, "tidied")

    async def undo(self, record: Record) -> None:
        await self._note(record, "undid")

    async def _note(self, record: Record, what: str) -> None:
        key = f"{time.time_ns():020d}-{self.name}"
        await self.made.put({"PartitionKey": record.id, "RowKey": key, "what": what, "filter": self.name})
