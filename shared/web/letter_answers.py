"""What the answers about dead letters look like."""

import base64
from collections import Counter
from collections.abc import Sequence
from typing import Any

import azure.functions as func

from shared.domain import instants
from shared.domain.letter import Closing, Letter
from shared.services.find_letters import Cause
from shared.services.letter_details import LetterDetails
from shared.services.operations import Done
from shared.services.order import Order
from shared.web.answers import as_json, error_of
from shared.web.routes import task_path


def letters(found: Sequence[Letter], cursor: str | None) -> func.HttpResponse:
    """200: one page of letters. With a cursor there may be more, also behind a page that is empty."""
    return as_json(200, {"letters": [_letter(letter) for letter in found], "cursor": cursor})


def causes(found: Sequence[Cause], cursor: str | None) -> func.HttpResponse:
    """200: the letters counted by cause; not all of them while there is a cursor."""
    counted = [
        {
            "queue": cause.queue,
            "class": cause.code,
            "step": cause.step,
            "cause": cause.cause,
            "count": cause.count,
            "oldest": instants.to_text(cause.oldest),
            "newest": instants.to_text(cause.newest),
        }
        for cause in found
    ]
    return as_json(200, {"causes": counted, "complete": cursor is None, "cursor": cursor})


def letter(found: LetterDetails) -> func.HttpResponse:
    """200: one letter, its text as text or, where it is not UTF-8, as base64, and where its task stands."""
    text, encoded = None, None
    if found.text is not None:
        try:
            text = found.text.decode()
        except UnicodeDecodeError:
            encoded = base64.b64encode(found.text).decode()
    record = found.record
    task = {"state": record.state, "error": error_of(record.failure), "path": task_path(record.id)} if record else None
    return as_json(200, {**_letter(found.letter), "text": text, "textBase64": encoded, "task": task})


def carried_out(order: Order, done: Done) -> func.HttpResponse:
    """200: what became of each letter so far; with a cursor there are more."""
    counts: Counter[str] = Counter(outcome.what for outcome in done.outcomes)
    each = [
        {
            "id": outcome.letter,
            "outcome": outcome.what,
            **({"code": outcome.code, "reason": outcome.reason} if outcome.code else {}),
        }
        for outcome in done.outcomes
    ]
    goal = "selected" if order.is_dry else {"redrive": "redriven", "discard": "discarded"}[order.action]
    body = {
        "dryRun": order.is_dry,
        "seenBefore": instants.to_text(done.seen_before),
        "counts": {what: counts[what] for what in (goal, "skipped", "failed")},
        "letters": each,
        "cursor": done.cursor,
    }
    return as_json(200, body)


def _letter(letter: Letter) -> dict[str, Any]:
    return {
        "id": letter.id,
        "queue": letter.queue,
        "lane": letter.lane,
        "class": letter.code,
        "reason": letter.reason,
        "step": letter.step,
        "taskId": letter.task_id or None,
        "dequeueCount": letter.dequeue_count,
        "deferrals": letter.deferrals,
        "redrives": letter.redrives,
        "firstSeen": instants.to_text(letter.first_seen_at),
        "lastSeen": instants.to_text(letter.last_seen_at),
        "count": letter.count,
        "state": letter.state,
        "closed": _closing(letter.closing) if letter.closing else None,
    }


def _closing(closing: Closing) -> dict[str, Any]:
    return {
        "by": closing.by,
        "at": instants.to_text(closing.at),
        "reason": closing.reason or None,
        "keptUntil": instants.to_text(closing.kept_until),
    }
