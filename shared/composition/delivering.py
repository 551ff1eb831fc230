"""What queues deliver: tasks, the filters behind them, notices, and what the platform gave up on."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING

from shared.composition.channels import Channels
from shared.composition.checks import Checks
from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.lane import Lane, parse_lanes
from shared.domain.names import CONNECTION, NOTICE_QUEUE
from shared.domain.notice import Channel
from shared.domain.record import Record
from shared.services.filter_work import Parts, Work
from shared.services.filters import FILTERS, Filter
from shared.services.poison import settle_poison
from shared.services.policy import Policy
from shared.services.receive import receive

if TYPE_CHECKING:
    from shared.services.notify import Notify

Handler = Callable[[Delivery], Awaitable[None]]


class Delivering(Channels, Checks):
    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes whose triggers are to be registered; SettingsError for a wrong FIXIT_LANES. Opens nothing."""
        return parse_lanes(self._environment.get("FIXIT_LANES", ""))

    @property
    def triggers(self) -> "tuple[tuple[str, Lane, Handler], ...]":
        """Each queue that is listened to, with the name of its function and what settles a delivery. Opens nothing."""
        return (
            *((lane.function, lane, self.handle_task) for lane in self.lanes),
            *((step.name, Lane(queue=step.queue), self.handle_step) for step in FILTERS),
            ("notify", Lane(queue=NOTICE_QUEUE), self.handle_notice),
        )

    async def handle_task(self, delivery: Delivery) -> None:
        """Settle one delivery of a task queue."""

        async def handle(contents: Contents, delivery: Delivery) -> None:
            await receive(
                contents,
                delivery,
                now=self._now(),
                give_up_after=timedelta(days=self.settings.give_up_days),
                check_targets=self._check_targets,
                check_owner=self._check_owner,
                queues=self._queues,
                tasks=self._tasks,
                hand_on=self._hand_on,
                compensate=self._compensate,
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
            check_targets=self._check_targets,
            check_owner=self._check_owner,
        )

        async def handle(contents: Contents, delivery: Delivery) -> None:
            await run.run(contents, delivery, now=self._now())

        await self._policy.settle(delivery, handle)

    async def handle_notice(self, delivery: Delivery) -> None:
        """Settle one delivery of the notice queue."""

        async def handle(contents: Contents, delivery: Delivery) -> None:
            await self._notify.run(contents, delivery, now=self._now())

        await self._policy.settle(delivery, handle)

    async def handle_poison(self, delivery: Delivery) -> None:
        """Settle one delivery of a poison queue."""

        async def handle(contents: Contents, delivery: Delivery) -> None:
            await settle_poison(
                contents,
                delivery,
                now=self._now(),
                tasks=self._tasks,
                letters=self._letters,
                notices=lambda: self._notices,
                hand_on=self._hand_on,
            )

        await self._policy.settle(delivery, handle)

    @cached_property
    def _policy(self) -> Policy:
        return Policy(
            queues=self._queues,
            letters=self._letters,
            step_seconds=self.settings.step_seconds,
            defer_base_seconds=self.settings.defer_base_seconds,
            defer_cap_seconds=self.settings.defer_cap_seconds,
        )

    async def _compensate(self, record: Record) -> None:
        """Undo whatever the filters did for a cancelled task, the last one first; also one that it needs no longer."""
        for step in reversed(FILTERS):
            if step.is_needed(record.task) or record.has_done(step.name):
                await self._work_of(step).undo(record)

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
            upload_time=timedelta(minutes=settings.upload_minutes),
            photo_wait_seconds=settings.photo_wait_seconds,
            step_seconds=settings.step_seconds,
        )

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
                        sender=partial(self._senders.sender, channel),
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
