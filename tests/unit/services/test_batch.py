"""Which tasks of a batch take their key."""

from typing import cast

from shared.domain.errors import NotSent
from shared.domain.principal import SERVICE
from shared.domain.task import Task
from shared.services.batch import BatchItem, submit_batch
from shared.services.submissions import Submissions


async def test_task_that_was_not_sent_takes_no_key_from_another() -> None:
    items = [BatchItem(task=Task(title=title), key="k") for title in ("first", "second", "first")]
    unused = cast("Submissions", None)  # there is no time left for any
    outcomes = await submit_batch(items, who=SERVICE, traceparent="", submissions=unused, seconds=0)
    assert [type(each.answer) for each in outcomes] == [NotSent] * 3
