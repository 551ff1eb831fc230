"""Another source enters in the middle: it puts the message of a filter itself, with its task or without."""

from shared.domain import identity
from shared.domain.envelope import step_type
from shared.domain.task import fingerprint, parse_task
from tests.support.eventually import eventually
from tests.support.pipeline import SCAN, TRANSLATE, Pipeline, queue_of, step_event
from tests.support.raw_messages import cancelled

CALLER = "queue:scanner"


def put(pipeline: Pipeline, key: str, step: str = SCAN, caller: str = CALLER, **fields: str) -> str:
    """Put a task on the queue of a filter; its id."""
    task_id = identity.task_id(CALLER, key)
    pipeline.stores.put(step_event(step, task_id, caller=caller, data={"task": fields}), queue_of(step))
    return task_id


def settled(pipeline: Pipeline, task_id: str) -> str:
    """The state in which a task ends."""

    def look() -> str:
        row = pipeline.stores.task(task_id)
        return row["state"] if row and row["state"] != "processing" else ""

    state = eventually(look, what="the task's end")
    pipeline.all_done(SCAN, TRANSLATE)
    return state


def test_task_that_comes_in_the_middle_is_a_task_like_any_other(pipeline: Pipeline) -> None:
    task_id = put(pipeline, "e-1", title="scan translate", owner="ann", replyTo="answers")
    assert settled(pipeline, task_id) == "succeeded"
    assert pipeline.steps(task_id) == [SCAN, TRANSLATE]
    assert [name for what, name in pipeline.done(task_id) if what == "did"] == [SCAN, TRANSLATE]
    assert len(pipeline.stores.pointers(task_id)) == 2  # its day, its owner; and nothing for the sweeper
    assert [answer["type"] for answer in pipeline.answers(task_id)] == ["fixit.task.succeeded"]
    told = {(notice["kind"], notice["channel"]) for notice in pipeline.stores.notices(task_id)}
    assert told == {("assigned", "mail"), ("assigned", "sms"), ("settled", "reply")}


def test_task_that_comes_to_the_second_filter_goes_to_the_first_if_it_needs_that(pipeline: Pipeline) -> None:
    task_id = put(pipeline, "e-2", TRANSLATE, title="scan translate")
    assert settled(pipeline, task_id) == "succeeded"
    assert pipeline.steps(task_id) == [TRANSLATE, SCAN]


def test_task_that_needs_no_filter_is_done_where_it_came(pipeline: Pipeline) -> None:
    assert settled(pipeline, task_id := put(pipeline, "e-3", title="Tap drips")) == "succeeded"
    assert pipeline.done(task_id) == []


def test_task_that_is_there_already_goes_on_as_its_row_says(pipeline: Pipeline) -> None:
    task_id = put(pipeline, "e-4", title="scan translate")
    settled(pipeline, task_id)
    before = pipeline.row(task_id)
    for step in (SCAN, TRANSLATE):
        put(pipeline, "e-4", step, title="scan translate")
    pipeline.all_done(SCAN, TRANSLATE)
    assert pipeline.row(task_id) == before
    assert [name for what, name in pipeline.done(task_id) if what == "did"] == [SCAN, TRANSLATE]


def test_another_content_under_the_id_is_refused_and_leaves_the_task(pipeline: Pipeline) -> None:
    task_id = put(pipeline, "e-5", title="scan one")
    settled(pipeline, task_id)
    before = pipeline.row(task_id)
    put(pipeline, "e-5", title="scan another")
    eventually(lambda: pipeline.letters(task_id), what="the letter")
    assert [letter["class"] for letter in pipeline.letters(task_id)] == ["idempotency_conflict"]
    assert pipeline.row(task_id) == before


def test_fingerprint_beside_the_task_does_not_count(pipeline: Pipeline) -> None:
    task_id = identity.task_id(CALLER, "e-6")
    data = {"task": {"title": "scan six"}, "fingerprint": fingerprint(parse_task({"title": "of another"}))}
    pipeline.stores.put(step_event(SCAN, task_id, data=data), queue_of(SCAN))
    assert settled(pipeline, task_id) == "succeeded"


def test_task_that_breaks_a_rule_is_a_letter_that_names_it(pipeline: Pipeline) -> None:
    task_id = put(pipeline, "e-7", title="")
    (letter,) = eventually(lambda: pipeline.letters(task_id), what="the letter")
    assert (letter["class"], letter["step"]) == ("invalid_task", SCAN)
    assert "title" in letter["reason"]
    assert pipeline.stores.task(task_id) is None


def test_message_without_task_and_without_row_is_a_letter(pipeline: Pipeline) -> None:
    task_id = identity.task_id(CALLER, "e-8")
    pipeline.stores.put(step_event(SCAN, task_id), queue_of(SCAN))
    (letter,) = eventually(lambda: pipeline.letters(task_id), what="the letter")
    assert letter["class"] == "no_task"


def test_tombstone_stops_the_late_task_of_its_caller_and_of_nobody_else(pipeline: Pipeline) -> None:
    task_id = identity.task_id(CALLER, "e-9")
    pipeline.stores.put(cancelled("e-9", subject=task_id, id=identity.cancelled_event_id(task_id)))
    eventually(lambda: pipeline.stores.task(task_id), what="the tombstone")
    put(pipeline, "e-9", caller="key", title="scan nine")
    pipeline.all_done(SCAN, TRANSLATE)
    assert pipeline.state(task_id) == "cancelled"
    assert pipeline.done(task_id) == []
    put(pipeline, "e-9", title="scan nine")
    eventually(lambda: pipeline.state(task_id) == "succeeded", what="the task of another caller")


def test_event_of_another_kind_on_the_queue_of_a_filter_is_a_letter(pipeline: Pipeline) -> None:
    task_id = identity.task_id(CALLER, "e-10")
    for kind in (step_type("notice"), "fixit.task.cancelled.v1"):
        pipeline.stores.put(step_event(SCAN, task_id, type=kind), queue_of(SCAN))
    pipeline.stores.put('{"title": "scan bare", "id": "e-10"}', queue_of(SCAN))
    pipeline.all_done(SCAN, TRANSLATE)
    letters = [each for each in pipeline.stores.letters() if each["PartitionKey"] == queue_of(SCAN)]
    assert {"unknown_type", "malformed_message"} <= {letter["class"] for letter in letters}
    assert pipeline.stores.task(task_id) is None
