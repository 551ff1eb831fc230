"""What the answers about many tasks at once look like."""

from collections.abc import Callable, Sequence

import azure.functions as func

from shared.domain.record import Record
from shared.web.answers import as_json, task_data, task_tag


def tasks(found: Sequence[Record], cursor: str | None, *, is_overdue: Callable[[Record], bool]) -> func.HttpResponse:
    """200: one page of tasks. With a cursor there may be more, also behind a page that is empty."""
    shown = [{**task_data(record, overdue=is_overdue(record)), "etag": task_tag(record)} for record in found]
    return as_json(200, {"tasks": shown, "cursor": cursor})
