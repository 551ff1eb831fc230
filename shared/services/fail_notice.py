"""The message of a notice was given up: its row says so, too."""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from shared.domain.envelope import Envelope
from shared.storage.columns import DamagedRow
from shared.storage.notices import NoticeStore
from shared.storage.table import StaleRow

REASON = "It could not be told; an operator has it."


async def fail_notice(event: Envelope, code: str, *, notices: NoticeStore, now: datetime) -> None:
    """Write that a notice failed, unless it ended, or was asked for again since the message was sent.

    A row that is not there, or cannot be read, is left so: the letter tells of it.
    """
    with suppress(DamagedRow):
        while True:
            stored = await notices.read(event.subject, event.id)
            if stored is None or stored.is_ended or event.redrives < stored.redrives:
                return
            try:
                await notices.change(replace(stored, state="failed", code=code, reason=REASON, changed_at=now))
                return
            except StaleRow:
                continue  # somebody changed it meanwhile
