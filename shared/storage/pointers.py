"""Pointers that the sweeper works through: tasks that are to be settled, letters that are to be removed.

Each is a row of the index table that names its task or letter and holds nothing of it. They lie in a list for each day,
so that what is due is a range of keys: `open:<day>` by the day on which a task got under way, `keep:<day>` by the day
on which the keeping of a closed letter ends.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from shared.domain import instants
from shared.domain.names import INDEX_TABLE
from shared.storage.account import Account
from shared.storage.table import ETAG, Row, StaleRow, Table

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_INSTANT = 253_402_300_799_999_999
"""Microseconds of the year 9999's end: keys count down from it, so that the newest row comes first."""

_DIGITS = len(str(_LAST_INSTANT))

OPEN, KEEP = "open:", "keep:"
_AFTER_ALL = ";"
"""What sorts behind the colon, and so behind every day."""

_BOOKMARKS = "bookmark"


@dataclass(frozen=True, kw_only=True)
class Pointer:
    """One row of a list `open:<day>` or `keep:<day>`.

    The key of an open one is `newest_first(at, task id)`, that of the other the letter, as `<queue>~<key>`. `letter` is
    the one whose redrive reopened the task, if one did. `resent_at`: when the sweeper last sent the task's message
    again.
    """

    list: str
    key: str
    letter: str = ""
    resent_at: datetime | None = None
    etag: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """Where it stands among all pointers: they are read in this order."""
        return self.list, self.key

    @property
    def at(self) -> datetime:
        """When the task got under way: submitted or reopened. ValueError for a key that says none."""
        return _EPOCH + timedelta(microseconds=_LAST_INSTANT - int(self.key[:_DIGITS]))

    @property
    def task_id(self) -> str:
        return self.key[_DIGITS + 1 :]


class Pointers:
    """Every call raises DependencyDown while the table cannot be used."""

    def __init__(self, account: Account) -> None:
        self._rows = Table(account, INDEX_TABLE)

    async def open(self, task_id: str, *, at: datetime, letter: str = "") -> None:
        """Have the sweeper see to it that a task is settled. A repeat changes nothing: what the sweeper noted stays.

        A reopening writes it before the row. `at` is when the task got under way, exactly as its row says or will say
        it (`reopened_at`, else `submitted_at`): by that the sweeper knows a reopening that came to nothing. `letter` is
        the one that is redriven, as `<queue>~<key>`.
        """
        row = {"PartitionKey": f"{OPEN}{_day(at)}", "RowKey": newest_first(at, task_id), "letter": letter}
        await self._rows.create(row)

    async def close(self, task_id: str, *, at: datetime) -> None:
        """The task that got under way then is settled: the sweeper has no more to do for it. Harmless if it is gone."""
        await self._rows.drop(f"{OPEN}{_day(at)}", newest_first(at, task_id))

    async def keep(self, letter: str, *, ends: datetime) -> None:
        """Have the sweeper remove a closed letter, `<queue>~<key>`, once the day is over on which its keeping ends.

        Write it before the letter is closed.
        """
        await self._rows.put({"PartitionKey": f"{KEEP}{_day(ends)}", "RowKey": letter})

    async def opened(self, *, after: Pointer | None = None, limit: int) -> list[Pointer]:
        """The first open pointers, the oldest day first, that stand behind a given one."""
        return await self._range(OPEN, f"open{_AFTER_ALL}", after, limit)

    async def over(self, today: date, *, after: Pointer | None = None, limit: int) -> list[Pointer]:
        """The first keep pointers of days before today, the oldest day first, that stand behind a given one."""
        return await self._range(KEEP, f"{KEEP}{today}", after, limit)

    async def stamp_resent(self, pointer: Pointer, at: datetime) -> None:
        """Note that the task's message is sent again; StaleRow if somebody else did since the pointer was read."""
        row = {"PartitionKey": pointer.list, "RowKey": pointer.key, "resentAt": instants.to_text(at)}
        try:
            await self._rows.merge(row, etag=pointer.etag)
        except StaleRow:
            # Perhaps it was this very call: one whose answer got lost is made again, and finds its own stamp.
            stamped = await self._rows.read(*pointer.place)
            if stamped is None or stamped.get("resentAt") != row["resentAt"]:
                raise

    async def drop(self, pointer: Pointer) -> None:
        """The sweeper has no more to do for it. Harmless if it is gone."""
        await self._rows.drop(pointer.list, pointer.key)

    async def bookmark(self, name: str) -> Pointer | None:
        """The pointer behind which somebody who reads a list in pieces goes on; None: at the beginning."""
        row = await self._rows.read(_BOOKMARKS, name)
        if row is None or type(row.get("list")) is not str or type(row.get("key")) is not str:
            return None
        return Pointer(list=row["list"], key=row["key"])

    async def set_bookmark(self, name: str, pointer: Pointer | None) -> None:
        """Remember how far a list was read."""
        if pointer is None:
            await self._rows.drop(_BOOKMARKS, name)
        else:
            row = {"PartitionKey": _BOOKMARKS, "RowKey": name, "list": pointer.list, "key": pointer.key}
            await self._rows.put(row)

    async def _range(self, low: str, high: str, after: Pointer | None, limit: int) -> list[Pointer]:
        # Two ranges rather than one filter with an `or`, for which the service would read the whole table.
        found = []
        if after is not None:
            rest = {"list": after.list, "key": after.key}
            found = await self._rows.query("PartitionKey eq @list and RowKey gt @key", rest, limit=limit)
        if len(found) < limit:
            # No list is named `open:` or `keep:` alone.
            days = {"low": after.list if after else low, "high": high}
            found += await self._rows.query(
                "PartitionKey gt @low and PartitionKey lt @high", days, limit=limit - len(found)
            )
        return [_to_pointer(row) for row in found]


def newest_first(at: datetime, name: str) -> str:
    """The key of something that happened then, in a list that shows the newest first."""
    return f"{_LAST_INSTANT - (at - _EPOCH) // timedelta(microseconds=1):018d}-{name}"


def _day(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d}"


def _to_pointer(row: Row) -> Pointer:
    """What cannot be read counts as not there: at worst a message is sent once more."""
    resent, letter = row.get("resentAt"), row.get("letter")
    try:
        resent_at = instants.from_text(resent) if type(resent) is str else None
    except ValueError:
        resent_at = None
    return Pointer(
        list=row["PartitionKey"],
        key=row["RowKey"],
        letter=letter if type(letter) is str else "",
        resent_at=resent_at,
        etag=row[ETAG],
    )
