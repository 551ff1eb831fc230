"""A callback: the target is a URL, and every try is signed anew. At least once, under one `webhook-id`."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from shared.domain import instants
from shared.domain.callback_answer import check_delivered
from shared.domain.errors import TryLater, Undeliverable
from shared.domain.notice import Notice
from shared.domain.notice_record import Attempt, NoticeRecord
from shared.services.notify import Told
from shared.storage.notices import NoticeStore

if TYPE_CHECKING:
    from shared.channels.callback import CallbackChannel


@dataclass(frozen=True, kw_only=True)
class CallbackWay:
    """`channel` gives the channel, or None while it is off."""

    channel: "Callable[[], CallbackChannel | None]"
    notices: NoticeStore

    async def tell(self, notice: Notice, record: NoticeRecord, *, now: datetime) -> Told:
        """Deliver it once. A receiver that is gone gets no more, from no task, until one is asked for again."""
        channel = self.channel()
        if channel is None:
            return Told(record=replace(record, state="skipped", code="channel_off", reason="Callbacks are off."))
        if record.redrives and not record.tries:
            await self.notices.mark_usable("callback", notice.to)
        elif await self.notices.is_unusable("callback", notice.to):
            reason = "The receiver said before that it is gone (410)."
            return Told(record=replace(record, state="gone", code="callback_gone", reason=reason))
        answer = await channel.deliver(notice.to, body_of(notice), event_id=notice.id, now=now)
        tried = record.tried(Attempt(at=now, status=answer.outcome, milliseconds=answer.milliseconds))
        tried = replace(tried, changed_at=now)
        try:
            check_delivered(answer)
        except TryLater as error:
            return Told(record=tried, error=error)
        except Undeliverable as error:
            if not error.is_target_bad:
                return Told(record=tried, error=error)
            await self.notices.mark_unusable("callback", notice.to)
            return Told(record=replace(tried, state="gone", code=error.code, reason=error.reason))
        return Told(record=replace(tried, state="sent"))


def body_of(notice: Notice) -> bytes:
    """What is sent and signed: the event's type, when it was, and the task, in the form of Standard Webhooks."""
    body = {"type": notice.type, "timestamp": instants.to_text(notice.at), "data": notice.told}
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
