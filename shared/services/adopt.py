"""Take in a bare task that another producer put on a task queue: give it an envelope."""

from shared.domain import identity
from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import encode
from shared.domain.errors import HopelessMessage, InvalidTask, TaskTooLarge
from shared.domain.task import parse_task
from shared.domain.text_rules import VISIBLE, matches
from shared.services.submit import submitted


def adopted(contents: Contents, delivery: Delivery) -> str:
    """The envelope of a bare task: the same for every delivery of its message, so a crash in between doubles nothing.

    Its key is the task's `id`, else the message's; its time is when the message was put.

    Raises:
        HopelessMessage: the task breaks a rule of tasks.
    """
    fields = dict(contents.fields or {})
    key = fields.pop("id", None)
    if key is None:
        key = delivery.message_id or delivery.digest
    if not isinstance(key, str) or not matches(VISIBLE, key):
        raise HopelessMessage("id must be 1 to 255 visible ASCII characters without blanks", code=InvalidTask.code)
    caller = identity.queue_caller(delivery.queue)
    try:
        task = parse_task(fields)
        return encode(submitted(task, task_id=identity.task_id(caller, key), caller=caller, time=delivery.inserted_at))
    except (InvalidTask, TaskTooLarge) as error:
        raise HopelessMessage(error.detail, code=error.code) from error
