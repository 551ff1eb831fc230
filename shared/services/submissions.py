"""What submitters do with tasks, each call bounded in time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from shared import log
from shared.domain import identity
from shared.domain.errors import NotFound, NotKnownCancelled, told
from shared.domain.principal import Principal
from shared.domain.receipt import Receipt, sign, verify
from shared.domain.record import Record
from shared.domain.task import Task, fingerprint
from shared.services.cancel import Reversal, reverse
from shared.services.lanes import Lanes
from shared.services.named_photo import PhotoPart, check_photo_age, check_photo_id, naming
from shared.services.replay import Replays
from shared.services.status import Reading, Status, find, read, status_of
from shared.services.submit import submit
from shared.services.two_state import settle_or_reverse
from shared.services.wait import is_news
from shared.services.watch import Watch
from shared.storage.tasks import TaskStore


@dataclass(frozen=True, kw_only=True)
class Submissions:
    """`check_targets` raises InvalidTask for a task that may not be answered where it asks. `put_photo` keeps an upload
    by its name, with its bytes and its media type.

    `submit_seconds` bounds what waits for a queue, `read_seconds` what waits for a table; `keys` sign receipts."""

    lanes: Lanes
    tasks: TaskStore
    replays: Replays
    watch: Watch
    keys: Sequence[bytes]
    check_targets: Callable[[Task], None]
    put_photo: Callable[[str, bytes, str], Awaitable[object]]
    submit_seconds: float
    read_seconds: float
    never_recorded_days: float
    target_seconds: float

    async def submit(
        self,
        task: Task,
        *,
        who: Principal,
        key: str,
        is_new_key: bool,
        traceparent: str,
        wait_seconds: float = 0,
        or_reverse: bool = False,
        photo: PhotoPart | None = None,
    ) -> tuple[Receipt, str, Status | None]:
        """Accept a task; the receipt, its token, and where the task stands after the wait, if there is one.

        `is_new_key`: no other submit can have used the key. `or_reverse`: settled within the wait, else Reversed.
        `photo` comes with the task, and is kept before the task is put: a task that is accepted has its photo.
        """
        task = who.signed(task)
        self.check_targets(task)
        now, caller, ends = _now(), who.caller, asyncio.get_running_loop().time() + wait_seconds
        check_photo_id(task, caller, keys=self.keys)
        put_photo = None
        if photo:
            name = photo.name(identity.task_id(caller, key))
            task = naming(task, name, caller, now=now, keys=self.keys)
            put_photo = partial(self.put_photo, name, photo.data, photo.media_type)

        async def accept(seconds: float) -> Receipt:
            return await submit(
                task,
                caller=caller,
                key=key,
                traceparent=traceparent,
                now=now,
                lanes=self.lanes,
                replays=None if is_new_key else self.replays,
                deadline_seconds=seconds,
                check_new=partial(check_photo_age, task, caller, now=now, keys=self.keys),
                put_photo=put_photo,
            )

        status = None
        if or_reverse:
            expected = Receipt(
                task_id=identity.task_id(caller, key),
                fingerprint=fingerprint(task),
                accepted_at=now,
                caller_digest=identity.caller_digest(caller),
            )
            receipt, status = await settle_or_reverse(
                expected,
                submit=accept,
                wait=self._settled,
                look=self._look,
                reverse=partial(self._reverse, expected.task_id, expected.fingerprint, who, traceparent),
                key=key,
                wait_seconds=wait_seconds,
                submit_seconds=self.submit_seconds,
                read_seconds=self.read_seconds,
            )
        else:
            receipt = await accept(self.submit_seconds)
            if wait_seconds:
                status = await self._settled(receipt, ends, self.read_seconds)
        return receipt, sign(receipt, self.keys), _logged(status) if status else None

    async def cancel(self, task_id: str, *, who: Principal, traceparent: str) -> Record | None:
        """Cancel a task; its row, or None where it will be set later.

        Raises:
            UnknownTask, NotAllowed: it is not theirs; nothing was put. Where that cannot be read, or there is no row,
            a person's command is put all the same, and that is all: whoever carries it out sees to it that it cancels
            no task but theirs.
            NotKnownCancelled: the command was not acknowledged. The row may say cancelled all the same; but what later
            steps made is undone by the command alone.
        """
        seconds, at_once = self.read_seconds, True
        if not who.is_operator:
            seconds /= 2
            at_once = await self._is_theirs(task_id, who, seconds)
        any_caller = who.is_operator and bool(who.person)  # a service may anyway
        reversal = await self._reverse(task_id, "", who, traceparent, seconds, any_caller=any_caller, at_once=at_once)
        if not reversal.is_queued:
            raise NotKnownCancelled(task_id)
        if reversal.record:
            who.check_may_change(reversal.record)  # it came meanwhile, and was left alone
        return reversal.record

    async def _is_theirs(self, task_id: str, who: Principal, seconds: float) -> bool:
        """Whether there is a row that they may change; UnknownTask or NotAllowed if it is one that they may not.

        A tombstone of others is no row of anybody's: theirs may be still to come.
        """
        try:
            record = await find(task_id, tasks=self.tasks, deadline_seconds=seconds)
        except Exception as error:
            log.warning("whose a task is cannot be read", task=task_id, because=told(error))
            return False
        if record and not record.is_tombstone:
            who.check_may_change(record)
        return record is not None and who.may_change(record)

    async def _reverse(
        self,
        task_id: str,
        content: str,
        who: Principal,
        traceparent: str,
        read_seconds: float,
        *,
        any_caller: bool = False,
        at_once: bool = True,
    ) -> Reversal:
        return await reverse(
            task_id,
            caller=who.caller,
            any_caller=any_caller,
            at_once=at_once,
            content=content,
            traceparent=traceparent,
            now=_now(),
            lanes=self.lanes,
            tasks=self.tasks,
            submit_seconds=self.submit_seconds,
            read_seconds=read_seconds,
        )

    async def status(
        self, token: str, *, wait_seconds: float = 0, is_known: Callable[[Status], bool] | None = None
    ) -> Status:
        """Where the task of a receipt stands; NotFound for a receipt that is not ours.

        With a wait it is told once there is news, or then: another state, or what is not known to the client.
        """
        receipt = verify(token, self.keys)
        if receipt is None:
            raise NotFound("This is not a receipt of this app.", code="unknown_receipt")
        if not wait_seconds:
            return _logged(await self._look(receipt, self.read_seconds))
        reading = await self.watch.until(
            receipt.task_id,
            is_news(partial(self._see, receipt), is_known),
            ends=asyncio.get_running_loop().time() + wait_seconds,
            more_seconds=self.read_seconds,
        )
        return _logged(self._see(receipt, reading))

    async def _settled(self, receipt: Receipt, ends: float, more_seconds: float = 0) -> Status:
        """Where the task stands once it is settled, or at `ends`."""
        reading = await self.watch.until(
            receipt.task_id,
            lambda reading: self._see(receipt, reading).is_settled,
            ends=ends,
            more_seconds=more_seconds,
        )
        return self._see(receipt, reading)

    async def _look(self, receipt: Receipt, seconds: float) -> Status:
        return self._see(receipt, await read(receipt.task_id, tasks=self.tasks, seconds=seconds))

    def _see(self, receipt: Receipt, reading: Reading) -> Status:
        return status_of(
            receipt,
            reading,
            now=_now(),
            never_recorded_days=self.never_recorded_days,
            target_seconds=self.target_seconds,
        )


def _logged(status: Status) -> Status:
    """Once a call, however often it looked."""
    if status.unreadable:
        log.warning("the status is not readable", task=status.id, because=status.unreadable)
    return status


def _now() -> datetime:
    return datetime.now(UTC)
