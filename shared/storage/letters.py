"""Dead letters: a record in a table, and the raw text beside it in a blob."""

from contextlib import suppress
from typing import Any

from shared.domain import instants
from shared.domain.letter import Letter, Note
from shared.domain.names import LETTER_CONTAINER, LETTER_TABLE
from shared.storage.account import Account
from shared.storage.faults import made_if_missing, told_as_down
from shared.storage.table import ETAG, Row, StaleRow, Table


class LetterStore:
    """Dead letters and the notes that precede them. Every call raises DependencyDown while a store cannot be used."""

    def __init__(self, account: Account) -> None:
        self._rows = Table(account, LETTER_TABLE)
        self._account = account

    async def keep_text(self, queue: str, key: str, raw: bytes) -> None:
        """Keep a message's text, byte for byte, as `<queue>/<key>`. Repeating it changes nothing."""
        container = self._account.blobs.get_container_client(LETTER_CONTAINER)
        with told_as_down():
            await made_if_missing(
                lambda: container.upload_blob(f"{queue}/{key}", raw, overwrite=True), container.create_container
            )

    async def create(self, letter: Letter) -> bool:
        """Write a new letter's row; False, and nothing written, if its key has one."""
        return await self._rows.create(_to_row(letter)) is not None

    async def seen_again(self, letter: Letter) -> bool:
        """Stamp the letter that has this one's key as seen again; False if it is about another content, or is gone."""
        row = await self._rows.read(letter.queue, letter.key)
        if row is None or row["content"] != letter.content:
            return False
        stamp = {"PartitionKey": letter.queue, "RowKey": letter.key, "lastSeen": instants.to_text(letter.seen_at)}
        with suppress(StaleRow):  # somebody changed it just now: it was seen then
            await self._rows.merge(stamp, etag=row[ETAG])
        return True

    async def note(self, queue: str, key: str, note: Note) -> None:
        """Keep the last error of an event that is being retried, in place of the one before."""
        await self._rows.put(
            {
                "PartitionKey": _note_partition(queue),
                "RowKey": key,
                "error": note.error,
                "message": note.message,
                "dequeueCount": note.dequeue_count,
            }
        )

    async def read_note(self, queue: str, key: str) -> Note | None:
        """The last noted error of an event, if any."""
        row = await self._rows.read(_note_partition(queue), key)
        if row is None:
            return None
        return Note(error=row["error"], message=row["message"], dequeue_count=row["dequeueCount"])

    async def drop_note(self, queue: str, key: str) -> None:
        """Forget the noted error: its event was settled."""
        await self._rows.drop(_note_partition(queue), key)


def _note_partition(queue: str) -> str:
    return f"note:{queue}"


def _to_row(letter: Letter) -> Row:
    seen = instants.to_text(letter.seen_at)
    row: dict[str, Any] = {
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
        "firstSeen": seen,
        "lastSeen": seen,
        "state": letter.state,
    }
    return row
