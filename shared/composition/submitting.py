"""What submitters do: tasks, their photos, and who is told of them."""

import asyncio
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from shared import log
from shared.composition.again import Again
from shared.composition.checks import Checks
from shared.domain.names import CONNECTION
from shared.domain.principal import Principal
from shared.domain.record import Record
from shared.services.deadline import answers_within
from shared.services.status import found, is_overdue, read, seen_by
from shared.services.submissions import Submissions
from shared.services.wait import is_news

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.domain.notice_record import NoticeRecord
    from shared.domain.patch import Patch
    from shared.domain.task_filter import TaskFilter
    from shared.services.batch import BatchItem, Outcome
    from shared.services.forms import Forms
    from shared.services.photo_uploads import Offer, PhotoUploads
    from shared.services.photo_view import Form
    from shared.services.resend import Resent


class Submitting(Again, Checks):
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

    async def _put_photo(self, photo: str, data: bytes, media_type: str) -> bool:
        return await self._photos.put_incoming(photo, data, media_type)

    async def submit_batch(self, items: "Sequence[BatchItem]", *, who: Principal, traceparent: str) -> "list[Outcome]":
        """Accept many tasks, each by itself; what became of each, in their order."""
        from shared.services.batch import submit_batch

        seconds = self.settings.batch_seconds
        return await submit_batch(
            items, who=who, traceparent=traceparent, submissions=self.submissions, seconds=seconds
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
        return is_overdue(record.state, record.under_way_since, now=self._now(), target_seconds=target)

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
            now=self._now(),
            lists=TaskLists(self._account(CONNECTION)),
            tasks=self._tasks,
            keys=self.settings.receipt_keys,
            seconds=self.settings.read_seconds,
        )

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
        return await editing.edit(record, patch, matches=matches, who=who, traceparent=traceparent, now=self._now())

    async def retry(self, task_id: str, *, who: Principal) -> Record:
        """Have a submitter's failed task tried again; its row as it then stands."""
        from shared.services.retry import retry

        self.settings.check()
        seconds = self.settings.read_seconds + self.settings.submit_seconds
        record = await self.task(task_id, who=who)
        who.check_may_change(record)
        return await retry(record, now=self._now(), reopening=self._reopening, deadline_seconds=seconds)

    @property
    def forms(self) -> "Forms":
        """The forms of the pages."""
        from shared.services.forms import Forms

        self.settings.check()
        return Forms(self.settings.receipt_keys)

    @cached_property
    def _photo_uploads(self) -> "PhotoUploads":
        from shared.services.photo_uploads import PhotoUploads

        settings = self.settings
        keys, seconds = settings.receipt_keys, settings.read_seconds
        return PhotoUploads(store=self._photos, links=self.photo_links, keys=keys, seconds=seconds)

    async def offer_photo(self, name: str, media_type: str, *, who: Principal) -> "Offer":
        """Let somebody upload one photo."""
        self.settings.check()
        return await self._photo_uploads.offer(who.caller, name=name, media_type=media_type, now=self._now())

    async def photo_link(self, task_id: str, form: "Form", *, who: Principal) -> str:
        """Where the photo of a task that somebody may see can be read for some minutes; NotFound if there is none."""
        from shared.services.photo_view import link_to

        record = await self.task(task_id, who=who)
        return await link_to(record, form, links=self.photo_links, now=self._now(), seconds=self.settings.read_seconds)

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
