"""What an error is answered with, and what the log says of it."""

import logging

import pytest

from shared.domain.errors import DependencyDown, InvalidTask, NotSent
from shared.domain.task import Task
from shared.services.batch import BatchItem, Outcome
from shared.web.problem import problem_of
from shared.web.task_answers import batch


def failed_here() -> Exception:
    """An error that nobody foresaw, and that is handled no more."""
    try:
        raise ValueError("it broke")
    except ValueError as error:
        return error


@pytest.mark.parametrize("error", [InvalidTask("no"), NotSent("i", "k"), DependencyDown("down"), failed_here()])
def test_to_ask_what_an_error_is_answered_with_logs_nothing(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    data, headers = problem_of(error)
    assert data["status"] in {400, 500, 503}
    assert ("Retry-After" in headers) == (data["status"] == 503)
    assert not caplog.records


def test_error_in_a_batch_is_logged_once_with_its_own_frames_however_many_it_answers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    item, error = BatchItem(task=Task(title="t"), key="k"), failed_here()
    with caplog.at_level(logging.ERROR):
        answer = batch([Outcome(item, error), Outcome(item, error), Outcome(item, NotSent("i", "k"))])
    assert answer.status_code == 207
    assert answer.get_body().count(b"internal_error") == 2
    (record,) = caplog.records
    said = record.getMessage()
    assert "failed_here" in said and said.endswith("ValueError")
