"""The lists of tasks, each the newest first: what they hold is pointers, and the row decides what is true of them."""

from datetime import date

from shared.domain.names import INDEX_TABLE
from shared.domain.principal import Principal
from shared.domain.record import Record
from shared.domain.task_filter import TaskFilter, TaskPlace
from shared.storage.account import Account
from shared.storage.pointers import Pointer, newest_first
from shared.storage.table import Table
from shared.storage.tasks import DAYS, day_list, person_list


class TaskLists:
    """Every call is one request, and raises DependencyDown while the table cannot be used.

    The service reads a bounded part of the table for it: there may be fewer pointers than asked for, or none, and yet
    more to come.
    """

    def __init__(self, account: Account) -> None:
        self._rows = Table(account, INDEX_TABLE)

    async def page(self, place: TaskPlace, *, limit: int) -> tuple[list[Pointer], TaskPlace | None]:
        """The pointers that come next in the list of a place, and the place behind them; None at the list's end."""
        rows, mark = await self._rows.page(
            "PartitionKey eq @list and RowKey gt @key",
            {"list": place.list, "key": place.key},
            limit=limit,
            mark=place.mark,
        )
        pointers = [Pointer(list=row["PartitionKey"], key=row["RowKey"]) for row in rows]
        return pointers, TaskPlace(list=place.list, key=place.key, mark=mark) if mark else None

    async def first_day(
        self, low: date, high: date, mark: tuple[str, str] | None = None
    ) -> tuple[date | None, tuple[str, str] | None]:
        """The first day between two (both included) that has a task; without one the mark to ask on with, if any.

        It is `low` where the list that comes first is none of a day: somebody made it by hand.
        """
        days = {"low": day_list(low), "high": day_list(high)}
        rows, mark = await self._rows.page("PartitionKey ge @low and PartitionKey le @high", days, limit=1, mark=mark)
        return (day_of(rows[0]["PartitionKey"]) or low, None) if rows else (None, mark)


def start_of(wanted: TaskFilter, who: Principal) -> TaskPlace | None:
    """The top of a list that holds all that is wanted and that they may see; None where only the lists of all days do.

    Who is no operator reads a list of their own and no other. All that they may see is there; and a cursor, whose place
    anybody can read, names no task of other people.
    """
    if not who.is_operator:
        is_own = person_list("", wanted.owner or wanted.created_by) == person_list("", who.person)
        in_owned = is_own if wanted.owner else not is_own
        return TaskPlace(list=person_list("owner" if in_owned else "by", who.person))
    if wanted.owner:
        return TaskPlace(list=person_list("owner", wanted.owner))
    if wanted.created_by:
        return TaskPlace(list=person_list("by", wanted.created_by))
    return None


def is_borne_out(pointer: Pointer, record: Record) -> bool:
    """Whether the row says what the pointer does: this task at this time, so that it is shown once in a list.

    Whose list it is on says `fits`.
    """
    if record.is_tombstone or pointer.key != newest_first(record.submitted_at, record.id):
        return False
    return not pointer.list.startswith(DAYS) or pointer.list == day_list(record.submitted_at)


def fits(record: Record, wanted: TaskFilter) -> bool:
    """Whether a task is one of those that are wanted."""
    people = (("owner", wanted.owner, record.task.owner), ("by", wanted.created_by, record.task.created_by))
    return wanted.state in (None, record.state) and all(
        not asked or (found and person_list(kind, found) == person_list(kind, asked)) for kind, asked, found in people
    )


def day_of(name: str) -> date | None:
    """The day of a list of all its tasks; None for any other list."""
    try:
        return date.fromisoformat(name.removeprefix(DAYS))
    except ValueError:
        return None
