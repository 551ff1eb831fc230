"""Composition: the real storage and the real settings, opened on first use and kept for the life of the process.

What a submit and a delivery do not need is imported where it is used: a cold start is mostly imports.
"""

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING

from shared import log
from shared.domain.access import Guard, parse_guard
from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.errors import SettingsError, told
from shared.domain.lane import Lane, parse_lanes
from shared.domain.names import CONNECTION, TASK_QUEUE
from shared.domain.principal import Principal
from shared.domain.record import Record
from shared.services.backlog import Backlog
from shared.services.lanes import Lanes
from shared.services.poison import settle_poison
from shared.services.policy import Policy
from shared.services.receive import receive
from shared.services.replay import Replays
from shared.services.status import found, is_overdue, read, seen_by
from shared.services.submissions import Submissions
from shared.services.wait import is_news
from shared.services.watch import Watch
from shared.settings import Settings
from shared.storage.account import Account
from shared.storage.letters import LetterStore
from shared.storage.pointers import Pointers
from shared.storage.queues import Queues
from shared.storage.tasks import TaskStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.domain.patch import Patch
    from shared.domain.task_filter import TaskFilter
    from shared.services.batch import BatchItem, Outcome
    from shared.services.forms import Forms
    from shared.services.health import PartHealth
    from shared.services.operations import Operations
    from shared.services.people import People
    from shared.services.reopen import Reopening
    from shared.services.stats import Stats

