"""Composition: the real storage and the real settings, opened on first use and kept for the life of the process."""

import asyncio
import os
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial

from shared import log
from shared.domain import identity
from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.errors import NotFound, NotKnownCancelled
from shared.domain.lane import Lane, parse_lanes
from shared.domain.names import CONNECTION
from shared.domain.receipt import Receipt, sign, verify
from shared.domain.record import Record
from shared.domain.task import Task, check_reply_to, fingerprint
from shared.services.cancel import Reversal, reverse
from shared.services.lanes import Lanes
from shared.services.operations import Operations
from shared.services.poison import settle_poison
from shared.services.policy import Policy
from shared.services.receive import receive
from shared.services.reopen import Reopening
from shared.services.replay import Replays
from shared.services.retry import retry
from shared.services.status import Status, find, status_of
from shared.services.submit import submit
from shared.services.sweep import sweep
from shared.services.sweep_letters import ClosedLetters
from shared.services.sweep_tasks import OpenTasks
from shared.services.two_state import settle_or_reverse
from shared.services.wait import wait_until_settled
from shared.settings import Settings
from shared.storage.account import Account
from shared.storage.letters import LetterStore
from shared.storage.pointers import Pointers
from shared.storage.queues import Queues
from shared.storage.tasks import TaskStore

VERSION = "0.1.0"


