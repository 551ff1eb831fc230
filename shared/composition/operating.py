"""What operators do and see, and what runs by the clock."""

import asyncio
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from shared.composition.again import Again
from shared.domain.lane import Lane
from shared.domain.names import CONNECTION, TASK_QUEUE
from shared.services.filters import STEP_QUEUES

if TYPE_CHECKING:
    from shared.services.health import PartHealth
    from shared.services.operations import Operations
    from shared.services.resend import Range, Resent
    from shared.services.stats import Stats

NO_TASK = "00000000-0000-0000-0000-000000000000"
"""No id is this one: a derived one says which version it is of."""


class Operating(Again):
    @property
    def operations(self) -> "Operations":
        """What operators do with dead letters."""
        from shared.services.operations import Operations

        self.settings.check()
        return Operations(
            letters=self._letters,
            tasks=self._tasks,
            reopening=self._reopening,
            keys=self.settings.receipt_keys,
            read_seconds=self.settings.read_seconds,
            work_seconds=self.settings.operator_seconds,
        )

    async def resend_range(self, wanted: "Range", *, cursor: str) -> "tuple[list[Resent], str | None]":
        """Have the callbacks of many tasks made again."""
        return await self._resending.of_range(wanted, cursor=cursor, seconds=self.settings.operator_seconds)

    async def stats(self) -> "Stats":
        """What waits now."""
        from shared.services.stats import look

        settings = self.settings
        steps = [Lane(queue=queue) for queue in STEP_QUEUES]
        return await look(
            settings.lanes,
            steps,
            queues=self._queues,
            letters=self._letters,
            now=self._now(),
            seconds=settings.read_seconds,
        )

    async def examine(self) -> list["PartHealth"]:
        """How the settings and each part of storage are. What storage is asked for is not there: it costs little."""
        from shared.services.health import DEADLINE_SECONDS, Probe, examine

        async def check_settings() -> None:
            self.settings.check()

        queues = [
            Probe(
                part="queue",
                lane=lane.name,
                ask=partial(self._queues.count, lane.connection, lane.queue, try_seconds=DEADLINE_SECONDS),
            )
            for lane in self.settings.lanes
        ]
        table = Probe(part="table", ask=lambda: self._tasks.read(NO_TASK))
        blob = Probe(part="blob", ask=lambda: self._letters.read_text(TASK_QUEUE, NO_TASK))
        return await examine((Probe(part="settings", ask=check_settings), *queues, table, blob))

    async def sweep(self) -> None:
        """One run of the sweeper."""
        from shared.services.sweep import sweep
        from shared.services.sweep_letters import ClosedLetters
        from shared.services.sweep_tasks import OpenTasks
        from shared.services.sweep_uploads import sweep_uploads
        from shared.storage.photo_claims import PhotoClaims

        settings, pointers = self.settings, self._pointers
        open_tasks = OpenTasks(
            pointers=pointers,
            tasks=self._tasks,
            letters=self._letters,
            lanes=self._lanes,
            hand_on=self._hand_on,
            resend_after=timedelta(minutes=settings.sweep_minutes),
            give_up_after=timedelta(days=settings.give_up_days),
            keep_letters=timedelta(days=settings.keep_letters_days),
            put_seconds=settings.submit_seconds,
        )
        closed_letters = ClosedLetters(pointers=pointers, letters=self._letters)
        lists = (open_tasks, closed_letters)
        await asyncio.gather(
            sweep(lists, pointers=pointers, now=self._now(), seconds=settings.sweep_seconds),
            sweep_uploads(
                photos=self._photos,
                claims=PhotoClaims(self._account(CONNECTION)),
                tasks=self._tasks,
                pointers=pointers,
                now=self._now(),
                older_than=timedelta(days=settings.unclaimed_days),
                seconds=settings.sweep_seconds,
            ),
        )
