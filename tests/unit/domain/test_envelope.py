"""The message: what is written, what is read, what is refused."""

import base64
import json
import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from shared.domain import identity
from shared.domain.envelope import (
    MAX_BYTES,
    SERVICE_MAX_BYTES,
    decode_object,
    deferred,
    encode,
    read_envelope,
)
from shared.domain.errors import HopelessMessage, TaskTooLarge
from shared.domain.patch import Edit, parse_patch
from shared.domain.task import fingerprint, parse_task, task_fields
from shared.services.submit import submitted
from tools.message_schema import envelope_schema

DOCS = Path(__file__).resolve().parents[3] / "docs"
SUBMITTED_V1 = (DOCS / "examples" / "submitted.v1.json").read_text("utf-8")
CANCELLED_V1 = (DOCS / "examples" / "cancelled.v1.json").read_text("utf-8")
REASSIGNED_V1 = (DOCS / "examples" / "reassigned.v1.json").read_text("utf-8")
WHEN = datetime(2026, 11, 30, 15, 24, 46, 123456, tzinfo=UTC)


def event(**changes: Any) -> dict[str, Any]:
    """The frozen example with some attributes changed; None takes one away."""
    changed = {**json.loads(SUBMITTED_V1), **changes}
    return {name: value for name, value in changed.items() if value is not None}


@pytest.mark.parametrize(
    "example", [SUBMITTED_V1, CANCELLED_V1, REASSIGNED_V1], ids=["submitted", "cancelled", "reassigned"]
)
def test_frozen_example_is_read_and_written_again_as_it_is(example: str) -> None:
    assert json.loads(base64.b64decode(encode(read_envelope(decode_object(example))))) == json.loads(example)


def test_frozen_examples_pin_how_ids_are_derived() -> None:
    envelope = read_envelope(decode_object(SUBMITTED_V1))
    assert envelope.subject == identity.task_id("key", "2026-11-30-lamp-4")
    assert envelope.id == identity.submitted_event_id(envelope.subject, fingerprint(parse_task(envelope.data)))
    command = read_envelope(decode_object(CANCELLED_V1))
    assert command.id == identity.cancelled_event_id(envelope.subject)
    change = read_envelope(decode_object(REASSIGNED_V1))
    edit = Edit(task_id=envelope.subject, tag=change.data["etag"], patch=parse_patch(change.data["patch"]))
    assert change.id == edit.id


def test_published_schema_is_made_from_the_models() -> None:
    assert json.loads((DOCS / "envelope.schema.json").read_text("utf-8")) == envelope_schema()


@pytest.mark.parametrize("example", sorted((DOCS / "examples").glob("*.json")), ids=lambda path: path.name)
def test_every_example_obeys_the_published_schema(example: Path) -> None:
    Draft202012Validator(envelope_schema()).validate(json.loads(example.read_text("utf-8")))


def test_published_schema_refuses_what_the_app_refuses() -> None:
    validator = Draft202012Validator(envelope_schema())
    for wrong in (event(id="x"), event(deferrals=-1), event(data={"title": ""}), {"title": "t", "colour": "red"}):
        assert not validator.is_valid(wrong)


def test_message_text_is_base64_of_utf8_json() -> None:  # QE-03, QS-05
    task = parse_task({"title": "Café \N{WRENCH}", "notes": "a\r\nb\u00ad"})
    text = encode(submitted(task, task_id=identity.task_id("key", "k"), caller="key", time=WHEN))
    assert re.fullmatch(r"[A-Za-z0-9+/]+=*", text)
    assert json.loads(base64.b64decode(text, validate=True))["data"] == task_fields(task)


def test_task_within_every_limit_that_fits_no_message_is_refused() -> None:  # QS-01
    # 40,960 bytes of notes are allowed; quotes take two bytes each in JSON, so these need 48,640.
    task = parse_task({"title": "t", "notes": "\N{PILE OF POO}" * 8_320 + '"' * 7_680})
    with pytest.raises(TaskTooLarge, match="at most 48,128 fit"):
        encode(submitted(task, task_id=identity.task_id("key", "k"), caller="key", time=WHEN))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "not json at all",
        "b'eyJpZCI6InQtMSJ9'",  # QE-03
        "test",  # QE-06: base64 by accident, of bytes that are not UTF-8
        "null",
        "[]",
        '"x"',
        "5",
        "e30",  # `{}` without padding
        "e30=\n",
        "{",
        '{"a":1}{"b":2}',
        '{"a":1,"a":2}',
        '{"a":NaN}',
        '{"a":1e999}',
        '{"a":' * 20_000,
        '{"a":' + "9" * 5_000 + "}",
        base64.b64encode(b"[]").decode(),
        base64.b64encode(b'{"a":"\xff"}').decode(),
        base64.urlsafe_b64encode(b'{"a":"???>>>"}').decode(),
        "\ufeff{}",
    ],
)
def test_text_that_is_no_object_is_hopeless_and_not_quoted(text: str) -> None:
    with pytest.raises(HopelessMessage) as hopeless:
        decode_object(text)
    assert hopeless.value.code == "malformed_message"
    assert len(hopeless.value.reason) <= 500


