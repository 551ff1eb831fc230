"""The messages behind the task queues: of a filter, and of a notice. What was sent before is read for ever."""

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from shared.domain import identity
from shared.domain.envelope import (
    COUNT_MAX,
    Envelope,
    decode_object,
    encode,
    read_envelope,
    step_of,
    step_type,
    with_next_attempt,
)
from shared.domain.notice_message import read_notice
from shared.domain.task import fingerprint, parse_task
from shared.services.fail_step import fingerprint_of
from tools.message_schema import envelope_schema

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
VALIDATOR = Draft202012Validator(envelope_schema())


def example(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((EXAMPLES / f"{name}.v1.json").read_text("utf-8"))
    return content


def event(name: str) -> Envelope:
    return read_envelope(decode_object(json.dumps(example(name))))


@pytest.mark.parametrize("name", ["photo", "photo-with-task", "notice"])
def test_frozen_example_is_read_and_written_again_as_it_is(name: str) -> None:
    assert json.loads(base64.b64decode(encode(event(name)))) == example(name)


def test_frozen_examples_pin_how_ids_are_derived() -> None:
    submitted, photo, brought, notice = (event(name) for name in ("submitted", "photo", "photo-with-task", "notice"))
    assert photo.id == identity.step_event_id(submitted.subject, "photo")
    assert fingerprint_of(photo) == fingerprint(parse_task(submitted.data))
    assert brought.subject == identity.task_id("queue:fixit-photos", "scanner-4711")
    assert brought.id == identity.step_event_id(brought.subject, "photo")
    told = read_notice(notice)
    assert (told.kind, told.channel, told.to, told.is_person) == ("settled", "mail", "ann@example.com", False)
    parts = ("settled", "succeeded", "0", "", told.channel, told.to)
    assert notice.id == identity.notice_event_id(submitted.subject, *parts)


@pytest.mark.parametrize(
    ("kind", "step"),
    [
        ("fixit.photo.v1", "photo"),
        ("fixit.scan-2.v1", "scan-2"),
        (f"fixit.{'a' * 31}.v1", "a" * 31),
        (f"fixit.{'a' * 32}.v1", ""),
        ("fixit.notice.v1", ""),
        ("fixit.notices.v1", "notices"),
        ("fixit.task.submitted.v1", ""),
        ("fixit.Photo.v1", ""),
        ("fixit.2photo.v1", ""),
        ("fixit..v1", ""),
        ("fixit.photo.v2", ""),
        ("xfixit.photo.v1", ""),
    ],
)
def test_step_of_a_type_and_the_published_schema_agree(kind: str, step: str) -> None:
    assert step_of(kind) == step
    assert VALIDATOR.is_valid({**example("photo"), "type": kind}) == bool(step)
    if step:
        assert step_type(step) == kind


@pytest.mark.parametrize(
    ("said", "attempt"),
    [(None, 1), (1, 1), (7, 7), (0, 1), (-1, 1), (True, 1), ("2", 1), (1.5, 1), (COUNT_MAX, COUNT_MAX)],
)
def test_attempt_is_a_count_from_one_whatever_is_said(said: object, attempt: int) -> None:
    data = {} if said is None else {"attempt": said}
    assert replace(event("photo"), data=data).attempt == attempt


def test_next_attempt_counts_and_forgets_the_outages_before_it() -> None:
    before = replace(event("photo-with-task"), deferrals=5, redrives=2)
    after = with_next_attempt(before)
    assert (after.attempt, after.deferrals) == (2, 0)
    assert replace(after, data=before.data, deferrals=5) == before
    assert after.data == {**before.data, "attempt": 2}
    assert with_next_attempt(replace(before, data={"attempt": COUNT_MAX})).attempt == COUNT_MAX


@pytest.mark.parametrize("said", [None, "", "x" * 64, "A" * 64, "a" * 63, 5, ["a"]])
def test_fingerprint_that_is_none_is_not_said(said: object) -> None:
    assert fingerprint_of(replace(event("photo"), data={"fingerprint": said})) == ""
    assert fingerprint_of(replace(event("photo"), data={})) == ""


def test_fingerprint_of_a_brought_task_is_its_own() -> None:
    brought = event("photo-with-task")
    own = fingerprint(parse_task(brought.data["task"]))
    assert fingerprint_of(brought) == own
    assert fingerprint_of(replace(brought, data={**brought.data, "fingerprint": "a" * 64})) == own
    assert fingerprint_of(replace(brought, data={"task": {"title": ""}, "fingerprint": "a" * 64})) == ""


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("photo", {"fingerprint": "x"}),
        ("photo", {"attempt": 0}),
        ("photo", {"task": {"title": ""}}),
        ("notice", {"channel": "pigeon"}),
        ("notice", {"kind": "gossip"}),
        ("notice", {"person": "ann"}),
        ("notice", {"to": ""}),
        ("notice", {"task": {}}),
    ],
)
def test_published_schema_refuses_data_that_is_not_right(name: str, data: dict[str, Any]) -> None:
    good = example(name)
    assert VALIDATOR.is_valid(good)
    assert not VALIDATOR.is_valid({**good, "data": {**good["data"], **data}})
