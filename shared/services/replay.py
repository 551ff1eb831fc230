"""Find out, before the put, whether a client's key already stands for a task: a replay is answered as the first was."""

from shared import log
from shared.domain.errors import KeyReused, told
from shared.domain.identity import caller_digest
from shared.domain.receipt import Receipt
from shared.domain.record import Record
from shared.services.breaker import Breaker
from shared.services.status import find
from shared.storage.columns import DamagedRow
from shared.storage.tasks import TaskStore


class Replays:
    """Looks up what keys stand for: a service to clients that never fails a submit.

    A look may take `read_seconds`. After one that failed the table is left alone for `pause_seconds`, so that its
    outage costs one slow submit each pause, not every one.
    """

    def __init__(self, tasks: TaskStore, *, read_seconds: float, pause_seconds: float) -> None:
        self._tasks = tasks
        self._read_seconds = read_seconds
        self._breaker = Breaker(pause_seconds=pause_seconds)

    async def first_receipt(self, task_id: str, fingerprint: str, *, deadline_seconds: float) -> Receipt | None:
        """The receipt of the task that is recorded under this id with this content.

        None if there is none, if it was cancelled before it came (the step that meets it says so), or if nobody can
        tell now.

        Raises:
            KeyReused: another content is recorded under this id.
        """
        record = await self._read(task_id, min(self._read_seconds, deadline_seconds))
        if record is None or record.is_tombstone:
            return None
        if record.fingerprint != fingerprint:
            raise KeyReused
        return Receipt(
            task_id=task_id,
            fingerprint=fingerprint,
            accepted_at=record.submitted_at,
            caller_digest=caller_digest(record.caller),
        )

    async def _read(self, task_id: str, seconds: float) -> Record | None:
        if not self._breaker.is_passable:
            return None
        try:
            with self._breaker.watching():
                return await self._read_row(task_id, seconds)
        except Exception as error:
            log.warning("what a key stands for is not known", task=task_id, because=told(error))
            return None

    async def _read_row(self, task_id: str, seconds: float) -> Record | None:
        try:
            return await find(task_id, tasks=self._tasks, deadline_seconds=seconds)
        except DamagedRow:
            return None  # no outage, and the record step will say it
