"""How a dead letter lies in its table, and how it is asked for there."""

from shared.domain import instants
from shared.domain.letter import Closing, Letter
from shared.domain.letter_filter import LetterFilter, Place
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
    """The letter that a row holds."""
    return Letter(
        queue=row["PartitionKey"],
        key=row["RowKey"],
        lane=row.get("lane", ""),  # letters of the first version have no lane and no count
        code=row["class"],
        reason=row["reason"],
        step=row["step"],
        task_id=row["taskId"],
        fingerprint=row["fingerprint"],
        content=row["content"],
        dequeue_count=row["dequeueCount"],
        deferrals=row["deferrals"],
        redrives=row["redrives"],
        first_seen_at=instants.from_text(row["firstSeen"]),
        last_seen_at=instants.from_text(row["lastSeen"]),
        count=row.get("count", 1),
        state=row["state"],
        closing=_closing(row) if "closedAt" in row else None,
        etag=row[ETAG],
    )


def _closing(row: Row) -> Closing:
    return Closing(
        by=row["closedBy"],
        at=instants.from_text(row["closedAt"]),
        reason=row["closedReason"],
        kept_until=instants.from_text(row["keptUntil"]),
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
