"""Composition: the real storage and the real settings, opened on first use and kept for the life of the process."""

import os
from datetime import UTC, datetime, timedelta
from functools import cached_property

from shared import log
from shared.domain import identity
from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.errors import NotFound
from shared.domain.lane import Lane, parse_lanes
from shared.domain.names import CONNECTION
from shared.domain.receipt import Receipt, sign, verify
from shared.domain.record import Record
from shared.domain.task import Task, check_reply_to
from shared.services.lanes import Lanes
from shared.services.poison import settle_poison
from shared.services.policy import Policy
from shared.services.receive import receive
from shared.services.replay import Replays
from shared.services.status import Status, find, status_of
from shared.services.submit import submit
from shared.settings import Settings
from shared.storage.account import Account
from shared.storage.letters import LetterStore
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

    async def submit(self, task: Task, *, key: str, is_new_key: bool, traceparent: str) -> tuple[Receipt, str]:
        """Accept a task; the receipt and its token. `is_new_key`: no other submit can have used the key."""
        self.settings.check()
        check_reply_to(task, self.settings.may_reply_to)
        receipt = await submit(
            task,
            caller=identity.KEY_CALLER,
            key=key,
            traceparent=traceparent,
            now=_now(),
            lanes=self._lanes,
            replays=None if is_new_key else self._replays,
            deadline_seconds=self.settings.submit_seconds,
        )
        return receipt, sign(receipt, self.settings.receipt_keys)

    async def status(self, token: str) -> Status:
        """Where the task of a receipt stands; NotFound for a receipt that is not ours."""
        self.settings.check()
        receipt = verify(token, self.settings.receipt_keys)
        if receipt is None:
            raise NotFound("This is not a receipt of this app.", code="unknown_receipt")
        return await status_of(
            receipt,
            now=_now(),
            never_recorded_days=self.settings.never_recorded_days,
            tasks=self._tasks,
            deadline_seconds=self.settings.read_seconds,
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


def _now() -> datetime:
    return datetime.now(UTC)
