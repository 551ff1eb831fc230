"""Composition: the real storage and the real settings, opened on first use and kept for the life of the process.

What a submit and a delivery do not need is imported where it is used: a cold start is mostly imports.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING

from shared import log
from shared.domain.access import Guard, parse_guard
from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.errors import NoCallback, SettingsError, told
from shared.domain.lane import Lane, parse_lanes
from shared.domain.names import CONNECTION, NOTICE_QUEUE, TASK_QUEUE
from shared.domain.notice import CHANNELS, Channel
from shared.domain.principal import Principal
from shared.domain.record import Record
from shared.domain.task import Task, check_reply_to
from shared.services.backlog import Backlog
from shared.services.deadline import answers_within
from shared.services.filters import FILTERS, STEP_QUEUES, Filter, Parts, Work
from shared.services.hand_on import HandOn
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

    from shared.channels.callback import CallbackChannel
    from shared.channels.senders import Senders
    from shared.domain.notice_record import NoticeRecord
    from shared.domain.patch import Patch
    from shared.domain.task_filter import TaskFilter
    from shared.services.batch import BatchItem, Outcome
    from shared.services.forms import Forms
    from shared.services.health import PartHealth
    from shared.services.notify import Notify
    from shared.services.operations import Operations
    from shared.services.people import People
    from shared.services.photo_uploads import Offer, PhotoUploads
    from shared.services.photo_view import Form
    from shared.services.reopen import Reopening
    from shared.services.resend import Range, Resending, Resent
    from shared.services.stats import Stats
    from shared.storage.notices import NoticeStore
    from shared.storage.photo_links import PhotoLinks
    from shared.storage.photos import PhotoStore

Handler = Callable[[Delivery], Awaitable[None]]

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

    @property
    def triggers(self) -> "tuple[tuple[str, Lane, Handler], ...]":
        """Each queue that is listened to, with the name of its function and what settles a delivery. Opens nothing."""
        return (
            *((lane.function, lane, self.handle_task) for lane in self.lanes),
            *((step.name, Lane(queue=step.queue), self.handle_step) for step in FILTERS),
            ("notify", Lane(queue=NOTICE_QUEUE), self.handle_notice),
        )

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
    def _hand_on(self) -> HandOn:
        return HandOn(queues=self._queues, pointers=self._pointers, on=self._channels)

    @cached_property
    def _channels(self) -> frozenset[Channel]:
        """The channels that are on; the log says at the first use which are off, and what would turn them on."""
        senders = self._senders
        off = [*senders.off.values()]
        if not self.settings.callback_keys:
            off.append("Callbacks are off: FIXIT_CALLBACK_KEYS is not set.")
        for sentence in off:
            log.info("a channel is off", because=sentence)
        is_on = {"callback": bool(self.settings.callback_keys), "reply": True, **dict.fromkeys(senders.on, True)}
        return frozenset(channel for channel in CHANNELS if is_on.get(channel))

    @cached_property
    def _works(self) -> dict[str, Work]:
        return {}

    def _work_of(self, step: Filter) -> Work:
        """The work of a filter, opened once."""
        if step.name not in self._works:
            self._works[step.name] = step.open(self._parts)
        return self._works[step.name]

    @property
    def _parts(self) -> Parts:
        settings = self.settings
        return Parts(
            account=self._account(CONNECTION),
            keys=settings.usable_receipt_keys,
            public_blob_url=settings.public_blob_url,
            upload_time=timedelta(minutes=settings.upload_minutes),
            photo_wait_seconds=settings.photo_wait_seconds,
            step_seconds=settings.step_seconds,
        )

    async def _compensate(self, record: Record, *, now: datetime) -> None:
        """Undo whatever the filters did for a cancelled task, the last one first."""
        for step in reversed(FILTERS):
            if step.is_needed(record.task):
                await self._work_of(step).undo(record, now=now)

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
            check_targets=self._check_targets,
            put_photo=self._put_photo,
            submit_seconds=settings.submit_seconds,
            read_seconds=settings.read_seconds,
            never_recorded_days=settings.never_recorded_days,
            target_seconds=settings.target_seconds,
        )

    @cached_property
    def _photos(self) -> "PhotoStore":
        from shared.storage.photos import PhotoStore

        return PhotoStore(self._account(CONNECTION))

    async def _put_photo(self, photo: str, data: bytes, media_type: str) -> bool:
        return await self._photos.put_incoming(photo, data, media_type)

    @cached_property
    def photo_links(self) -> "PhotoLinks":
        """Links to photos, for minutes. They need no setting but the account's."""
        from shared.storage.photo_links import PhotoLinks

        settings = self.settings
        return PhotoLinks(
            self._account(CONNECTION),
            public_url=settings.public_blob_url,
            upload_time=timedelta(minutes=settings.upload_minutes),
            read_time=timedelta(minutes=settings.link_minutes),
        )

    @cached_property
    def _photo_uploads(self) -> "PhotoUploads":
        from shared.services.photo_uploads import PhotoUploads

        settings = self.settings
        keys, seconds = settings.receipt_keys, settings.read_seconds
        return PhotoUploads(store=self._photos, links=self.photo_links, keys=keys, seconds=seconds)

    async def offer_photo(self, name: str, media_type: str, *, who: Principal) -> "Offer":
        """Let somebody upload one photo."""
        self.settings.check()
        return await self._photo_uploads.offer(who.caller, name=name, media_type=media_type, now=_now())

    async def photo_link(self, task_id: str, form: "Form", *, who: Principal) -> str:
        """Where the photo of a task that somebody may see can be read for some minutes; NotFound if there is none."""
        from shared.services.photo_view import link_to

        record = await self.task(task_id, who=who)
        return await link_to(record, form, links=self.photo_links, now=_now(), seconds=self.settings.read_seconds)

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

    def _check_targets(self, task: Task) -> None:
        """InvalidTask for a task that may not be answered where it asks."""
        check_reply_to(task, self.settings.may_reply_to)
        if task.callback_url:
            from shared.domain.callback_rule import check_callback  # few ask for callbacks

            check_callback(task, self.settings.callbacks_allowed)

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
            queues=self._queues,
            hand_on=self._hand_on,
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

    async def notices(self, task_id: str, *, who: Principal) -> "list[NoticeRecord]":
        """Who was to be told of a task, and how that went."""
        await self.task(task_id, who=who)
        async with answers_within(self.settings.read_seconds):
            found, damaged = await self._notices.of_task(task_id)
        for notice in damaged:
            log.warning("a notice is left out: its row cannot be read", task=task_id, event=notice)
        return found

    async def resend(self, task_id: str, *, who: Principal, traceparent: str) -> "list[Resent]":
        """Have the callback of a task made again."""
        record = await self.task(task_id, who=who)
        who.check_may_change(record)
        return await self._resending.of_task(record, traceparent=traceparent, seconds=self.settings.submit_seconds)

    async def resend_range(self, wanted: "Range", *, cursor: str) -> "tuple[list[Resent], str | None]":
        """Have the callbacks of many tasks made again."""
        return await self._resending.of_range(wanted, cursor=cursor, seconds=self.settings.operator_seconds)

    @property
    def _resending(self) -> "Resending":
        from shared.services.resend import Resending
        from shared.storage.task_lists import TaskLists

        self.settings.check()
        if "callback" not in self._channels:
            raise NoCallback("Callbacks are off in this app: its setting FIXIT_CALLBACK_KEYS is not set.")
        return Resending(
            notices=self._notices,
            queues=self._queues,
            lists=TaskLists(self._account(CONNECTION)),
            tasks=self._tasks,
            keys=self.settings.receipt_keys,
        )

    @cached_property
    def _notices(self) -> "NoticeStore":
        from shared.storage.notices import NoticeStore

        return NoticeStore(self._account(CONNECTION))

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
                check_targets=self._check_targets,
                check_owner=self._check_owner,
                queues=self._queues,
                tasks=self._tasks,
                hand_on=self._hand_on,
                compensate=partial(self._compensate, now=_now()),
            )

        await self._policy.settle(delivery, handle)

    async def handle_step(self, delivery: Delivery) -> None:
        """Settle one delivery of a filter's queue."""
        from shared.services.run_step import StepRun  # a task without a filter does not need it

        run = StepRun(
            work_of=self._work_of,
            tasks=self._tasks,
            queues=self._queues,
            hand_on=self._hand_on,
            give_up_after=timedelta(days=self.settings.give_up_days),
        )

        async def handle(contents: Contents, delivery: Delivery) -> None:
            await run.run(contents, delivery, now=_now())

        await self._policy.settle(delivery, handle)

    async def handle_notice(self, delivery: Delivery) -> None:
        """Settle one delivery of the notice queue."""

        async def handle(contents: Contents, delivery: Delivery) -> None:
            await self._notify.run(contents, delivery, now=_now())

        await self._policy.settle(delivery, handle)

    @cached_property
    def _notify(self) -> "Notify":
        from shared.services.notify import Notify
        from shared.services.notify_callback import CallbackWay
        from shared.services.notify_people import PeopleWay
        from shared.services.notify_reply import ReplyWay
        from shared.storage.people import PeopleStore

        settings, notices, people = self.settings, self._notices, PeopleStore(self._account(CONNECTION))
        # A delivery is over by then, and the clocks of two instances differ by little.
        claim_time = timedelta(seconds=settings.step_seconds * 1.25)
        of_people: list[Channel] = ["mail", "sms"]
        return Notify(
            ways={
                **{
                    channel: PeopleWay(
                        channel=channel,
                        sender=partial(self._senders.on.get, channel),
                        notices=notices,
                        people=people,
                        claim_time=claim_time,
                    )
                    for channel in of_people
                },
                "callback": CallbackWay(channel=lambda: self._callbacks, notices=notices),
                "reply": ReplyWay(queues=self._queues, may_reply_to=settings.may_reply_to),
            },
            notices=notices,
            queues=self._queues,
            scale=settings.callback_scale,
        )

    @cached_property
    def _senders(self) -> "Senders":
        from shared.channels.senders import make_senders

        settings = self.settings
        return make_senders(
            mail_from=settings.mail_from,
            smtp_url=settings.smtp_url,
            acs_endpoint=settings.acs_endpoint,
            outbox=settings.outbox,
            sms_from=settings.sms_from,
            client_id=settings.account(CONNECTION).client_id,
            environment_proxy=settings.use_environment_proxy,
        )

    @cached_property
    def _callbacks(self) -> "CallbackChannel | None":
        from shared.channels.callback import CallbackChannel

        settings = self.settings
        if not settings.callback_keys or settings.callback_allow is None:
            return None
        return CallbackChannel(
            keys=settings.callback_keys,
            allowed=settings.callback_allow,
            seconds=settings.callback_seconds,
            agent=f"Fix-It/{VERSION}",
        )

    async def handle_poison(self, delivery: Delivery) -> None:
        """Settle one delivery of a poison queue."""

        async def handle(contents: Contents, delivery: Delivery) -> None:
            await settle_poison(
                contents,
                delivery,
                now=_now(),
                tasks=self._tasks,
                letters=self._letters,
                hand_on=self._hand_on,
            )

        await self._policy.settle(delivery, handle)

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
            now=_now(),
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
            sweep(lists, pointers=pointers, now=_now(), seconds=settings.sweep_seconds),
            sweep_uploads(
                photos=self._photos,
                claims=PhotoClaims(self._account(CONNECTION)),
                tasks=self._tasks,
                pointers=pointers,
                now=_now(),
                older_than=timedelta(days=settings.unclaimed_days),
                seconds=settings.sweep_seconds,
            ),
        )


def _now() -> datetime:
    return datetime.now(UTC)
