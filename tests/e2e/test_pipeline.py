"""A pipeline of more filters than the product has: each task goes through those that it needs, once, in their order."""

import json
from collections import Counter

from shared.domain import identity
from shared.domain.names import INDEX_TABLE, NOTICE_QUEUE, TASK_TABLE
from tests.support.eventually import eventually
from tests.support.pipeline import DONE, ORDERS, SCAN, TRANSLATE, Pipeline, queue_of, step_event
from tests.support.raw_messages import submitted


def test_task_goes_through_the_filters_that_it_needs_in_their_order(pipeline: Pipeline) -> None:
    accepted = pipeline.submit(title="scan translate both")
    assert pipeline.settled(accepted["receipt"])["state"] == "succeeded"
    pipeline.all_done(SCAN, TRANSLATE)
    assert pipeline.steps(accepted["id"]) == ["record", SCAN, TRANSLATE]
    done = pipeline.done(accepted["id"])
    assert [name for what, name in done if what == "did"] == [SCAN, TRANSLATE]
    assert sorted(done) == sorted((what, name) for name in (SCAN, TRANSLATE) for what in ("did", "tidied"))
    assert not [each for each in pipeline.stores.pointers(accepted["id"]) if each[0].startswith("open:")]


def test_filter_that_a_task_does_not_need_costs_it_nothing(pipeline: Pipeline) -> None:
    pipeline.wire.clear()
    accepted = pipeline.submit(title="translate only")
    assert pipeline.settled(accepted["receipt"])["state"] == "succeeded"
    pipeline.all_done(SCAN, TRANSLATE)
    assert pipeline.steps(accepted["id"]) == ["record", TRANSLATE]
    assert pipeline.wire.of(op="put", service="queue", target=queue_of(SCAN)) == []


def test_filter_costs_five_requests_besides_its_work(pipeline: Pipeline) -> None:
    def requests() -> list[tuple[str, str]]:
        """What the app asks of storage, without what triggers ask of their queues, and the filter for its own work."""
        return [
            (each.op, each.target)
            for each in pipeline.wire.requests
            if each.target not in (DONE, ORDERS)
            and not (each.service == "queue" and each.op in {"get", "delete", "update", "metadata"})
        ]

    def cost(title: str) -> Counter[tuple[str, str]]:
        pipeline.wire.clear()
        pipeline.stores.put(submitted(f"cost of {title}", title=title))
        task_id = identity.task_id("key", f"cost of {title}")
        eventually(lambda: pipeline.stores.task(task_id), what="the row")
        pipeline.all_done(SCAN, TRANSLATE)
        return Counter(requests())

    plain = cost("nothing needed")
    more = cost("scan") - plain
    assert more == {
        ("insert", INDEX_TABLE): 1,
        ("put", queue_of(SCAN)): 1,
        ("get", TASK_TABLE): 1,
        ("merge", TASK_TABLE): 1,
        ("delete", INDEX_TABLE): 1,
    }


def test_filter_may_wait_by_its_own_schedule(pipeline: Pipeline) -> None:
    pipeline.order(SCAN, "later")
    accepted = pipeline.submit(title="scan")
    assert pipeline.settled(accepted["receipt"])["state"] == "succeeded"
    puts = pipeline.wire.of(op="put", service="queue", target=queue_of(SCAN))
    assert [put.query.get("visibilitytimeout") for put in puts][-2:] == ["1", "1"]
    (stamp,) = [step for step in json.loads(pipeline.row(accepted["id"])["steps"]) if step["step"] == SCAN]
    assert stamp["attempt"] == 1  # a wait is no failed delivery


def test_filter_that_is_down_stops_neither_the_others_nor_the_notices(pipeline: Pipeline) -> None:
    pipeline.order(SCAN, "down")
    stuck = pipeline.submit(title="scan", owner="ann", replyTo="answers", correlationId="stuck")
    passed = pipeline.submit(title="translate", owner="ann", replyTo="answers", correlationId="passed")
    assert pipeline.settled(passed["receipt"])["state"] == "succeeded"
    eventually(lambda: pipeline.host_said("message deferred", stuck["id"]) > 10, what="deferrals")
    told = eventually(lambda: pipeline.answers(passed["id"]), what="the answer")
    assert told[0]["type"] == "fixit.task.succeeded"
    assert pipeline.state(stuck["id"]) == "processing"
    assert {notice["kind"] for notice in pipeline.stores.notices(stuck["id"])} == {"assigned"}
    assert pipeline.stores.waiting(NOTICE_QUEUE) == 0
    pipeline.order(SCAN, "work")
    assert pipeline.settled(stuck["receipt"])["state"] == "succeeded"
    assert pipeline.steps(stuck["id"]) == ["record", SCAN]
    assert pipeline.letters(stuck["id"]) == []


def test_message_for_a_filter_that_is_gone_goes_on_to_the_next(pipeline: Pipeline) -> None:
    accepted = pipeline.submit(title="scan translate")
    pipeline.settled(accepted["receipt"])
    pipeline.all_done(SCAN, TRANSLATE)
    first, *_ = json.loads(pipeline.row(accepted["id"])["steps"])
    pipeline.stores.change_task(accepted["id"], state="processing", steps=json.dumps([first]))
    # Nothing moves it but what an operator moved here from the queue of a filter that was taken out.
    pipeline.stores.put(step_event("weigh", accepted["id"]), queue_of(TRANSLATE))
    assert pipeline.settled(accepted["receipt"])["state"] == "succeeded"
    pipeline.all_done(SCAN, TRANSLATE)
    assert pipeline.steps(accepted["id"]) == ["record", SCAN, TRANSLATE]


def test_message_that_comes_twice_is_worked_for_once(pipeline: Pipeline) -> None:
    accepted = pipeline.submit(title="scan translate")
    pipeline.settled(accepted["receipt"])
    for name in (SCAN, TRANSLATE, SCAN):
        pipeline.stores.put(step_event(name, accepted["id"]), queue_of(name))
    pipeline.all_done(SCAN, TRANSLATE)
    assert [name for what, name in pipeline.done(accepted["id"]) if what == "did"] == [SCAN, TRANSLATE]
    assert pipeline.steps(accepted["id"]) == ["record", SCAN, TRANSLATE]


def test_copies_at_once_stamp_their_step_once(pipeline: Pipeline) -> None:
    pipeline.order(SCAN, "down")
    accepted = pipeline.submit(title="scan translate")
    pipeline.waits(SCAN)
    for _ in range(5):
        pipeline.stores.put(step_event(SCAN, accepted["id"]), queue_of(SCAN))
    held = pipeline.wire.hold(op="merge", target=TASK_TABLE, times=3)
    pipeline.order(SCAN, "work")
    held.wait_hit(hits=3)
    held.release()
    assert pipeline.settled(accepted["receipt"])["state"] == "succeeded"
    pipeline.all_done(SCAN, TRANSLATE)
    assert pipeline.steps(accepted["id"]) == ["record", SCAN, TRANSLATE]
    assert pipeline.letters(accepted["id"]) == []
