"""A bare task without an id is one task, though its message is put back, and though a put was not acknowledged."""

import pytest

from shared.domain.names import TASK_QUEUE, TASK_TABLE
from tests.support.fixit_app import FixIt

BARE = '{"title":"no id"}'


@pytest.mark.parametrize("cut", [True, False], ids=["cut", "500"])
def test_bare_task_whose_adoption_landed_without_an_answer_is_one_task(fixit: FixIt, cut: bool) -> None:
    fixit.wire.fail(op="put", service="queue", target=TASK_QUEUE, times=3, after=True, cut=cut)
    fixit.stores.put(BARE)
    fixit.idle()
    assert [row["title"] for row in fixit.stores.tasks()] == ["no id"]
    assert fixit.stores.letters() == []


def test_bare_task_whose_adoption_was_refused_is_one_task(fixit: FixIt) -> None:
    fixit.wire.fail(op="put", service="queue", target=TASK_QUEUE, times=3, status=503, code="ServerBusy")
    fixit.stores.put(BARE)
    fixit.idle()
    assert len(fixit.stores.tasks()) == 1


def test_bare_tasks_of_equal_text_stay_as_many_as_they_are_through_an_outage(fixit: FixIt) -> None:
    fixit.wire.fail(op="insert", target=TASK_TABLE, times=12, status=503, code="ServerBusy")
    for _ in range(3):
        fixit.stores.put(BARE)
    fixit.idle()
    assert len(fixit.stores.tasks()) == 3
