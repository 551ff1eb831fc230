"""Somebody changes a task: its row is written at once, and only by who has seen how it is."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from shared import log
from shared.domain.envelope import encode
from shared.domain.errors import (
    CannotEdit,
    DependencyDown,
    NotAllowed,
    NotKnownChanged,
    StaleEdit,
    UnknownTask,
    told,
)
from shared.domain.patch import Edit, Patch
from shared.domain.principal import Principal
from shared.domain.record import Record
from shared.domain.tag import tag_of
from shared.services.deadline import answers_within
from shared.services.lanes import Lanes
from shared.services.reassign import reassigned, write_edit
from shared.storage.tasks import TaskStore


@dataclass(frozen=True, kw_only=True)
class Editing:
    """The use case with its stores. `submit_seconds` bounds the wait for a queue, `read_seconds` that for the table.

    `check_owner` raises UnknownOwner for one to whom no task can be assigned.
    """

    check_owner: Callable[[str], Awaitable[None]]
    lanes: Lanes
    tasks: TaskStore
    submit_seconds: float
    read_seconds: float

    async def edit(
        self,
        record: Record,
        patch: Patch,
        *,
        matches: Callable[[str], bool],
        who: Principal,
        traceparent: str,
        now: datetime,
    ) -> Record:
        """Change a task, whose row was just read, and give its row as it then stands.

        `matches` says of a tag whether the edit is for that version. A repeat of an edit that is done gives the row
        too, as long as no other edit came since; so does one that changes nothing. Both write nothing.

        A new owner is put on a queue first, since pointers have to follow the row: whatever becomes of this call, that
        message brings the edit to its end.

        Raises:
            UnknownTask, NotAllowed, CannotEdit, UnknownOwner, TaskTooLarge: nothing was changed.
            StaleEdit: nor is anything of this edit there now; another came, perhaps on top of it.
            DependencyDown: nothing was changed, since the directory is needed and cannot be read.
            NotKnownChanged: the stores did not do their part in time, both deadlines together. A repeat is safe.
        """
        try:
            async with asyncio.timeout(self.submit_seconds + self.read_seconds):
                return await self._edit(record, patch, matches, who, traceparent, now)
        except TimeoutError as error:
            raise _unsure(record, error) from error

    async def _edit(
        self,
        record: Record,
        patch: Patch,
        matches: Callable[[str], bool],
        who: Principal,
        traceparent: str,
        now: datetime,
    ) -> Record:
        last_edit, tried = record.edit_id, ""
        while True:
            _check(who, record, patch)
            if matches(record.edited_from) and record.edit_id == _edit(record, record.edited_from, patch).id:
                return record
            if record.state == "cancelled":
                raise CannotEdit
            tag = tag_of(record.etag)
            # Another edit may have been made of what this one's message wrote a moment ago: then one that is for any
            # version must not be made again on top. Where it was made of the version that was tried here, it was not.
            if not matches(tag) or (record.edit_id != last_edit and record.edited_from != tried):
                raise StaleEdit
            last_edit, tried = record.edit_id, tag
            edit = _edit(record, tag, patch)
            edited = edit.of(record, now=now)
            if edited is record:
                return record
            if edited.task.owner != record.task.owner:
                await self.check_owner(edited.task.owner)
                event = reassigned(
                    edit, owner_before=record.task.owner, caller=who.caller, now=now, traceparent=traceparent
                )
                await self._put(record, encode(event))
            record = await self._write(edit, record, now)

    async def _put(self, record: Record, text: str) -> None:
        try:
            await self.lanes.put(record.id, text, priority=record.task.priority, deadline_seconds=self.submit_seconds)
        except DependencyDown as error:
            raise _unsure(record, error) from error

    async def _write(self, edit: Edit, record: Record, now: datetime) -> Record:
        try:
            async with answers_within(self.read_seconds):
                stored = await write_edit(edit, record, now=now, tasks=self.tasks)
        except DependencyDown as error:
            raise _unsure(record, error) from error
        if stored is None:
            raise UnknownTask
        return stored


def _edit(record: Record, tag: str, patch: Patch) -> Edit:
    return Edit(task_id=record.id, tag=tag, patch=patch)


def _check(who: Principal, record: Record, patch: Patch) -> None:
    """UnknownTask for who does not see the task, NotAllowed for who may not change this of it."""
    who.check_sees(record)
    if not who.may_change(record) and not patch.keys() <= {"isDone"}:
        raise NotAllowed("Who created the task may change it, or an operator; its owner may set isDone alone.")


def _unsure(record: Record, error: Exception) -> NotKnownChanged:
    log.warning("an edit was not brought to its end", task=record.id, because=told(error))
    return NotKnownChanged(record.id)
