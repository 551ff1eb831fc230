"""A step that fails for good fails its task and leaves a letter; redriven or tried again, the task comes to its end."""

import base64
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.domain import identity, instants
from shared.domain.names import POISON_SUFFIX
from tests.support.dead_letters import letter_id, redrive
from tests.support.eventually import eventually
from tests.support.pipeline import SCAN, TRANSLATE, Pipeline, queue_of, step_event

BOTH = "scan translate"
LONG_AGO = instants.to_text(datetime.now(UTC) - timedelta(days=8))
ENDS = {"refuse": "refused", "break": "given_up"}


def failed(pipeline: Pipeline, how: str = "refuse", **fields: Any) -> dict[str, Any]:
    """A task that its first filter failed, as it was accepted."""
    pipeline.order(SCAN, how)
    accepted = pipeline.submit(title=BOTH, **fields)
    assert pipeline.settled(accepted["receipt"])["state"] == "failed"
    pipeline.all_done(SCAN, TRANSLATE)
    pipeline.order(SCAN, "work")
    return accepted


def only_letter(pipeline: Pipeline, task_id: str) -> dict[str, Any]:
    (letter,) = pipeline.letters(task_id)
    return letter


def text_of(pipeline: Pipeline, letter: dict[str, Any]) -> str:
    """The message that a letter keeps, to be put once more."""
    return pipeline.stores.letter_texts()[letter_id(letter).replace("~", "/")].decode()


def redriven(pipeline: Pipeline, task_id: str) -> None:
    assert redrive(pipeline, letter_id(only_letter(pipeline, task_id))) == [("redriven", None)]
    pipeline.all_done(SCAN, TRANSLATE)


@pytest.mark.parametrize("how", ENDS)
def test_step_that_cannot_be_done_fails_its_task_and_leaves_a_letter(pipeline: Pipeline, how: str) -> None:
    accepted = failed(pipeline, how, replyTo="answers")
    row, letter = pipeline.row(accepted["id"]), only_letter(pipeline, accepted["id"])
    assert (row["state"], row["errorCode"], row["errorStep"]) == ("failed", ENDS[how], SCAN)
    assert (letter["PartitionKey"], letter["class"], letter["step"]) == (queue_of(SCAN), ENDS[how], SCAN)
    assert letter["state"] == "open"
    assert pipeline.done(accepted["id"]) == []
    assert not [each for each in pipeline.stores.pointers(accepted["id"]) if each[0].startswith("open:")]
    assert [answer["type"] for answer in pipeline.answers(accepted["id"])] == ["fixit.task.failed"]


@pytest.mark.parametrize("how", ENDS)
def test_redriven_letter_brings_the_task_to_its_end(pipeline: Pipeline, how: str) -> None:
    accepted = failed(pipeline, how)
    redriven(pipeline, accepted["id"])
    row, letter = pipeline.row(accepted["id"]), only_letter(pipeline, accepted["id"])
    assert (row["state"], row["redrives"], letter["state"]) == ("succeeded", 1, "redriven")
    assert pipeline.steps(accepted["id"]) == ["record", SCAN, TRANSLATE]


@pytest.mark.parametrize("how", ENDS)
def test_submitter_who_tries_again_brings_the_task_to_its_end(pipeline: Pipeline, how: str) -> None:
    accepted = failed(pipeline, how)
    assert pipeline.request("POST", f"/api/fixits/{accepted['id']}/retry").status == 202
    pipeline.all_done(SCAN, TRANSLATE)
    letter = only_letter(pipeline, accepted["id"])
    assert (letter["state"], letter["closedBy"]) == ("redriven", "submitter")
    assert pipeline.state(accepted["id"]) == "succeeded"
    assert pipeline.steps(accepted["id"]) == ["record", SCAN, TRANSLATE]


@pytest.mark.parametrize("how", ENDS)
def test_redrive_in_vain_fails_the_task_and_opens_the_letter_again(pipeline: Pipeline, how: str) -> None:
    accepted = failed(pipeline, how)
    pipeline.order(SCAN, how)
    redriven(pipeline, accepted["id"])
    eventually(lambda: only_letter(pipeline, accepted["id"])["state"] == "open", what="the letter to open")
    letter, row = only_letter(pipeline, accepted["id"]), pipeline.row(accepted["id"])
    assert (letter["count"], letter["redrives"]) == (2, 1)
    assert (row["state"], row["errorCode"], row["redrives"]) == ("failed", ENDS[how], 1)


