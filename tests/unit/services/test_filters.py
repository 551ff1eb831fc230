"""The list of filters as data: which one is next, and what every entry must be."""

from datetime import UTC, datetime

import pytest

import function_app
from shared.domain.envelope import step_of, step_type
from shared.domain.names import NOTICE_QUEUE, POISON_SUFFIX, TASK_QUEUE
from shared.domain.record import CANCEL_STEP, NOTICE_STEP, REASSIGN_STEP, RECORD_STEP, Step
from shared.domain.task import Task
from shared.domain.text_rules import QUEUE_NAME, matches
from shared.services import filters
from shared.services.filter_work import Parts, Work
from shared.services.filters import FILTERS, PHOTO, STEP_QUEUES, Filter, filter_of, next_filter


def unopened(parts: Parts) -> Work:
    raise AssertionError("what is next is decided without any work")


def made(name: str) -> Filter:
    return Filter(name=name, queue=f"q-{name}", is_needed=lambda task: name in task.title.split(), open=unopened)


A, B, C = (made(name) for name in "abc")


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "FILTERS", (A, B, C))


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize(
    ("needs", "done", "name"),
    [
        ("a b c", "", "a"),
        ("a b c", "a", "b"),
        ("a b c", "b", "a"),
        ("a b c", "c a", "b"),
        ("a b c", "c b a", None),
        ("c", "", "c"),
        ("b", "a", "b"),
        ("none", "", None),
        ("a", "gone", "a"),
        ("a", "a gone", None),
        ("a", "a a", None),
    ],
)
def test_next_filter_is_the_first_of_the_list_that_is_needed_and_not_done(
    needs: str, done: str, name: str | None
) -> None:
    steps = [Step(step=step, at=datetime.now(UTC), attempt=1) for step in (RECORD_STEP, *done.split())]
    found = next_filter(Task(title=needs), steps)
    assert (found.name if found else None) == name


@pytest.mark.usefixtures("listed")
def test_filter_is_found_by_its_name() -> None:
    assert [filter_of(name) for name in ("a", "c", "d", "", RECORD_STEP)] == [A, C, None, None, None]


def test_task_without_photo_needs_no_filter() -> None:
    assert next_filter(Task(title="t"), ()) is None
    assert next_filter(Task(title="t", photo_id="p1.x"), ()) is PHOTO


def test_every_entry_has_names_that_storage_and_platform_take_and_nobody_else_has() -> None:
    names = [each.name for each in FILTERS]
    queues = [each.queue for each in FILTERS]
    assert len(set(names)) == len(names)
    assert len({*queues, TASK_QUEUE, NOTICE_QUEUE}) == len(queues) + 2
    assert not {RECORD_STEP, CANCEL_STEP, REASSIGN_STEP, NOTICE_STEP} & set(names)
    for each in FILTERS:
        assert step_of(step_type(each.name)) == each.name
        assert matches(QUEUE_NAME, each.queue + POISON_SUFFIX)
        assert each.repeat_costs
    assert set(STEP_QUEUES) == {*queues, NOTICE_QUEUE}


def test_every_entry_has_its_two_functions() -> None:
    functions = {function.get_function_name() for function in function_app.app.get_functions()}
    for each in FILTERS:
        assert {each.name, f"{each.name}_poison"} <= functions
