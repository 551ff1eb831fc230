"""A cancelled task: what its filters did is undone, the last one first, whether or not it was done."""

import json

from shared.domain import identity
from shared.domain.names import TASK_QUEUE, TASK_TABLE
from tests.support.eventually import eventually
from tests.support.pipeline import DONE, SCAN, TRANSLATE, Pipeline, queue_of
from tests.support.raw_messages import event

BOTH = "scan translate"
UNDONE = [("undid", TRANSLATE), ("undid", SCAN)]


def cancel(pipeline: Pipeline, task_id: str) -> None:
    answer = pipeline.request("DELETE", f"/api/fixits/{task_id}")
    assert (answer.status, answer.json["state"]) == (200, "cancelled")


def undone(pipeline: Pipeline, task_id: str) -> list[tuple[str, str]]:
    return [each for each in pipeline.done(task_id) if each[0] == "undid"]


def test_done_filters_are_undone_in_reverse_order(pipeline: Pipeline) -> None:
    accepted = pipeline.submit(title=BOTH)
    pipeline.settled(accepted["receipt"])
    pipeline.all_done(SCAN, TRANSLATE)
    cancel(pipeline, accepted["id"])
    pipeline.all_done(SCAN, TRANSLATE)
    assert pipeline.done(accepted["id"])[-2:] == UNDONE == undone(pipeline, accepted["id"])
    assert pipeline.steps(accepted["id"]) == ["record", SCAN, TRANSLATE, "cancel"]


def test_filter_that_a_task_does_not_need_is_not_undone(pipeline: Pipeline) -> None:
    accepted = pipeline.submit(title="scan")
    pipeline.settled(accepted["receipt"])
    cancel(pipeline, accepted["id"])
    pipeline.all_done(SCAN, TRANSLATE)
    assert undone(pipeline, accepted["id"]) == [("undid", SCAN)]


def test_filters_that_were_not_begun_are_undone_too(pipeline: Pipeline) -> None:
    pipeline.order(SCAN, "down")
    accepted = pipeline.submit(title=BOTH)
    pipeline.waits(SCAN)
    cancel(pipeline, accepted["id"])
    pipeline.all_done(SCAN, TRANSLATE)
    # The command undoes both. The message that still waited undoes that of its own filter, and goes no further.
    assert sorted(pipeline.done(accepted["id"])) == sorted([*UNDONE, ("undid", SCAN)])
    assert pipeline.steps(accepted["id"]) == ["record", "cancel"]


def test_filter_that_meets_a_cancelled_task_at_its_start_undoes_its_own_work(pipeline: Pipeline) -> None:
    pipeline.order(SCAN, "down")
    accepted = pipeline.submit(title=BOTH)
    pipeline.waits(SCAN)
    pipeline.stores.change_task(accepted["id"], state="cancelled")  # no command: the filter alone meets it
    pipeline.all_done(SCAN, TRANSLATE)
    assert pipeline.done(accepted["id"]) == [("undid", SCAN)]


def test_filter_that_meets_a_cancelled_task_at_its_stamp_undoes_its_own_work(pipeline: Pipeline) -> None:
    pipeline.order(SCAN, "down")
    accepted = pipeline.submit(title=BOTH)
    pipeline.waits(SCAN)
    held = pipeline.wire.hold(op="merge", target=TASK_TABLE)
    pipeline.order(SCAN, "work")
    held.wait_hit()
    pipeline.stores.change_task(accepted["id"], state="cancelled")
    pipeline.wire.clear()
    held.release()
    pipeline.all_done(SCAN, TRANSLATE)
    assert pipeline.done(accepted["id"]) == [("did", SCAN), ("undid", SCAN)]
    assert pipeline.steps(accepted["id"]) == ["record"]
    assert pipeline.wire.of(op="put", service="queue", target=queue_of(TRANSLATE)) == []


def test_cancel_in_the_middle_of_the_work_leaves_nothing_done(pipeline: Pipeline) -> None:
    pipeline.order(SCAN, "down")
    accepted = pipeline.submit(title=BOTH)
    pipeline.waits(SCAN)
    held = pipeline.wire.hold(op="replace", target=DONE)
    pipeline.order(SCAN, "work")
    held.wait_hit()
    cancel(pipeline, accepted["id"])
    eventually(lambda: len(undone(pipeline, accepted["id"])) == 2, what="the command's end")
    held.release()
    pipeline.all_done(SCAN, TRANSLATE)
    assert undone(pipeline, accepted["id"]) == [*UNDONE, ("undid", SCAN)]  # the last one by the filter itself
    assert pipeline.state(accepted["id"]) == "cancelled"


def test_compensation_that_meets_an_outage_is_brought_to_its_end(pipeline: Pipeline) -> None:
    accepted = pipeline.submit(title=BOTH)
    pipeline.settled(accepted["receipt"])
    pipeline.all_done(SCAN, TRANSLATE)
    outage = pipeline.wire.fail(op="replace", target=DONE, nth=2, times=8, status=503, code="ServerBusy")
    cancel(pipeline, accepted["id"])
    eventually(lambda: len(outage.hits) == 8, what="the end of the outage")
    pipeline.all_done(SCAN, TRANSLATE)
    assert undone(pipeline, accepted["id"])[-2:] == UNDONE
    assert pipeline.letters(accepted["id"]) == []


def test_command_that_comes_again_undoes_once_more_and_changes_nothing(pipeline: Pipeline) -> None:
    accepted = pipeline.submit(title=BOTH)
    pipeline.settled(accepted["receipt"])
    pipeline.all_done(SCAN, TRANSLATE)
    cancel(pipeline, accepted["id"])
    pipeline.all_done(SCAN, TRANSLATE)
    before = pipeline.row(accepted["id"])
    command = json.loads(event(type="fixit.task.cancelled.v1", subject=accepted["id"], data={}))
    command["id"] = identity.cancelled_event_id(accepted["id"])
    pipeline.stores.put(json.dumps(command), TASK_QUEUE)
    pipeline.all_done(SCAN, TRANSLATE)
    assert undone(pipeline, accepted["id"]) == [*UNDONE, *UNDONE]
    assert pipeline.row(accepted["id"]) == before
