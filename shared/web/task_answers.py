"""What the answers about many tasks at once look like."""

from collections.abc import Callable, Sequence
from typing import Any

import azure.functions as func

from shared.domain.record import Record
from shared.services.batch import Outcome
from shared.web.answers import as_json, task_data, task_tag
from shared.web.problem import RETRY_AFTER_SECONDS, log_refusal, problem_of
from shared.web.routes import receipt_path, task_path


def tasks(found: Sequence[Record], cursor: str | None, *, is_overdue: Callable[[Record], bool]) -> func.HttpResponse:
    """200: one page of tasks. With a cursor there may be more, also behind a page that is empty."""
    shown = [{**task_data(record, overdue=is_overdue(record)), "etag": task_tag(record)} for record in found]
    return as_json(200, {"tasks": shown, "cursor": cursor})


def batch(outcomes: Sequence[Outcome]) -> func.HttpResponse:
    """202: every task was accepted; 207: not every one. An answer for each, in their order.

    With `Retry-After` where it is worth sending some of them again.
    """
    errors = {id(each.answer): each.answer for each in outcomes if isinstance(each.answer, Exception)}
    for error in errors.values():  # that of one key may be the answer to many
        log_refusal(error)
    results = [_result(outcome) for outcome in outcomes]
    statuses = {result["status"] for result in results}
    headers = {"Retry-After": str(RETRY_AFTER_SECONDS)} if 503 in statuses else {}
    return as_json(202 if statuses == {202} else 207, {"results": results}, headers)


def _result(outcome: Outcome) -> dict[str, Any]:
    keyed = {"key": outcome.item.key} if outcome.item.key else {}
    if isinstance(outcome.answer, Exception):
        refusal, _ = problem_of(outcome.answer)
        return {"status": refusal["status"], **keyed, "problem": refusal}
    receipt, token = outcome.answer.receipt, outcome.answer.token
    links = {"receipt": receipt_path(token), "task": task_path(receipt.task_id)}
    return {"status": 202, "id": receipt.task_id, **keyed, "receipt": token, "links": links}
