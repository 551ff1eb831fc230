"""A fault that nobody foresaw: the caller hears that it is ours and no detail of it, and the log has all of it."""

from shared.domain.names import TASK_TABLE
from tests.e2e.test_http_bodies import check_problem
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt

NEVER_TOLD = ("InvalidInput", "HttpResponseError", "Traceback", "azure", "127.0.0.1", "devstoreaccount1", ".py")


def test_unforeseen_error_is_answered_without_its_detail_and_logged_with_it(fixit: FixIt) -> None:
    task = fixit.submit()["links"]["task"]
    fixit.idle()
    since = len(fixit.host.lines())
    fixit.wire.fail(op="get", service="table", target=TASK_TABLE, status=400, code="InvalidInput")
    answer = fixit.get(task)
    check_problem(answer, 500, "internal_error")
    said = f"{answer.headers} {answer.body.decode()}"
    assert [detail for detail in NEVER_TOLD if detail in said] == []
    eventually(lambda: [line for line in fixit.host.lines()[since:] if "HttpResponseError" in line], what="the line")
    assert fixit.get(task).status == 200