VERSION = "0.1.0"
NO_TASK = "00000000-0000-0000-0000-000000000000"
"""No id is this one: a derived one says which version it is of."""


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
    def access(self) -> Guard:
        """How the routes are guarded; SettingsError for settings of it that are wrong or not safe. Opens nothing."""
        return parse_guard(os.environ)

    def may_start(self) -> bool:
        """Whether the settings that decide what is registered can be used; a log line says what is wrong with them."""
        try:
            return bool(self.lanes and self.access)
        except SettingsError as error:
            log.error("the app does not start, and has no function", because=told(error))
            return False

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
    def backlog(self) -> Backlog:
        """How soon it is worth asking about a task again."""
        return Backlog(self.settings.lanes, queues=self._queues)

    @cached_property
    def _tasks(self) -> TaskStore:
        return TaskStore(self._account(CONNECTION))

    @cached_property
    def _replays(self) -> Replays:
        settings = self.settings
        return Replays(self._tasks, read_seconds=settings.key_read_seconds, pause_seconds=settings.lane_pause_seconds)

    @cached_property
    def _watch(self) -> Watch:
        return Watch(self._tasks, read_seconds=self.settings.read_seconds)

    @cached_property
    def _pointers(self) -> Pointers:
        return Pointers(self._account(CONNECTION))

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

    @property
    def submissions(self) -> Submissions:
        """What submitters do with tasks."""
        self.settings.check()
        settings = self.settings
        return Submissions(
            lanes=self._lanes,
            tasks=self._tasks,
            replays=self._replays,
            watch=self._watch,
            keys=settings.receipt_keys,
            may_reply_to=settings.may_reply_to,
            submit_seconds=settings.submit_seconds,
            read_seconds=settings.read_seconds,
            never_recorded_days=settings.never_recorded_days,
            target_seconds=settings.target_seconds,
        )

    @property
    def forms(self) -> "Forms":
        """The forms of the pages."""
        from shared.services.forms import Forms

        self.settings.check()
        return Forms(self.settings.receipt_keys)

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

    @cached_property
    def people(self) -> "People":
        """The directory. It needs no setting but the account's."""
        from shared.services.people import People
        from shared.storage.people import PeopleStore

        return People(store=PeopleStore(self._account(CONNECTION)), seconds=self.settings.read_seconds)

    async def _check_owner(self, owner: str) -> None:
        """UnknownOwner for one to whom no task can be assigned; the directory is asked only where it has to be."""
        if owner and self.settings.needs_directory:
            await self.people.check_owner(owner)

    @cached_property
    def _reopening(self) -> "Reopening":
        from shared.services.reopen import Reopening

        return Reopening(
            tasks=self._tasks,
            letters=self._letters,
            pointers=self._pointers,
            lanes=self._lanes,
            keep_letters=timedelta(days=self.settings.keep_letters_days),
            put_seconds=self.settings.submit_seconds,
        )

    async def task(
        self,
        task_id: str,
        *,
        who: Principal,
        wait_seconds: float = 0,
        is_known: Callable[[Record], bool] | None = None,
    ) -> Record:
        """The task with an id; UnknownTask while there is no row that they may see. It needs no setting but the
        account's.

        With a wait it is given once there is news, or then: a row, another state, or what is not known to the client.
        """
        seconds = self.settings.read_seconds
        if not wait_seconds:
            return found(who, await read(task_id, tasks=self._tasks, seconds=seconds))
        reading = await self._watch.until(
            task_id,
            is_news(partial(seen_by, who), is_known),
            ends=asyncio.get_running_loop().time() + wait_seconds,
            more_seconds=seconds,
        )
        return found(who, reading)

    def is_overdue(self, record: Record) -> bool:
        """Whether a task is not settled, though it should be by now."""
        target = self.settings.target_seconds
        return is_overdue(record.state, record.under_way_since, now=_now(), target_seconds=target)

    async def submit_batch(self, items: "Sequence[BatchItem]", *, who: Principal, traceparent: str) -> "list[Outcome]":
        """Accept many tasks, each by itself; what became of each, in their order."""
        from shared.services.batch import submit_batch

        seconds = self.settings.batch_seconds
        return await submit_batch(
            items, who=who, traceparent=traceparent, submissions=self.submissions, seconds=seconds
        )

    async def find_tasks(
        self, wanted: "TaskFilter", *, who: Principal, limit: int, cursor: str
    ) -> tuple[list[Record], str | None]:
        """One page of the tasks that somebody wants and may see, and the cursor to go on with."""
        from shared.services.find_tasks import find_tasks
        from shared.storage.task_lists import TaskLists

        self.settings.check()
        return await find_tasks(
            wanted,
            who=who,
            limit=limit,
            cursor=cursor,
            now=_now(),
            lists=TaskLists(self._account(CONNECTION)),
            tasks=self._tasks,
            keys=self.settings.receipt_keys,
            seconds=self.settings.read_seconds,
        )

    async def retry(self, task_id: str, *, who: Principal) -> Record:
        """Have a submitter's failed task tried again; its row as it then stands."""
        from shared.services.retry import retry

        self.settings.check()
        seconds = self.settings.read_seconds + self.settings.submit_seconds
        record = await self.task(task_id, who=who)
        who.check_may_change(record)
        return await retry(record, now=_now(), reopening=self._reopening, deadline_seconds=seconds)

    async def edit(
        self, task_id: str, patch: "Patch", *, matches: Callable[[str], bool], who: Principal, traceparent: str
    ) -> Record:
        """Change a task; its row as it then stands. `matches` says whether the edit is for the version of a tag."""
        from shared.services.edit import Editing

        self.settings.check()
        settings = self.settings
        editing = Editing(
            check_owner=self._check_owner,
            lanes=self._lanes,
            tasks=self._tasks,
            submit_seconds=settings.submit_seconds,
            read_seconds=settings.read_seconds,
        )
        record = await self.task(task_id, who=who)
        return await editing.edit(record, patch, matches=matches, who=who, traceparent=traceparent, now=_now())

    async def handle_task(self, delivery: Delivery) -> None:
        """Settle one delivery of a task queue."""

        async def handle(contents: Contents, delivery: Delivery) -> None:
            await receive(
                contents,
                delivery,
                now=_now(),
                give_up_after=timedelta(days=self.settings.give_up_days),
                may_reply_to=self.settings.may_reply_to,
                check_owner=self._check_owner,
                queues=self._queues,
                tasks=self._tasks,
            )

        await self._policy.settle(delivery, handle)

    async def handle_poison(self, delivery: Delivery) -> None:
        """Settle one delivery of a poison queue."""

        async def handle(contents: Contents, delivery: Delivery) -> None:
            await settle_poison(contents, delivery, now=_now(), tasks=self._tasks, letters=self._letters)

        await self._policy.settle(delivery, handle)

    async def stats(self) -> "Stats":
        """What waits now."""
        from shared.services.stats import look

        settings = self.settings
        return await look(
            settings.lanes, queues=self._queues, letters=self._letters, now=_now(), seconds=settings.read_seconds
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

        settings, pointers = self.settings, self._pointers
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