def test_redriven_message_whose_task_failed_otherwise_opens_its_letter_again(pipeline: Pipeline) -> None:
    accepted = failed(pipeline)
    pipeline.order(SCAN, "down")
    assert redrive(pipeline, letter_id(only_letter(pipeline, accepted["id"]))) == [("redriven", None)]
    error = {"errorCode": "gave_up", "errorMessage": "It could not be settled in time.", "errorStep": "record"}
    pipeline.stores.change_task(accepted["id"], state="failed", **error)
    pipeline.all_done(SCAN, TRANSLATE)
    letter = only_letter(pipeline, accepted["id"])
    assert (letter["state"], letter["class"]) == ("open", "gave_up")


def test_old_copies_change_nothing(pipeline: Pipeline) -> None:
    accepted = failed(pipeline)
    old = text_of(pipeline, only_letter(pipeline, accepted["id"]))
    redriven(pipeline, accepted["id"])
    before = pipeline.row(accepted["id"]), only_letter(pipeline, accepted["id"])
    for queue in (queue_of(SCAN) + POISON_SUFFIX, queue_of(SCAN)):
        pipeline.stores.put(old, queue)
    pipeline.all_done(SCAN, TRANSLATE)
    assert (pipeline.row(accepted["id"]), only_letter(pipeline, accepted["id"])) == before


def test_old_copy_neither_fails_the_task_that_was_reopened_nor_opens_its_letter(pipeline: Pipeline) -> None:
    accepted = failed(pipeline)
    old = text_of(pipeline, only_letter(pipeline, accepted["id"]))
    redriven(pipeline, accepted["id"])
    pipeline.stores.change_task(accepted["id"], state="queued", steps="[]")
    pipeline.order(SCAN, "refuse")
    for queue in (queue_of(SCAN) + POISON_SUFFIX, queue_of(SCAN)):
        pipeline.stores.put(old, queue)
    pipeline.all_done(SCAN, TRANSLATE)
    assert (pipeline.state(accepted["id"]), only_letter(pipeline, accepted["id"])["state"]) == ("queued", "redriven")


def test_poison_message_of_a_settled_task_leaves_it(pipeline: Pipeline) -> None:
    accepted = pipeline.submit(title=BOTH)
    pipeline.settled(accepted["receipt"])
    pipeline.all_done(SCAN, TRANSLATE)
    before = pipeline.row(accepted["id"])
    pipeline.stores.put(step_event(SCAN, accepted["id"]), queue_of(SCAN) + POISON_SUFFIX)
    pipeline.all_done(SCAN, TRANSLATE)
    assert pipeline.row(accepted["id"]) == before


def test_task_of_over_seven_days_ago_is_given_up_by_its_filter_and_can_be_redriven(pipeline: Pipeline) -> None:
    pipeline.order(SCAN, "down")
    accepted = pipeline.submit(title=BOTH)
    pipeline.waits(SCAN)
    pipeline.stores.change_task(accepted["id"], submittedAt=LONG_AGO)
    assert pipeline.settled(accepted["receipt"])["error"]["code"] == "gave_up"
    pipeline.all_done(SCAN, TRANSLATE)
    letter = only_letter(pipeline, accepted["id"])
    assert (letter["class"], letter["step"], letter["PartitionKey"]) == ("gave_up", SCAN, queue_of(SCAN))
    pipeline.order(SCAN, "work")
    redriven(pipeline, accepted["id"])
    assert pipeline.state(accepted["id"]) == "succeeded"


@pytest.mark.parametrize(("key", "time"), [("b-1", None), ("b-2", LONG_AGO)], ids=["refused", "given up"])
def test_letter_of_a_task_that_another_source_brought_can_be_redriven(
    pipeline: Pipeline, key: str, time: str | None
) -> None:
    task_id = identity.task_id("queue:scanner", key)
    pipeline.order(SCAN, "refuse")
    said = {"time": time} if time else {}
    pipeline.stores.put(step_event(SCAN, task_id, data={"task": {"title": BOTH}}, **said), queue_of(SCAN))
    eventually(lambda: pipeline.letters(task_id), what="the letter")
    pipeline.all_done(SCAN, TRANSLATE)
    assert pipeline.state(task_id) == "failed"
    pipeline.order(SCAN, "work")
    redriven(pipeline, task_id)
    assert (pipeline.state(task_id), pipeline.steps(task_id)) == ("succeeded", [SCAN, TRANSLATE])


def test_letter_of_a_brought_task_without_row_can_be_redriven_after_seven_days(pipeline: Pipeline) -> None:
    task_id = identity.task_id("queue:scanner", "b-3")
    text = step_event(SCAN, task_id, data={"task": {"title": "scan"}}, time=LONG_AGO)
    pipeline.stores.put(base64.b64encode(text.encode()).decode(), queue_of(SCAN) + POISON_SUFFIX)
    eventually(lambda: pipeline.letters(task_id), what="the letter")
    pipeline.all_done(SCAN, TRANSLATE)
    redriven(pipeline, task_id)
    assert pipeline.state(task_id) == "succeeded"
