"""An answer on a queue that the task named: a CloudEvents message with the correlation id that was given."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from shared.domain import instants
from shared.domain.envelope import SOURCE
from shared.domain.errors import Undeliverable
from shared.domain.names import CONNECTION
from shared.domain.notice import Notice
from shared.domain.notice_record import Attempt, NoticeRecord
from shared.services.notify import Told
from shared.storage.queues import Queues


@dataclass(frozen=True, kw_only=True)
class ReplyWay:
    """`may_reply_to` says whether answers may be put on a queue; the list may be another than at the submit."""

    queues: Queues
    may_reply_to: Callable[[str], bool]

    async def tell(self, notice: Notice, record: NoticeRecord, *, now: datetime) -> Told:
        """Put the answer. At least once: a repeat has the same id."""
        if not self.may_reply_to(notice.to):
            reason = "The queue is not one of those that the app may answer to (its setting FIXIT_REPLY_QUEUES)."
            return Told(record=record, error=Undeliverable(reason, code="reply_refused"))
        await self.queues.put(CONNECTION, notice.to, text_of(notice))
        tried = record.tried(Attempt(at=now, status="sent", milliseconds=0))
        return Told(record=replace(tried, state="sent", changed_at=now))


def text_of(notice: Notice) -> str:
    """The message: base64 of a CloudEvents 1.0 event in UTF-8."""
    event = {
        "specversion": "1.0",
        "id": notice.id,
        "source": SOURCE,
        "type": notice.type,
        "subject": notice.task_id,
        "time": instants.to_text(notice.at),
        "datacontenttype": "application/json",
        **({"correlationid": notice.correlation_id} if notice.correlation_id else {}),
        "data": notice.told,
    }
    return base64.b64encode(json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()).decode("ascii")
