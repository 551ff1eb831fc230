"""Reversal: a task is cancelled, whatever became of it, and also if it has not come yet."""

import asyncio
import re
from dataclasses import dataclass, replace
from datetime import datetime

from shared import log
from shared.domain import identity
from shared.domain.envelope import CANCELLED, MALFORMED, Envelope, encode
from shared.domain.errors import HopelessMessage, told
from shared.domain.record import ANYBODY, CANCEL_STEP, Record, Step
from shared.domain.task import Task
from shared.services.lanes import Lanes
from shared.storage.table import StaleRow
from shared.storage.tasks import TaskStore

CONTENTS_MAX = 20
"""As many contents of one caller a tombstone tells apart: a row holds only so much."""


@dataclass(frozen=True, kw_only=True)
class Reversal:
    """What a request to cancel came to.

    `is_queued`: the command is on a queue, so that it will be cancelled. `record`: the row, if that could be done at
    once; None where the table cannot be used now, or it was not tried.
    """

    is_queued: bool
    record: Record | None


async def reverse(
    task_id: str,
    *,
    caller: str,
    any_caller: bool = False,
    at_once: bool = True,
    content: str = "",
    traceparent: str,
    now: datetime,
    lanes: Lanes,
    tasks: TaskStore,
    submit_seconds: float,
    read_seconds: float,
) -> Reversal:
    """Put the command that cancels a task, then try to do it at once.

    `content`, a fingerprint, limits it to that one. A person's command is limited to tasks of theirs, unless they may
    cancel those of `any_caller`. Without `at_once` the command is all: nothing is written but what it does later.

    The command comes first: it alone outlives an outage of the table, and it alone undoes what later steps did. This
    answers whatever storage does, within both deadlines.
    """
    command = Envelope(
        id=identity.cancelled_event_id(task_id, caller if identity.is_person(caller) else ""),
        type=CANCELLED,
        subject=task_id,
        time=now,
        caller=caller,
        data={**({"fingerprint": content} if content else {}), **({"anyCaller": True} if any_caller else {})},
        traceparent=traceparent,
    )
    is_queued, record = True, None
    try:
        await lanes.put(task_id, encode(command), deadline_seconds=submit_seconds)
    except Exception as error:
        log.warning("a command to cancel was not acknowledged", task=task_id, because=told(error))
        is_queued = False
    if not at_once:
        return Reversal(is_queued=is_queued, record=None)
    try:
        async with asyncio.timeout(read_seconds):
            record = await cancel(command, attempt=1, now=now, tasks=tasks, is_at_once=True)
    except Exception as error:
        log.warning("a task could not be cancelled at once", task=task_id, because=told(error))
    return Reversal(is_queued=is_queued, record=record)


async def cancel(
    command: Envelope, *, attempt: int, now: datetime, tasks: TaskStore, is_at_once: bool = False
) -> Record:
    """Set the row to cancelled, whatever it said, and give it as it then stands. A repeat costs a read.

    Without a row it leaves a tombstone, which stops the task when it comes after all: that of the same caller, or of
    anybody where the command says `anyCaller`. A command for one content leaves another as it is, recorded or still to
    come. So does a person's with the task of somebody else, since ids can be guessed; a service may cancel any that was
    there before the command. `is_at_once`: the request itself sees the row, so that it was, whatever clocks say.

    Nothing else is to be undone: all that the record step makes is the row, which stays and says that it was cancelled,
    and pointers, which show no more than the row bears out.

    Raises:
        HopelessMessage: the command's data is not right.
        DependencyDown: the table cannot be used now. DamagedRow: there is a row that cannot be understood.
    """
    content, any_caller, done = _content(command), _any_caller(command), Step(step=CANCEL_STEP, at=now, attempt=attempt)
    stopped = ANYBODY if any_caller else command.caller
    while True:
        stored = await tasks.read(command.subject)
        try:
            if stored is None:
                if created := await tasks.create(_tombstone(command, _line(stopped, content), done)):
                    return created
            elif stored.is_tombstone:
                if stored.stops(stopped, content):
                    return stored
                return await tasks.overwrite(replace(stored, caller=_lines(stored, stopped, content)))
            elif _leaves_alone(command, content, any_caller, is_at_once, stored):
                return stored
            else:
                # What made it fail stays told.
                return await tasks.change(replace(stored, state="cancelled", steps=(*stored.steps, done)))
        except StaleRow:
            continue  # somebody changed it meanwhile


def _content(command: Envelope) -> str:
    """The fingerprint that the command is limited to, or nothing."""
    content = command.data.get("fingerprint", "")
    if isinstance(content, str) and re.fullmatch("(?:[0-9a-f]{64})?", content):
        return content
    raise HopelessMessage("the command's fingerprint must be a SHA-256 in lower-case hex", code=MALFORMED)


def _any_caller(command: Envelope) -> bool:
    """Whether the command says that it may cancel the task of anybody."""
    any_caller = command.data.get("anyCaller", False)
    if isinstance(any_caller, bool):
        return any_caller
    raise HopelessMessage("the command's anyCaller must be true or false", code=MALFORMED)


def _leaves_alone(command: Envelope, content: str, any_caller: bool, is_at_once: bool, stored: Record) -> bool:
    """Whether the task is cancelled already, or none that the command may cancel: another content, or somebody else's.
    A service may cancel what is somebody else's if it was there before."""
    if stored.state == "cancelled" or content not in ("", stored.fingerprint):
        return True
    if any_caller or stored.caller == command.caller:
        return False
    return identity.is_person(command.caller) or not (is_at_once or stored.submitted_at <= command.time)


def _line(stopped: str, content: str) -> str:
    """Whose task of which content is stopped, as a tombstone holds it."""
    return f"{stopped}\t{content}" if content else stopped


def _lines(tombstone: Record, stopped: str, content: str) -> str:
    """Whose tasks a tombstone stops, with one more. Beyond 20 contents of one caller it stops all of theirs."""
    lines = tombstone.caller.split("\n")
    own = [line for line in lines if line.startswith(f"{stopped}\t")]
    if content and len(own) < CONTENTS_MAX:
        return "\n".join((*lines, _line(stopped, content)))
    return "\n".join((*(line for line in lines if line not in own), stopped))


def _tombstone(command: Envelope, line: str, done: Step) -> Record:
    return Record(
        id=command.subject,
        task=Task(title=""),
        caller=line,
        fingerprint="",
        submitted_at=command.time,
        state="cancelled",
        steps=(done,),
    )
