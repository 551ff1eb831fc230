"""The table of notices: one row for each, under its task; and the targets that are not to be used again."""

import hashlib
import json
from dataclasses import replace
from typing import get_args

from shared.domain import instants
from shared.domain.names import NOTICE_TABLE
from shared.domain.notice import CHANNELS, KINDS
from shared.domain.notice_record import NOTICE_STATES, Attempt, NoticeRecord
from shared.domain.record import State
from shared.storage.account import Account
from shared.storage.columns import Columns, DamagedRow
from shared.storage.table import ETAG, Row, Table

_UNUSABLE = "unusable"
NOTICES_MAX = 200
"""So many notices of one task are shown: more than a task has that is not reopened day after day."""


class NoticeStore:
    """Every call raises DependencyDown while the table cannot be used."""

    def __init__(self, account: Account) -> None:
        self._rows = Table(account, NOTICE_TABLE)

    async def create(self, record: NoticeRecord) -> NoticeRecord | None:
        """Write a new notice's row and give it with its ETag; None, and nothing written, if there is one."""
        etag = await self._rows.create(_to_row(record))
        return replace(record, etag=etag) if etag else None

    async def read(self, task_id: str, notice_id: str) -> NoticeRecord | None:
        """The row of a notice, or None; DamagedRow for one that this version did not write."""
        row = await self._rows.read(task_id, notice_id)
        return _to_record(row) if row else None

    async def change(self, record: NoticeRecord) -> NoticeRecord:
        """Write a notice that was read and changed, and give it with the new ETag; StaleRow if somebody was faster."""
        return replace(record, etag=await self._rows.merge(_to_row(record), etag=record.etag))

    async def of_task(self, task_id: str) -> tuple[list[NoticeRecord], list[str]]:
        """The notices of a task, the first 200 by their ids; and the ids of those whose rows cannot be understood."""
        rows = await self._rows.query("PartitionKey eq @task", {"task": task_id}, limit=NOTICES_MAX)
        found, damaged = [], []
        for row in rows:
            try:
                found.append(_to_record(row))
            except DamagedRow:
                damaged.append(str(row["RowKey"]))
        return found, damaged

    async def is_unusable(self, channel: str, target: str) -> bool:
        """Whether a target said, or its provider did, that it is not to be used again."""
        return await self._rows.read(_UNUSABLE, _digest(channel, target)) is not None

    async def mark_unusable(self, channel: str, target: str) -> None:
        """Use a target no more, for whichever task."""
        await self._rows.put({"PartitionKey": _UNUSABLE, "RowKey": _digest(channel, target), "channel": channel})

    async def mark_usable(self, channel: str, target: str) -> None:
        """Somebody asks for it again: it may be used."""
        await self._rows.drop(_UNUSABLE, _digest(channel, target))


def _digest(channel: str, target: str) -> str:
    """Keys never hold a URL, an address or a number as it came."""
    return hashlib.sha256(f"{channel}:{target}".encode()).hexdigest()


def _to_row(record: NoticeRecord) -> Row:
    return {
        "PartitionKey": record.task_id,
        "RowKey": record.id,
        "kind": record.kind,
        "channel": record.channel,
        "outcome": record.outcome,
        "state": record.state,
        "changedAt": instants.to_text(record.changed_at),
        "redrives": record.redrives,
        "tries": record.tries,
        "attempts": json.dumps([attempt.to_data() for attempt in record.attempts]),
        "claimedAt": instants.to_text(record.claimed_at) if record.claimed_at else "",
        "operation": record.operation,
        "code": record.code,
        "reason": record.reason,
    }


def _to_record(row: Row) -> NoticeRecord:
    columns = Columns(row)
    try:
        attempts = tuple(Attempt.from_data(each) for each in json.loads(columns.text("attempts")))
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise DamagedRow("the column attempts cannot be read") from error
    return NoticeRecord(
        task_id=columns.text("PartitionKey"),
        id=columns.text("RowKey"),
        kind=columns.choice("kind", KINDS),
        channel=columns.choice("channel", CHANNELS),
        outcome=columns.choice("outcome", get_args(State)),
        state=columns.choice("state", NOTICE_STATES),
        changed_at=columns.instant("changedAt"),
        redrives=columns.count("redrives"),
        tries=columns.count("tries"),
        attempts=attempts,
        claimed_at=columns.instant("claimedAt") if columns.text("claimedAt", "") else None,
        operation=columns.text("operation", ""),
        code=columns.text("code", ""),
        reason=columns.text("reason", ""),
        etag=row[ETAG],
    )