class App:
    """Each use case, bound to its storage. Making one opens nothing; wrong settings are told at the first use."""

    @cached_property
    def settings(self) -> Settings:
        settings = Settings.from_environment(os.environ)
        for complaint in settings.errors:
            log.error("a setting is missing or wrong", complaint=complaint)
        return settings

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes whose triggers are to be registered; SettingsError for a wrong FIXIT_LANES. Opens nothing."""
        return parse_lanes(os.environ.get("FIXIT_LANES", ""))

    @cached_property
    def _accounts(self) -> dict[str, Account]:
        return {}

    def _account(self, connection: str) -> Account:
        """The one of a connection name, for a lane that is listed or was; SettingsError where it is not set."""
        if connection not in self._accounts:
            connections = self.settings.account(connection)
            proxy = self.settings.use_environment_proxy
            self._accounts[connection] = Account(connections, environment_proxy=proxy)
        return self._accounts[connection]

    @cached_property
    def _queues(self) -> Queues:
        return Queues(self._account)

    @cached_property
    def _lanes(self) -> Lanes:
        return Lanes(self.settings.lanes, queues=self._queues, pause_seconds=self.settings.lane_pause_seconds)

    @cached_property
    def _tasks(self) -> TaskStore:
        return TaskStore(self._account(CONNECTION))

    @cached_property
    def _replays(self) -> Replays:
        settings = self.settings
        return Replays(self._tasks, read_seconds=settings.key_read_seconds, pause_seconds=settings.lane_pause_seconds)

    @cached_property
    def _letters(self) -> LetterStore:
        return LetterStore(self._account(CONNECTION))

    @cached_property
    def _policy(self) -> Policy:
        return Policy(
            queues=self._queues,
            letters=self._letters,
            step_seconds=self.settings.step_seconds,
            defer_base_seconds=self.settings.defer_base_seconds,
            defer_cap_seconds=self.settings.defer_cap_seconds,
        )

    async def submit(
        self,
        task: Task,
        *,
        key: str,
        is_new_key: bool,
        traceparent: str,
        wait_seconds: float = 0,
        or_reverse: bool = False,
    ) -> tuple[Receipt, str, Status | None]:
        """Accept a task; the receipt, its token, and where the task stands after the wait, if there is one.

        `is_new_key`: no other submit can have used the key. `or_reverse`: settled within the wait, else Reversed.
        """
        self.settings.check()
        check_reply_to(task, self.settings.may_reply_to)
        now, caller, ends = _now(), identity.KEY_CALLER, asyncio.get_running_loop().time() + wait_seconds
        submit_seconds, read_seconds = self.settings.submit_seconds, self.settings.read_seconds

        async def accept(seconds: float) -> Receipt:
            return await submit(
                task,
                caller=caller,
                key=key,
                traceparent=traceparent,
                now=now,
                lanes=self._lanes,
                replays=None if is_new_key else self._replays,
                deadline_seconds=seconds,
            )

        status = None
        if or_reverse:
            expected = Receipt(task_id=identity.task_id(caller, key), fingerprint=fingerprint(task), accepted_at=now)
            receipt, status = await settle_or_reverse(
                expected,
                submit=accept,
                look=self._look,
                reverse=partial(self._reverse, expected.task_id, expected.fingerprint, traceparent),
                key=key,
                wait_seconds=wait_seconds,
                submit_seconds=submit_seconds,
                read_seconds=read_seconds,
            )
        else:
            receipt = await accept(submit_seconds)
            if wait_seconds:
                status = await wait_until_settled(receipt, self._look, ends=ends, look_seconds=read_seconds)
        return receipt, sign(receipt, self.settings.receipt_keys), status

    async def cancel(self, task_id: str, *, traceparent: str) -> Record | None:
        """Cancel a task; its row, or None where it will be set later.

        Raises:
            NotKnownCancelled: the command was not acknowledged. The row may say cancelled all the same; but what later
            steps made is undone by the command alone.
        """
        self.settings.check()
        reversal = await self._reverse(task_id, "", traceparent, self.settings.read_seconds)
        if not reversal.is_queued:
            raise NotKnownCancelled(task_id)
        return reversal.record

    async def _reverse(self, task_id: str, content: str, traceparent: str, read_seconds: float) -> Reversal:
        return await reverse(
            task_id,
            caller=identity.KEY_CALLER,
            content=content,
            traceparent=traceparent,
            now=_now(),
            lanes=self._lanes,
            tasks=self._tasks,
            submit_seconds=self.settings.submit_seconds,
            read_seconds=read_seconds,
        )

    async def status(self, token: str) -> Status:
        """Where the task of a receipt stands; NotFound for a receipt that is not ours."""
        self.settings.check()
        receipt = verify(token, self.settings.receipt_keys)
        if receipt is None:
            raise NotFound("This is not a receipt of this app.", code="unknown_receipt")
        return await self._look(receipt, self.settings.read_seconds)

    async def _look(self, receipt: Receipt, seconds: float) -> Status:
        return await status_of(
            receipt,
            caller=identity.KEY_CALLER,
            now=_now(),
            never_recorded_days=self.settings.never_recorded_days,
            tasks=self._tasks,
            deadline_seconds=seconds,
        )

    async def task(self, task_id: str) -> Record:
        """The task with an id; NotFound while there is no row."""
        record = await find(task_id, tasks=self._tasks, deadline_seconds=self.settings.read_seconds)
        if record is None:
            raise NotFound(
                "No such task is recorded (yet). Submitting it again with the same key is safe.",
                code="unknown_task",
            )
        return record

    async def task_by_key(self, key: str) -> Record:
        """The task that was submitted with a key."""
        return await self.task(identity.task_id(identity.KEY_CALLER, key))

    async def retry(self, task_id: str) -> Record:
        """Have a failed task tried again; its row as it then stands."""
        self.settings.check()
        seconds = self.settings.read_seconds + self.settings.submit_seconds
        return await retry(await self.task(task_id), now=_now(), reopening=self._reopening, deadline_seconds=seconds)

    @property
    def operations(self) -> Operations:
        """What operators do with dead letters."""
        self.settings.check()
        return Operations(
            letters=self._letters,
            tasks=self._tasks,
            reopening=self._reopening,
            keys=self.settings.receipt_keys,
            read_seconds=self.settings.read_seconds,
            work_seconds=self.settings.operator_seconds,
        )

    @cached_property
    def _reopening(self) -> Reopening:
        return Reopening(
            tasks=self._tasks,
            letters=self._letters,
            pointers=Pointers(self._account(CONNECTION)),
            queues=self._queues,
            lanes=self._lanes,
            keep_letters=timedelta(days=self.settings.keep_letters_days),
            put_seconds=self.settings.submit_seconds,
        )

    async def handle_task(self, delivery: Delivery) -> None:
        """Settle one delivery of a task queue."""

        async def handle(contents: Contents, delivery: Delivery) -> None:
            await receive(
                contents,
                delivery,
                now=_now(),
                give_up_after=timedelta(days=self.settings.give_up_days),
                may_reply_to=self.settings.may_reply_to,
                queues=self._queues,
                tasks=self._tasks,
            )

        await self._policy.settle(delivery, handle)

    async def handle_poison(self, delivery: Delivery) -> None:
        """Settle one delivery of a poison queue."""

        async def handle(contents: Contents, delivery: Delivery) -> None:
            await settle_poison(contents, delivery, now=_now(), tasks=self._tasks, letters=self._letters)

        await self._policy.settle(delivery, handle)

    async def sweep(self) -> None:
        """One run of the sweeper."""
        settings, pointers = self.settings, Pointers(self._account(CONNECTION))
        open_tasks = OpenTasks(
            pointers=pointers,
            tasks=self._tasks,
            letters=self._letters,
            lanes=self._lanes,
            resend_after=timedelta(minutes=settings.sweep_minutes),
            give_up_after=timedelta(days=settings.give_up_days),
            keep_letters=timedelta(days=settings.keep_letters_days),
            put_seconds=settings.submit_seconds,
        )
        closed_letters = ClosedLetters(pointers=pointers, letters=self._letters)
        lists = (open_tasks, closed_letters)
        await sweep(lists, pointers=pointers, now=_now(), seconds=settings.sweep_seconds)


def _now() -> datetime:
    return datetime.now(UTC)
