"""A step behind the record step failed for good: its task fails, if it is the one that the message is about."""

import re
from collections.abc import Mapping
from dataclasses import replace

from shared.domain.envelope import Envelope
from shared.domain.errors import InvalidTask
from shared.domain.record import Failure, Record
from shared.domain.task import fingerprint, parse_task
from shared.storage.columns import DamagedRow
from shared.storage.table import StaleRow
from shared.storage.tasks import TaskStore

_SHA256 = re.compile("[0-9a-f]{64}")


def fingerprint_of(event: Envelope) -> str:
    """The content of the task that a step's message is about; nothing where it does not say.

    A message that brings its task is about that one, whatever it says besides.
    """
    brought = event.data.get("task")
    if isinstance(brought, Mapping):
        try:
            return fingerprint(parse_task(brought))
        except InvalidTask:
            return ""
    value = event.data.get("fingerprint", "")
    return value if isinstance(value, str) and _SHA256.fullmatch(value) else ""


async def fail_step(event: Envelope, failure: Failure, *, tasks: TaskStore) -> Record | None:
    """Fail the task of a step's message, and give its row as it then stands; None where it has none of this content.

    A settled task stays as it is, and so does one that was reopened since the message was sent. A row that cannot be
    read stays too: the letter tells of it.
    """
    while True:
        try:
            stored = await tasks.read(event.subject)
        except DamagedRow:
            return None
        if stored is None or stored.is_tombstone or fingerprint_of(event) not in ("", stored.fingerprint):
            return None
        if stored.is_settled or event.redrives < stored.redrives:
            return stored
        try:
            return await tasks.change(replace(stored, state="failed", failure=failure))
        except StaleRow:
            continue  # somebody changed it meanwhile
