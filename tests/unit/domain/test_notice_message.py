"""The message of a notice, whoever put it: what no channel could tell is refused, and the reason names the field."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from shared.domain.envelope import SERVICE_MAX_BYTES, Envelope, encode, with_next_attempt
from shared.domain.errors import HopelessMessage
from shared.domain.notice import CHANNELS, notice_event, state_notices
from shared.domain.notice_message import DATA_MAX, read_notice
from shared.domain.record import Failure, Record
from shared.domain.task import Task
from shared.services.notify_reply import text_of

ID = "3f2a9c1e-0000-5000-8000-000000000001"
NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
NEWS = {"id": ID, "title": "Leak", "state": "succeeded", "error": None, "photo": None}
DATA: dict[str, Any] = {"kind": "settled", "channel": "mail", "to": "ann@example.com", "task": NEWS}


def event(**changes: Any) -> Envelope:
    return Envelope(id=ID, type="fixit.notice.v1", subject=ID, time=NOW, caller="key", data={**DATA, **changes})


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"kind": "state"}, "channel"),
        ({"kind": "assigned", "channel": "reply"}, "channel"),
        ({"channel": "callback"}, "channel"),
        ({"kind": ["settled"]}, "kind"),
        ({"channel": None}, "channel"),
        ({"to": ""}, "to"),
        ({"to": ["ann@example.com"]}, "to"),
        ({"to": "a" * 2_001}, "to"),
        ({"kind": "state", "channel": "callback", "person": "ann"}, "person"),
        ({"person": {"name": "ann"}}, "person"),
        ({"correlationId": 1}, "correlationId"),
        ({"task": "Leak"}, "task"),
        ({"task": {**NEWS, "state": "done"}}, "state"),
        ({"task": {**NEWS, "state": ["succeeded"]}}, "state"),
        ({"task": {**NEWS, "state": "processing"}}, "state"),
        ({"task": {**NEWS, "state": "failed", "error": "unknown_owner"}}, "error"),
        ({"task": {**NEWS, "photo": ["photo_missing"]}}, "photo"),
        ({"task": {**NEWS, "title": "\ud800"}}, "data"),
        ({"task": {**NEWS, "title": "x" * DATA_MAX}}, "data"),
        ({"more": "x" * DATA_MAX}, "data"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_notice_that_nobody_could_be_told_is_refused(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(HopelessMessage) as refused:
        read_notice(event(**changes))
    assert refused.value.code == "malformed_message"
    assert refused.value.reason.startswith(f"the notice's {field} must ")


@pytest.mark.parametrize("kind", ["state", "photo_rejected"])
def test_state_that_is_not_the_last_is_told_to_callbacks(kind: str) -> None:
    news = {**NEWS, "state": "processing"}
    notice = read_notice(event(kind=kind, channel="callback", to="https://example.com/", task=news))
    assert (notice.kind, notice.channel, notice.task["state"]) == (kind, "callback", "processing")


def test_what_the_app_puts_is_read_and_fits_into_each_message_that_is_made_of_it() -> None:
    wide = "\U0001f6e0"
    task = Task(
        title=wide * 80,
        owner=wide * 80,
        created_by=wide * 80,
        contact=f"{'a' * 64}@{'b' * 189}",
        callback_url=f"https://{'a.' * 100}de/{'x' * 1_780}",
        reply_to="a" * 63,
        correlation_id="c" * 255,
    )
    failure = Failure(code="refused", message=wide * 30_000, step="scan")
    record = Record(
        id=ID, task=task, caller="c" * 255, fingerprint="f" * 64, submitted_at=NOW, state="failed", failure=failure
    )
    notices = state_notices(record, on=frozenset(CHANNELS), now=NOW)
    assert {notice.channel for notice in notices} == set(CHANNELS)
    for notice in notices:
        again = with_next_attempt(notice_event(notice, caller=record.caller))
        assert replace(read_notice(again), at=NOW) == notice
        assert len(encode(again)) <= SERVICE_MAX_BYTES * 4 // 3
        assert len(text_of(notice)) <= SERVICE_MAX_BYTES * 4 // 3
    assert notices[0].task["error"]["message"] == wide * 2_000