@given(st.text(max_size=200))
def test_no_text_at_all_makes_reading_raise_anything_else(text: str) -> None:
    for form in (text, base64.b64encode(text.encode("utf-8", "surrogatepass")).decode(), '{"a":' + text):
        with suppress(HopelessMessage):
            assert isinstance(decode_object(form), dict)


def test_plain_and_encoded_forms_read_alike() -> None:
    encoded = base64.b64encode(SUBMITTED_V1.encode()).decode()
    assert decode_object(encoded) == decode_object(SUBMITTED_V1) == decode_object(f"  {SUBMITTED_V1}")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"specversion": "0.3"}, "specversion"),
        ({"id": None}, "id"),
        ({"id": "not-a-uuid"}, "id"),
        ({"id": 5}, "id"),
        ({"id": "6F0F8B2C-6C39-5A3E-9A51-0C6C1F0E7D11"}, "id"),
        ({"subject": None}, "subject"),
        ({"source": ""}, "source"),
        ({"time": None}, "time"),
        ({"time": "2026-11-30"}, "time"),
        ({"time": "2026-11-30T15:24:46"}, "time"),
        ({"time": "0001-01-01T00:00:00+14:00"}, "time"),
        ({"caller": None}, "caller"),
        ({"caller": "a\nb"}, "caller"),
        ({"caller": "x" * 256}, "caller"),
        ({"data": None}, "data"),
        ({"data": "text"}, "data"),
        ({"deferrals": -1}, "deferrals"),
        ({"deferrals": "1"}, "deferrals"),
        ({"deferrals": True}, "deferrals"),
        ({"redrives": 2**31}, "redrives"),
        ({"type": None}, "type"),
        ({"type": "fixit.task.submitted.v2"}, "type"),
        ({"type": "fixit.task.submitted.v0"}, "type"),
    ],
)
def test_event_with_a_broken_attribute_is_hopeless_by_name(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(HopelessMessage, match=named):
        read_envelope(event(**changes))


@pytest.mark.parametrize("traceparent", ["", "garbage", 5, "00-" + "0" * 32 + "-00f067aa0ba902b7-01"])
def test_broken_trace_context_costs_the_trace_only(traceparent: Any) -> None:
    assert read_envelope(event(traceparent=traceparent)).traceparent == ""


def test_put_back_counts_and_keeps_everything_else() -> None:
    again = json.loads(base64.b64decode(deferred(json.dumps(event(deferrals=3, vendor="kept")))))
    assert again == event(deferrals=4, vendor="kept")


@pytest.mark.parametrize("text", ["not json", "", '{"title":"bare"}', '{"specversion":"1.0","deferrals":"x"}'])
def test_put_back_of_what_is_no_event_is_the_identical_text(text: str) -> None:
    assert deferred(text) == text


def test_put_back_of_what_would_no_longer_fit_is_the_identical_text() -> None:
    padding = SERVICE_MAX_BYTES - len(json.dumps(event(deferrals=9, vendor=""), separators=(",", ":")).encode())
    full = json.dumps(event(deferrals=9, vendor="x" * padding), separators=(",", ":"))
    assert deferred(full) == full


def test_put_back_of_the_largest_submitted_task_has_room_to_count() -> None:
    task = parse_task({"title": "t"})
    text = encode(submitted(task, task_id=identity.task_id("key", "k"), caller="key", time=WHEN))
    largest = decode_object(text)
    largest["vendor"] = "x" * (MAX_BYTES - len(base64.b64decode(text)) - len(',"vendor":""'))
    assert len(json.dumps(largest, separators=(",", ":")).encode()) == MAX_BYTES
    many = {**largest, "deferrals": 2**31 - 2, "redrives": 2**31 - 1}
    assert decode_object(deferred(json.dumps(many)))["deferrals"] == 2**31 - 1
