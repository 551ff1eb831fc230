"""What is asked and answered about notices and callbacks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import azure.functions as func

from shared.domain import instants
from shared.domain.notice_record import NoticeRecord
from shared.services.resend import Range, Resent
from shared.web.answers import as_json
from shared.web.parameters import CURSOR_MAX, Parameters


def read_range(body: Mapping[str, Any], *, now: datetime) -> tuple[Range, str]:
    """The range and the cursor in a body; InvalidRequest names all that is wrong."""
    given = Parameters(body)
    since, until = given.instant("from"), given.instant("until")
    only = given.choice("only", ("undelivered", "all"), "undelivered")
    is_dry = given.flag("dryRun")
    cursor = given.line("cursor", most=CURSOR_MAX)
    if not given.has("from"):
        given.wrong("from", "is needed: the callbacks of tasks that were submitted from then on")
    if cursor and not given.has("until"):
        given.wrong("until", "is needed with a cursor: that of the answer which gave it")
    if since and until and until <= since:
        given.wrong("until", "must be later than from")
    given.check()
    assert since
    return Range(since=since, until=until or now, is_undelivered=only == "undelivered", is_dry=is_dry), cursor


def notices(task_id: str, found: Sequence[NoticeRecord]) -> func.HttpResponse:
    """200: who was to be told of a task, and how that went. No address, and nothing that a receiver answered."""
    ordered = sorted(found, key=lambda record: (record.changed_at, record.id))
    return as_json(200, {"task": task_id, "notices": [_notice(record) for record in ordered]})


def resent(task_id: str, found: Sequence[Resent]) -> func.HttpResponse:
    """202: the callbacks of a task are on the queue."""
    return as_json(202, {"task": task_id, "callbacks": [_resent(each) for each in found]})


def resent_range(wanted: Range, found: Sequence[Resent], cursor: str | None) -> func.HttpResponse:
    """200: what became of each callback so far; with a cursor there are more."""
    counts: Counter[str] = Counter(each.what for each in found)
    goal = "selected" if wanted.is_dry else "resent"
    body = {
        "dryRun": wanted.is_dry,
        "from": instants.to_text(wanted.since),
        "until": instants.to_text(wanted.until),
        "counts": {what: counts[what] for what in (goal, "delivered", "failed")},
        "callbacks": [{"task": each.task_id, **_resent(each)} for each in found],
        "cursor": cursor,
    }
    return as_json(200, body)


def _resent(each: Resent) -> dict[str, Any]:
    return {"id": each.id, "type": each.type, "outcome": each.what}


def _notice(record: NoticeRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "kind": record.kind,
        "channel": record.channel,
        "taskState": record.outcome,
        "state": record.state,
        "changedAt": instants.to_text(record.changed_at),
        "code": record.code or None,
        "reason": record.reason or None,
        "attempts": [attempt.to_data() for attempt in record.attempts],
    }
