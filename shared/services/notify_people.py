"""A mail or an SMS. Neither can be taken back, so each is claimed before it is sent, and repeated once at most."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import cast

from shared.domain.errors import DependencyDown, OutcomeUnknown, TryLater, Undeliverable
from shared.domain.notice import Channel, Notice
from shared.domain.notice_record import Attempt, NoticeRecord
from shared.domain.notice_text import Kind as MailKind
from shared.domain.notice_text import short_text, subject_and_text
from shared.domain.outgoing import Outgoing, Sender
from shared.services.notify import Told
from shared.storage.notices import NoticeStore
from shared.storage.people import PeopleStore
from shared.storage.table import StaleRow


@dataclass(frozen=True, kw_only=True)
class PeopleWay:
    """`sender` gives what sends over the channel, or None while that is off. A claim whose delivery is over for sure,
    after `claim_time`, and that tells no outcome, was ended in the middle."""

    channel: Channel
    sender: Callable[[], Sender | None]
    notices: NoticeStore
    people: PeopleStore
    claim_time: timedelta

    async def tell(self, notice: Notice, record: NoticeRecord, *, now: datetime) -> Told:
        """Send it, if somebody can be told so.

        Found claimed, the provider is asked, if it can be; if it cannot say, the same is sent once more, under the same
        id, and the notice ends `unknown`: it may have been sent twice.
        """
        sender = self.sender()
        if sender is None:
            return _skipped(record, code="channel_off", reason="This channel is off.")
        to = await self._address(notice)
        if not to:
            return _skipped(
                record, code="no_address", reason="The directory has no address of theirs for this channel."
            )
        if record.redrives and not record.tries:
            await self.notices.mark_usable(self.channel, to)
        elif await self.notices.is_unusable(self.channel, to):
            return _skipped(
                record, code="target_unusable", reason="The provider said before that this address cannot be used."
            )
        if record.state != "waiting":
            if (left := record.changed_at + self.claim_time - now) > timedelta():
                # No longer than a claim lasts, whatever the clock said of whoever made it.
                return Told(record=record, wait=min(left, self.claim_time).total_seconds())
            outcome = await sender.outcome(record.operation or notice.id)
            if outcome == "sent":
                return Told(record=replace(record, state="sent", changed_at=now))
            if outcome == "failed":
                return Told(
                    record=record, error=Undeliverable("The provider gave it up.", code=f"{self.channel}_refused")
                )
            if record.state == "repeated":
                return Told(record=replace(record, state="unknown", changed_at=now))
        claimed = await self._claim(record, now)
        if claimed is None:
            return Told(record=record, wait=self.claim_time.total_seconds())
        return await self._send(sender, notice, claimed, to, now)

    async def _claim(self, record: NoticeRecord, now: datetime) -> NoticeRecord | None:
        """The row with the claim; None if somebody else claimed it just now."""
        wanted = _claimed(record, now)
        try:
            return await self.notices.change(wanted)
        except (StaleRow, DependencyDown) as error:
            # Perhaps it was this very call, whose answer got lost: it finds its own claim, and nothing is in doubt.
            stored = await self.notices.read(record.task_id, record.id)
            if stored == wanted:
                return stored
            if isinstance(error, DependencyDown):
                raise
            return None

    async def _address(self, notice: Notice) -> str:
        if not notice.is_person:
            return notice.to
        person = await self.people.read(notice.to)
        if person is None:
            return ""
        return person.email if self.channel == "mail" else person.phone

    async def _send(self, sender: Sender, notice: Notice, claimed: NoticeRecord, to: str, now: datetime) -> Told:
        is_repeat = claimed.state == "repeated"
        began = asyncio.get_running_loop().time()

        def tried(status: str) -> NoticeRecord:
            milliseconds = round((asyncio.get_running_loop().time() - began) * 1_000)
            return claimed.tried(Attempt(at=now, status=status, milliseconds=milliseconds))

        try:
            operation = await sender.send(self._outgoing(notice, to, claimed))
        except DependencyDown:
            await self.notices.change(replace(claimed, state="claimed" if is_repeat else "waiting"))
            raise
        except TryLater as error:
            return Told(record=tried("not taken"), error=error)
        except Undeliverable as error:
            if error.is_target_bad:
                await self.notices.mark_unusable(self.channel, to)
            return Told(record=tried("refused"), error=error)
        except OutcomeUnknown as error:
            record = replace(tried("unknown"), operation=error.operation)
            if is_repeat:
                return Told(record=replace(record, state="unknown"))
            return Told(record=replace(record, tries=claimed.tries), wait=self.claim_time.total_seconds())
        return Told(record=replace(tried("sent"), state="unknown" if is_repeat else "sent", operation=operation))

    def _outgoing(self, notice: Notice, to: str, claimed: NoticeRecord) -> Outgoing:
        kind = cast("MailKind", notice.kind)  # what `state` tells goes to callbacks alone
        subject, text = subject_and_text(kind, notice.task)
        if self.channel == "sms":
            subject, text = "", short_text(kind, notice.task)
        return Outgoing(id=notice.id, to=to, subject=subject, text=text, first_at=claimed.claimed_at)


def _claimed(record: NoticeRecord, now: datetime) -> NoticeRecord:
    if record.state == "waiting":
        return replace(record, state="claimed", changed_at=now, claimed_at=now)
    return replace(record, state="repeated", changed_at=now)


def _skipped(record: NoticeRecord, *, code: str, reason: str) -> Told:
    """Nothing is sent; what was handed over before, without an outcome, is not known to be sent."""
    return Told(
        record=replace(record, state="skipped" if record.state == "waiting" else "unknown", code=code, reason=reason)
    )
