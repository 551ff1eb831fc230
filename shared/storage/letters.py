"""Dead letters: a record in a table, and the raw text beside it in a blob."""

from datetime import date

from shared.domain.letter import Letter, Note
from shared.domain.letter_filter import LetterFilter, Place
from shared.domain.names import LETTER_TABLE
from shared.storage.account import Account
from shared.storage.columns import Columns, DamagedRow
from shared.storage.letter_rows import condition, to_letter, to_row
from shared.storage.letter_texts import LetterTexts
from shared.storage.pointers import Pointers
from shared.storage.table import StaleRow, Table

_COUNT_REQUESTS, _PAGE_MAX = 3, 1_000
_KEYS = ("PartitionKey",)
"""The columns that a count needs: none; but the service must be asked for one."""


class LetterStore:
    """Dead letters and the notes that precede them. Every call raises DependencyDown while a store cannot be used."""

    def __init__(self, account: Account) -> None:
        self._rows = Table(account, LETTER_TABLE)
        self._texts = LetterTexts(account)
        self._pointers = Pointers(account)

    async def keep_text(self, queue: str, key: str, raw: bytes) -> None:
        """Keep a message's text, byte for byte. Repeating it changes nothing."""
        await self._texts.keep(queue, key, raw)

    async def read_text(self, queue: str, key: str) -> bytes | None:
        """The text of a letter; None where it has none (yet: the row is written first)."""
        return await self._texts.read(queue, key)

    async def create(self, letter: Letter) -> bool:
        """Write a new letter's row; False, and nothing written, if its key has one."""
        return await self._rows.create(to_row(letter)) is not None

    async def read(self, queue: str, key: str) -> Letter | None:
        """The letter, or None if there is none."""
        row = await self._rows.read(queue, key)
        return to_letter(row) if row else None

    async def change(self, letter: Letter) -> None:
        """Write a letter that was read and changed; StaleRow, and nothing written, if somebody was faster.

        A closed one is named first where the sweeper looks for what has been kept long enough.
        """
        if letter.state != "open" and letter.closing:
            await self._pointers.keep(letter.id, ends=letter.closing.kept_until)
        await self._rows.merge(to_row(letter), etag=letter.etag)

    async def page(self, wanted: LetterFilter, place: Place, *, limit: int) -> tuple[list[Letter], Place | None]:
        """The letters that come next, and the place behind them; None at the end.

        One request, for which the service reads a bounded part of the table: there may be no letter in it, and yet more
        to come. `limit` is at most 1,000.
        """
        where, values = condition(wanted, place)
        rows, mark = await self._rows.page(where, values, limit=limit, mark=place.mark)
        letters = [letter for letter in map(to_letter, rows) if wanted.cause in ("", letter.cause)]
        if mark:
            return letters, Place(queue=place.queue, key=place.key, mark=mark)
        if place.key and not wanted.queue:
            return letters, Place(queue=place.queue)  # the rest of one queue is read; the others follow
        return letters, None

    async def count_open(self, *, limit: int) -> tuple[int, bool]:
        """How many letters are open, `limit` at most, and whether there may be more.

        It asks three times at most: behind many closed letters it may give fewer than the limit, and yet more.
        """
        where, values = condition(LetterFilter(), Place())
        count, mark = 0, None
        for _ in range(_COUNT_REQUESTS):
            rows, mark = await self._rows.page(
                where, values, limit=min(limit - count, _PAGE_MAX), mark=mark, columns=_KEYS
            )
            count += len(rows)
            if mark is None or count == limit:
                break
        return count, mark is not None

    async def forget(self, queue: str, key: str, *, today: date) -> bool:
        """Remove a letter whose keeping ended before today; False for one that is open, or is to be kept longer.

        The row goes first, so that a letter that is shown has its text. A text that came after all stays.
        """
        version = await self._texts.version(queue, key)
        row = await self._rows.read(queue, key)
        if row is not None:
            letter = to_letter(row)
            if letter.state == "open" or not letter.closing or letter.closing.kept_until.date() >= today:
                return False
            try:
                await self._rows.remove(queue, key, etag=letter.etag)
            except StaleRow:
                return False
        if version:
            await self._texts.drop(queue, key, version)
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
        columns = Columns(row)
        try:
            return Note(
                error=columns.text("error"),
                message=columns.text("message"),
                dequeue_count=columns.count("dequeueCount"),
            )
        except DamagedRow:  # it is an aid, and must not stand in the way of what it helps
            return None

    async def drop_note(self, queue: str, key: str) -> None:
        """Forget the noted error: its event was settled."""
        await self._rows.drop(_note_partition(queue), key)


def _note_partition(queue: str) -> str:
    return f"note:{queue}"
