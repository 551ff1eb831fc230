"""What follows from how a row stands: the next filter's message, the notices, and in the end nothing to sweep.

A step stamps its row, then hands on, and only then its own message is done. So whatever ends it in between, its repeat
finds the stamp and hands on again: ids are derived, so that whoever receives the same twice does it once.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from shared.domain import identity
from shared.domain.envelope import Envelope, encode, step_type
from shared.domain.names import CONNECTION, NOTICE_QUEUE
from shared.domain.notice import Channel, Notice, assigned_notices, notice_event, state_notices
from shared.domain.record import Record
from shared.services.filters import FILTERS, Filter, next_filter
from shared.storage.pointers import Pointers
from shared.storage.queues import Queues


@dataclass(frozen=True, kw_only=True)
class HandOn:
    """`on` names the channels that are on: over another nothing is sent, and nothing put for it.

    Every call raises DependencyDown where a store cannot be used now; a repeat completes what was handed on.
    """

    queues: Queues
    pointers: Pointers
    on: frozenset[Channel]

    async def after(self, record: Record, *, traceparent: str = "") -> None:
        """Hand a task on from where its row stands: to its next filter, or to whoever is told that it is settled.

        The sweeper's pointer is there before the filter has its message, and goes once the task is settled. That of a
        reopened task belongs to who reopened it, and the sweeper removes it. The notices come before that message: once
        the filter has it the state may be another one, and a repeat would tell of that alone.
        """
        if record.is_tombstone:
            return
        has_pointer = record.reopened_at is None and any(each.is_needed(record.task) for each in FILTERS)
        step = None if record.is_settled else next_filter(record.task, record.steps)
        if step and has_pointer:
            await self.pointers.open(record.id, at=record.under_way_since)
        await self.tell(record, traceparent=traceparent)
        if step:
            await self._put(step.queue, step_event(step, record, traceparent=traceparent))
        if record.is_settled and has_pointer:
            await self.pointers.close(record.id, at=record.under_way_since)

    async def tell(self, record: Record, *, traceparent: str = "") -> None:
        """Have everybody told who wants to know of the state of a task."""
        await self._notify(record, state_notices(record, on=self.on, now=_now()), traceparent)

    async def tell_owner(self, record: Record, *, edit: str = "", traceparent: str = "") -> None:
        """Have the owner told that the task is theirs. `edit` names the one that made it so, if one did."""
        await self._notify(record, assigned_notices(record, edit, on=self.on, now=_now()), traceparent)

    async def _notify(self, record: Record, notices: Sequence[Notice], traceparent: str) -> None:
        events = [notice_event(notice, caller=record.caller, traceparent=traceparent) for notice in notices]
        await asyncio.gather(*(self._put(NOTICE_QUEUE, event) for event in events))

    async def _put(self, queue: str, event: Envelope) -> None:
        await self.queues.put(CONNECTION, queue, encode(event))


def step_event(step: Filter, record: Record, *, traceparent: str = "") -> Envelope:
    """The message that asks a filter to work for a task. It says of which content, so that it can reopen no other."""
    return Envelope(
        id=identity.step_event_id(record.id, step.name),
        type=step_type(step.name),
        subject=record.id,
        time=record.submitted_at,
        caller=record.caller,
        data={"fingerprint": record.fingerprint, "attempt": 1},
        traceparent=traceparent,
        redrives=record.redrives,
        reopened_at=record.reopened_at,
    )


def _now() -> datetime:
    return datetime.now(UTC)
