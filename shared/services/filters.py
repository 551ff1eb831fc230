"""The pipeline: its filters in their order, once, as data. Adding one touches this list and the file of its work.

A filter has a queue with its poison queue, a function, and a stamp in the row. A task goes to the first filter of the
list that it needs and has not completed. So the order is free to change with messages in flight. To remove a filter,
let it be needed by no task first: whatever waits on its queue is passed on. Then, once that queue is empty, remove it.
"""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from shared.domain.names import NOTICE_QUEUE, PHOTO_QUEUE
from shared.domain.photo import DELIVERIES
from shared.domain.record import Record, Step
from shared.domain.task import Task
from shared.services.filter_work import Parts, Work


@dataclass(frozen=True, kw_only=True)
class Filter:
    """One step behind the record step.

    `name` is that of the step, of its function and of its event type. `open` makes the work, with whatever that
    imports. `deliveries`: after how many failed ones the app gives up (None: when the platform does). `repeat_costs`
    says what a delivery costs whose work was already done.
    """

    name: str
    queue: str
    is_needed: Callable[[Task], bool]
    open: Callable[[Parts], Work]
    deliveries: int | None = None
    repeat_costs: str = "a read, and what was handed on once more"


def _photo(parts: Parts) -> Work:
    from shared.services.photo import open_photo

    return open_photo(parts)


PHOTO = Filter(
    name="photo",
    queue=PHOTO_QUEUE,
    is_needed=lambda task: bool(task.photo_id),
    open=_photo,
    deliveries=DELIVERIES,
)

FILTERS: tuple[Filter, ...] = (PHOTO,)


STEP_QUEUES = (*dict.fromkeys(each.queue for each in FILTERS), NOTICE_QUEUE)
"""The queues behind the task queues."""


def filter_of(step: str) -> Filter | None:
    """The filter of this name, if there is one."""
    return next((each for each in FILTERS if each.name == step), None)


def next_filter(task: Task, steps: Collection[Step]) -> Filter | None:
    """The filter that a task needs next after these steps; None if nothing is left to do."""
    done = {step.step for step in steps}
    return next((each for each in FILTERS if each.is_needed(task) and each.name not in done), None)


Compensate = Callable[[Record], Awaitable[None]]
