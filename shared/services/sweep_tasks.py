"""Tasks that are not settled: the sweeper sends their message again, or ends them when their time is over.

It also ends a reopening that was begun and not brought to its end, since its pointer comes first and its letter last:
by the pointer it is found, and what row and letter say tells how far it came.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from shared import log
from shared.domain import instants
from shared.domain.contents import read_contents
from shared.domain.delivery import Delivery
from shared.domain.errors import TaskTooLarge, told
from shared.domain.lane import Lane, lanes_for
from shared.domain.letter import Closing, parse_letter_id
from shared.domain.record import Record
from shared.services.dead_letters import keep_letter
from shared.services.hand_on import HandOn
from shared.services.lanes import Lanes
from shared.services.message_again import again_from_row, event_of_row
from shared.services.record import GAVE_UP, OUT_OF_TIME
from shared.services.sweep import Outcome
from shared.storage.letters import LetterStore
from shared.storage.pointers import Pointer, Pointers
from shared.storage.tasks import TaskStore

YOUNG = timedelta(minutes=10)
"""So long a pointer is left alone: whoever wrote it may still be at work on what comes after it."""

SWEEPER = "sweeper"
"""Who closed a letter whose redrive was not brought to its end by whoever began it."""


@dataclass(frozen=True, kw_only=True)
class OpenTasks:
    """The lists `open:<day>`.

    A task that nothing moved for `resend_after` has its message sent again, at most once in that time: also one that
    merely waits for its deferral, since that cannot be told from here. After `give_up_after` it is ended.
    """

    pointers: Pointers
    tasks: TaskStore
    letters: LetterStore
    lanes: Lanes
    hand_on: HandOn
    resend_after: timedelta
    give_up_after: timedelta
    keep_letters: timedelta
    put_seconds: float
    name: str = "tasks"

    async def page(self, now: datetime, *, after: Pointer | None, limit: int) -> list[Pointer]:
        """The tasks that got under way, the oldest day first."""
        return await self.pointers.opened(after=after, limit=limit)

    async def see_to(self, pointer: Pointer, now: datetime) -> Outcome:
        """Bring one task forward; StaleRow: somebody else does just now."""
        if now - pointer.at < YOUNG:
            return "waiting"
        record = await self.tasks.read(pointer.task_id)
        if record is None:
            log.error("a task that was to be settled has no row", task=pointer.task_id, letter=pointer.letter)
            await self.pointers.drop(pointer)
            return "reported"
        if record.is_settled or pointer.at != record.under_way_since:  # then another pointer stands for it
            await self._tell_of_end(pointer, record)
            is_closed = await self._close_letter(pointer, record, now)
            await self.pointers.drop(pointer)
            return "closed" if is_closed else "done"
        if now - record.under_way_since > self.give_up_after:
            await self._give_up(pointer, record, now)
            await self.pointers.drop(pointer)
            return "gaveUp"
        moves = [record.under_way_since, *(step.at for step in record.steps), pointer.resent_at]
        if now - max(filter(None, moves)) < self.resend_after:
            return "waiting"
        return await self._resend(pointer, record, now)

    async def _tell_of_end(self, pointer: Pointer, record: Record) -> None:
        """Have it told that the task was given up, if perhaps the sweeper who did so was cut off before that."""
        is_of_record = pointer.at == record.under_way_since
        if is_of_record and record.state == "failed" and record.failure and record.failure.code == GAVE_UP:
            await self.hand_on.tell(record)

    async def _close_letter(self, pointer: Pointer, record: Record, now: datetime) -> bool:
        """Mark the letter that was redriven, if whoever did it could not; it is, if the row is ahead of it.

        One that was opened again since is as far as the row, or the task failed again.
        """
        place = parse_letter_id(pointer.letter)
        letter = await self.letters.read(*place) if place and record.state in ("succeeded", "cancelled") else None
        if (
            letter is None
            or letter.state != "open"
            or letter.fingerprint != record.fingerprint
            or letter.redrives >= record.redrives
        ):
            return False
        closing = Closing(by=SWEEPER, at=now, kept_until=now + self.keep_letters)
        await self.letters.change(replace(letter, state="redriven", redrives=record.redrives, closing=closing))
        return True

    async def _give_up(self, pointer: Pointer, record: Record, now: datetime) -> None:
        """End the task as failed; its letter comes first, since nothing leads to it once the row is settled."""
        try:
            await self._keep_letter(pointer, record, now)
        except TaskTooLarge as error:
            log.error("a task that is given up has no letter", **_about(record), because=told(error))
        failed = await self.tasks.change(replace(record, state="failed", failure=OUT_OF_TIME))
        await self.hand_on.after(failed)
        log.warning("a task that nothing settled is given up", **_about(record))

    async def _keep_letter(self, pointer: Pointer, record: Record, now: datetime) -> None:
        delivery = Delivery(
            lane=self._lane(pointer, record),
            raw=event_of_row(record).encode(),
            message_id="",
            dequeue_count=0,
            inserted_at=record.under_way_since,
        )
        code, reason = OUT_OF_TIME.code, OUT_OF_TIME.message
        await keep_letter(read_contents(delivery), delivery, code=code, reason=reason, now=now, letters=self.letters)

    async def _resend(self, pointer: Pointer, record: Record, now: datetime) -> Outcome:
        """Send the message again. The stamp comes first, so that of several sweepers one sends it."""
        text = again_from_row(record)
        await self.pointers.stamp_resent(pointer, now)
        priority, limit = record.task.priority, self.put_seconds
        lane = await self.lanes.put(record.id, text, priority=priority, deadline_seconds=limit)
        await self.hand_on.tell(record)  # whoever reopened it was perhaps cut off before that
        log.warning("the message of a task that nothing moved is sent again", **_about(record), lane=lane.name)
        return "resent"

    def _lane(self, pointer: Pointer, record: Record) -> Lane:
        """That of the letter that was redriven, so that it is opened again; else the one that the task would take."""
        queue, _ = parse_letter_id(pointer.letter) or ("", "")
        best = lanes_for(record.id, record.task.priority, self.lanes.all)[0]
        return next((lane for lane in (best, *self.lanes.all) if lane.queue == queue), best)


def _about(record: Record) -> dict[str, str | int]:
    since = instants.to_text(record.under_way_since)
    return {"task": record.id, "state": record.state, "since": since, "redrives": record.redrives}
