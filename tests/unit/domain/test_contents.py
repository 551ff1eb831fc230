"""Reading a delivery: what names it among dead letters, and when two copies are one event."""

import base64
import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from shared.domain.contents import read_contents
from shared.domain.delivery import Delivery
from shared.domain.lane import Lane
from tests.unit.domain.test_envelope import event


def delivery(text: str) -> Delivery:
    now = datetime.now(UTC)
    return Delivery(lane=Lane(), raw=text.encode(), message_id="m", dequeue_count=1, inserted_at=now)


def test_event_is_named_by_its_id_whatever_its_counters_say() -> None:
    first = read_contents(delivery(json.dumps(event())))
    copy = json.dumps(event(deferrals=7, redrives=2, time="2026-12-01T00:00:00Z", traceparent=None))
    later = read_contents(delivery(base64.b64encode(copy.encode()).decode()))
    assert first.envelope and later.envelope
    assert (first.key, first.digest) == (later.key, later.digest) == (event()["id"], first.digest)


def test_event_of_unknown_type_is_hopeless_and_still_named_by_its_id() -> None:
    contents = read_contents(delivery(json.dumps(event(type="fixit.task.submitted.v9"))))
    assert contents.hopeless and contents.hopeless.code == "unknown_type"
    assert contents.key == event()["id"]


def test_event_that_says_something_else_under_one_id_has_another_digest() -> None:
    first = read_contents(delivery(json.dumps(event())))
    other = read_contents(delivery(json.dumps(event(data={"title": "other"}))))
    assert first.key == other.key
    assert first.digest != other.digest


@pytest.mark.parametrize(
    "text",
    ["", "not json", "[1]", '{"title":"bare"}', '{"specversion":"1.0","id":"x"}', '{"specversion":"1.0","id":[]}'],
)
def test_text_without_an_event_id_is_named_by_its_digest(text: str) -> None:
    assert read_contents(delivery(text)).key == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("wrong", [{"id": {"a": 1}}, {"data": [1]}, {"subject": None}, {"time": 5}])
def test_broken_event_is_hopeless_and_never_raises(wrong: dict[str, Any]) -> None:
    assert read_contents(delivery(json.dumps(event(**wrong)))).hopeless
