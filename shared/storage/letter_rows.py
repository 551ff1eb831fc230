"""How a dead letter lies in its table, and how it is asked for there."""

from datetime import UTC, datetime
from typing import get_args

from shared.domain import instants
from shared.domain.letter import DAMAGED_ROW, Closing, Letter, LetterState
from shared.domain.letter_filter import LetterFilter, Place
from shared.storage.columns import Columns, DamagedRow
from shared.storage.table import ETAG, Row


def to_row(letter: Letter) -> Row:
    """Every column of a letter."""
    return {
        "PartitionKey": letter.queue,
        "RowKey": letter.key,
        "lane": letter.lane,
        "class": letter.code,
        "reason": letter.reason,
        "step": letter.step,
        "taskId": letter.task_id,
        "fingerprint": letter.fingerprint,
        "content": letter.content,
        "dequeueCount": letter.dequeue_count,
        "deferrals": letter.deferrals,
        "redrives": letter.redrives,
        "firstSeen": instants.to_text(letter.first_seen_at),
        "lastSeen": instants.to_text(letter.last_seen_at),
        "count": letter.count,
        "state": letter.state,
        **(_closing_columns(letter.closing) if letter.closing else {}),
    }


def _closing_columns(closing: Closing) -> Row:
    return {
        "closedBy": closing.by,
        "closedAt": instants.to_text(closing.at),
        "closedReason": closing.reason,
        "keptUntil": instants.to_text(closing.kept_until),
    }


def to_letter(row: Row) -> Letter:
    """The letter that a row holds. One whose columns cannot be read is shown as that, and hides no other."""
    try:
        return _to_letter(row)
    except DamagedRow as error:
        seen = datetime.min.replace(tzinfo=UTC)
        return Letter(
            queue=row["PartitionKey"],
            key=row["RowKey"],
            lane="",
            content="",
            code=DAMAGED_ROW,
            reason=str(error),
            dequeue_count=0,
            first_seen_at=seen,
            last_seen_at=seen,
            etag=row[ETAG],
        )


def _to_letter(row: Row) -> Letter:
    columns = Columns(row)
    return Letter(
        queue=columns.text("PartitionKey"),
        key=columns.text("RowKey"),
        lane=columns.text("lane", ""),  # letters of the first version have no lane and no count
        code=columns.text("class"),
        reason=columns.text("reason"),
        step=columns.text("step"),
        task_id=columns.text("taskId"),
        fingerprint=columns.text("fingerprint"),
        content=columns.text("content"),
        dequeue_count=columns.count("dequeueCount"),
        deferrals=columns.count("deferrals"),
        redrives=columns.count("redrives"),
        first_seen_at=columns.instant("firstSeen"),
        last_seen_at=columns.instant("lastSeen"),
        count=columns.count("count", 1),
        state=columns.choice("state", get_args(LetterState)),
        closing=_closing(columns) if "closedAt" in row else None,
        etag=row[ETAG],
    )


def _closing(columns: Columns) -> Closing:
    return Closing(
        by=columns.text("closedBy"),
        at=columns.instant("closedAt"),
        reason=columns.text("closedReason"),
        kept_until=columns.instant("keptUntil"),
    )


def condition(wanted: LetterFilter, place: Place) -> tuple[str, dict[str, str]]:
    """The filter for the letters that come next at a place, as Table Storage reads it, with its values.

    It is one range of keys, so that the service begins to read where it starts. Notes lie in the same table, and have
    no state.
    """
    values: dict[str, str] = {"state": wanted.state}
    if wanted.queue or place.key:
        keys = "PartitionKey eq @queue and RowKey gt @key"
        values |= {"queue": wanted.queue or place.queue, "key": place.key}
    else:
        keys = "PartitionKey gt @queue"
        values["queue"] = place.queue
    parts = [keys, "state eq @state"]
    for column, value in (("class", wanted.code), ("step", wanted.step), ("taskId", wanted.task_id)):
        if value:
            parts.append(f"{column} eq @{column}")
            values[column] = value
    for comparison, instant in (("lt", wanted.seen_before), ("ge", wanted.seen_after)):
        if instant:
            parts.append(f"lastSeen {comparison} @{comparison}")
            values[comparison] = instants.to_text(instant)
    return " and ".join(parts), values
