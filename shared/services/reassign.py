"""A task changes its owner: what its message does, whatever became of the request that put it."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from shared import log
from shared.domain.envelope import MALFORMED, REASSIGNED, Envelope
from shared.domain.errors import HopelessMessage, InvalidTask, UnknownOwner
from shared.domain.patch import Edit, parse_patch
from shared.domain.record import Record
from shared.domain.tag import is_tag, tag_of
from shared.services.hand_on import HandOn
from shared.storage.table import StaleRow
from shared.storage.tasks import TaskStore

NO_TASK = "no_task"


def reassigned(edit: Edit, *, owner_before: str, caller: str, now: datetime, traceparent: str) -> Envelope:
    """The event that says that a task gets another owner."""
    return Envelope(
        id=edit.id,
        type=REASSIGNED,
        subject=edit.task_id,
        time=now,
        caller=caller,
        data={"patch": dict(edit.patch), "etag": edit.tag, "from": owner_before},
        traceparent=traceparent,
    )


async def reassign(
    event: Envelope,
    *,
    now: datetime,
    check_owner: Callable[[str], Awaitable[None]],
    tasks: TaskStore,
    hand_on: HandOn,
) -> None:
    """Edit the task if its row is still as the edit says, then make the owners' pointers fit the row as it stands.

    An edit of a version that is gone changes nothing: whoever asked for it was told so, or asks again and is. Its
    pointers are seen to all the same, since it may be done already, or another one undid it meanwhile.

    The owner that the row then has is told that the task is theirs; where another edit made it somebody else's, that
    one's event tells them.

    Whether the new owner is known is asked where this is going to write him, since any producer may send the event. An
    edit that is written already was asked about before.

    Raises:
        HopelessMessage: the event's data is not right, there is no such task, or nobody knows the new owner.
        DependencyDown: the table cannot be used now, or the directory where it is needed.
        DamagedRow: there is a row that cannot be understood.
    """
    edit, before = _read(event)
    stored = await tasks.read(event.subject)
    if stored:
        owner = _with_edit(edit, stored, now).task.owner
        if owner != stored.task.owner:
            await _check(owner, check_owner)
        stored = await write_edit(edit, stored, now=now, tasks=tasks)
    if stored is None:
        raise HopelessMessage("there is no task with this id", code=NO_TASK)
    if stored.edit_id != edit.id:
        log.info("an edit by message changed nothing: it is for another version, or the row said so already")
    if stored.is_tombstone:
        return
    owner = await _fit_pointers(stored, before, tasks)
    if owner == edit.patch.get("owner") and owner != before:
        await hand_on.tell_owner(stored, edit=edit.id, traceparent=event.traceparent)


async def write_edit(edit: Edit, stored: Record, *, now: datetime, tasks: TaskStore) -> Record | None:
    """Write an edit if the row, as it was just read, is the one that it was made for and was not cancelled.

    Gives the row as it then stands, None if it is gone: it has the edit if it has its id. A repeat finds its own id.

    Raises:
        DependencyDown: the table cannot be used now; the edit may be written all the same.
    """
    edited = _with_edit(edit, stored, now)
    if edited is stored:
        return stored
    try:
        return await tasks.edit(edited)
    except StaleRow:
        # Perhaps it was this very call: one whose answer got lost is made again, and finds its own id.
        return await tasks.read(stored.id)


def _with_edit(edit: Edit, stored: Record, now: datetime) -> Record:
    """The row as it is to be written; as it stands where it is not to be."""
    if stored.edit_id == edit.id or tag_of(stored.etag) != edit.tag or stored.state == "cancelled":
        return stored
    return edit.of(stored, now=now)


async def _check(owner: str, check_owner: Callable[[str], Awaitable[None]]) -> None:
    try:
        await check_owner(owner)
    except UnknownOwner as error:
        raise HopelessMessage(error.detail, code=error.code) from error


async def _fit_pointers(stored: Record, before: str, tasks: TaskStore) -> str:
    """Have the task in the list of its owner, who is given, and in that of nobody who owned it before as far as this
    edit knows.

    Another edit may be at it meanwhile, and either may remove what the other put. So the row is read again behind each
    change: whoever comes last sees the last owner, and puts the pointer that the row bears out.
    """
    owner, others = stored.task.owner, {before}
    while True:
        await tasks.point_owner(stored, owner, instead_of=others - {owner})
        others.add(owner)
        owner_now = await tasks.owner(stored.id)
        if owner_now in (owner, None):
            return owner
        owner = owner_now


def _read(event: Envelope) -> tuple[Edit, str]:
    """The edit that an event is about, and who owned the task before."""
    patch, tag = event.data.get("patch"), event.data.get("etag")
    if not isinstance(patch, dict) or not isinstance(tag, str) or not is_tag(tag):
        reason = "the event's data must have a patch, an object, and an etag as a GET of the task gives it"
        raise HopelessMessage(reason, code=MALFORMED)
    try:
        before: str = parse_patch({"owner": event.data.get("from")})["owner"]
    except InvalidTask as error:
        reason = "the event's from must be who owned the task before: such a text as an owner may be, or none"
        raise HopelessMessage(reason, code=MALFORMED) from error
    try:
        return Edit(task_id=event.subject, tag=tag, patch=parse_patch(patch)), before
    except InvalidTask as error:
        raise HopelessMessage(error.detail, code=error.code) from error
