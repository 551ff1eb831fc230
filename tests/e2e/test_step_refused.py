"""A step that fails for good, in the middle of an outage: its letter is written and its submitter told all the same."""

from typing import Any

import pytest

from shared.domain import identity
from shared.domain.names import LETTER_TABLE, NOTICE_QUEUE
from tests.support.dead_letters import letter_id, redrive
from tests.support.eventually import eventually
from tests.support.pipeline import SCAN, TRANSLATE, Pipeline, queue_of, step_event

BROKEN: dict[str, Any] = {"status": 403, "code": "AuthorizationFailure", "times": None}


def _refused(pipeline: Pipeline) -> str:
    """A task whose filter refuses it; its id."""
    pipeline.order(SCAN, "refuse")
    task_id: str = pipeline.submit(title="scan", replyTo="answers")["id"]
    eventually(lambda: pipeline.stores.task(task_id), what="the row")
    eventually(lambda: pipeline.state(task_id) == "failed", what="the end of the task")
    return task_id


def _told(pipeline: Pipeline, task_id: str) -> list[str]:
    """What was told on the reply queue, each event once."""
    return list({answer["id"]: answer["type"] for answer in pipeline.answers(task_id)}.values())


@pytest.mark.parametrize(
    "broken",
    [{"op": "insert", "target": LETTER_TABLE}, {"op": "put", "service": "queue", "target": NOTICE_QUEUE}],
    ids=["letter", "notice"],
)
def test_refusal_leaves_its_letter_and_is_told_although_a_store_was_down(
    pipeline: Pipeline, broken: dict[str, Any]
) -> None:
    down = pipeline.wire.fail(**broken, **BROKEN)
    task_id = _refused(pipeline)
    down.wait_hit()
    pipeline.wire.heal()
    pipeline.all_done(SCAN, TRANSLATE)
    assert [(letter["step"], letter["class"]) for letter in pipeline.letters(task_id)] == [(SCAN, "refused")]
    assert _told(pipeline, task_id) == ["fixit.task.failed"]


def test_refusal_of_a_redrive_is_told_although_the_notices_could_not_be_put(pipeline: Pipeline) -> None:
    task_id = _refused(pipeline)
    pipeline.all_done(SCAN, TRANSLATE)
    (letter,) = pipeline.letters(task_id)
    down = pipeline.wire.fail(op="put", service="queue", target=NOTICE_QUEUE, **BROKEN)
    assert redrive(pipeline, letter_id(letter)) == [("redriven", None)]
    down.wait_hit()
    pipeline.wire.heal()
    pipeline.all_done(SCAN, TRANSLATE)
    assert _told(pipeline, task_id) == ["fixit.task.failed"] * 2
    assert [(each["state"], each["count"]) for each in pipeline.letters(task_id)] == [("open", 2)]


@pytest.mark.parametrize(
    ("field", "value"), [("callbackUrl", "https://10.0.0.1/"), ("replyTo", "fixits")], ids=["callback", "reply"]
)
def test_task_that_comes_in_the_middle_may_ask_for_no_more_than_any_other(
    pipeline: Pipeline, field: str, value: str
) -> None:
    task_id = identity.task_id("queue:scanner", field)
    brought = {"title": "scan", field: value}
    pipeline.stores.put(step_event(SCAN, task_id, caller="queue:scanner", data={"task": brought}), queue_of(SCAN))
    eventually(lambda: pipeline.letters(task_id), what="the letter")
    pipeline.all_done(SCAN, TRANSLATE)
    (letter,) = pipeline.letters(task_id)
    row = pipeline.row(task_id)
    assert (letter["step"], letter["class"], row["state"], row["errorCode"]) == (
        SCAN,
        "invalid_task",
        "failed",
        "invalid_task",
    )
    assert field in row["errorMessage"]
    assert pipeline.done(task_id) == []
