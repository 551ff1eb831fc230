"""What the trigger of the notice queue does with one message: have one target told, once, or in the end say why not."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from shared import log
from shared.domain.callback_schedule import next_delay
from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import NOTICE, SERVICE_MAX_BYTES, UNKNOWN_TYPE, Envelope, encode, with_next_attempt
from shared.domain.errors import HopelessMessage, TryLater, Undeliverable
from shared.domain.names import CONNECTION, NOTICE_QUEUE
from shared.domain.notice import Channel, Notice
from shared.domain.notice_message import read_notice
from shared.domain.notice_record import NoticeRecord, NoticeState
from shared.storage.notices import NoticeStore
from shared.storage.queues import Queues
from shared.storage.table import StaleRow

EXHAUSTED = "notice_exhausted"


@dataclass(frozen=True, kw_only=True)
class Told:
    """How a delivery of a notice ended, as its row is to say. `wait`: seconds until the same message is due again, that
    is not a try more of its schedule. `error`: why it was not delivered, and so may be tried again or not."""

    record: NoticeRecord
    wait: float | None = None
    error: TryLater | Undeliverable | None = None


class Way(Protocol):
    """How a target is told over one channel."""

    async def tell(self, notice: Notice, record: NoticeRecord, *, now: datetime) -> Told:
        """Have it told, or say why not.

        Raises:
            DependencyDown: a store cannot be used now, or our own sign-in was refused.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Notify:
    """The use case with its stores. `scale` makes the schedule shorter."""

    ways: Mapping[Channel, Way]
    notices: NoticeStore
    queues: Queues
    scale: float

    async def run(self, contents: Contents, delivery: Delivery, *, now: datetime) -> None:
        """Settle one message of the notice queue.

        The row is written before the message is put for the next try; a repeat finds the try in it and puts that again.

        Raises:
            HopelessMessage: it can never be delivered; its row says so.
            DependencyDown: a store cannot be used now. DamagedRow: there is a row that cannot be understood.
        """
        event = _event(contents)
        notice = read_notice(event)
        record = await self._row(notice, event, now)
        if event.redrives < record.redrives:
            log.info("an old copy of a notice changes nothing")
            return
        if record.state == "failed":  # its letter may not be written yet
            raise HopelessMessage(record.reason, code=record.code)
        if record.is_ended:
            return
        if record.tries >= event.attempt:
            await self._put(with_next_attempt(event), next_delay(event.attempt, scale=self.scale) or 0)
            return
        told = await self.ways[notice.channel].tell(notice, record, now=now)
        await self._follow(told, record, event)

    async def _row(self, notice: Notice, event: Envelope, now: datetime) -> NoticeRecord:
        """The notice's row, in the round that the message is of, or a later one."""
        fresh = NoticeRecord(
            task_id=notice.task_id,
            id=notice.id,
            kind=notice.kind,
            channel=notice.channel,
            outcome=notice.task["state"],
            state="waiting",
            changed_at=now,
            redrives=event.redrives,
        )
        while True:
            if created := await self.notices.create(fresh):
                return created
            stored = await self.notices.read(notice.task_id, notice.id)
            if stored is None:
                continue  # it was removed between the two calls
            if event.redrives <= stored.redrives:
                return stored
            try:
                return await self.notices.change(replace(fresh, attempts=stored.attempts, etag=stored.etag))
            except StaleRow:
                continue  # somebody else began the round

    async def _follow(self, told: Told, before: NoticeRecord, event: Envelope) -> None:
        record, error = told.record, told.error
        if isinstance(error, TryLater):
            delay = next_delay(event.attempt, after=error.after, scale=self.scale)
            if delay is not None:
                # A repeat that was not taken leaves in doubt what was handed over before it.
                state: NoticeState = "claimed" if record.state == "repeated" else "waiting"
                log.info("notice not delivered", channel=record.channel, delaySeconds=delay, because=error.reason)
                await self._write(replace(record, state=state, reason=f"{error.reason}; it is tried again"), event)
                await self._put(with_next_attempt(event), delay)
                return
            reason = f"It was tried {record.tries} times; the last time {error.reason}."
            record = replace(record, state="failed", code=EXHAUSTED, reason=reason)
        elif error is not None:
            record = replace(record, state="failed", code=error.code, reason=error.reason)
        if record.state == "sent":
            record = replace(record, reason="")  # of a try before
        if record != before:
            await self._write(record, event)
        if told.wait is not None:
            await self._put(event, math.ceil(told.wait))
        elif record.state == "failed":
            raise HopelessMessage(record.reason, code=record.code)

    async def _write(self, record: NoticeRecord, event: Envelope) -> None:
        """Write the row, unless somebody else ended this round, or began another."""
        while True:
            try:
                await self.notices.change(record)
                return
            except StaleRow:
                stored = await self.notices.read(record.task_id, record.id)
                if stored is None or stored.redrives != event.redrives or stored.is_ended:
                    return
                record = replace(record, etag=stored.etag)

    async def _put(self, event: Envelope, delay: int) -> None:
        await self.queues.put(CONNECTION, NOTICE_QUEUE, encode(event, limit=SERVICE_MAX_BYTES), delay_seconds=delay)


def _event(contents: Contents) -> Envelope:
    if contents.hopeless:
        raise contents.hopeless
    if contents.envelope is None or contents.envelope.type != NOTICE:
        raise HopelessMessage("this queue takes notices alone", code=UNKNOWN_TYPE)
    return contents.envelope
