"""What a patch makes of a task, and what the edit is known by."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.errors import InvalidTask
from shared.domain.patch import Edit, parse_patch
from shared.domain.record import Record
from shared.domain.tag import is_tag, tag_of
from shared.domain.task import EDITABLE, every_field, fingerprint, parse_task

NOW = datetime(2026, 11, 30, tzinfo=UTC)
LATER = datetime(2026, 12, 1, tzinfo=UTC)
TASK = parse_task({"title": "t", "owner": "ann", "notes": "first"})
RECORD = Record(
    id="0f5b3a52-7f0f-5a3e-9a51-0c6c1f0e7d11",
    task=TASK,
    caller="key",
    fingerprint=fingerprint(TASK),
    submitted_at=NOW,
    state="succeeded",
    etag="e-1",
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "isDone": st.none() | st.booleans(),
    "owner": st.none() | st.sampled_from(["", "ann", "eve"]),
    "notes": st.none() | st.sampled_from(["", "first", "second"]),
    "priority": st.none() | st.sampled_from(["low", "normal", "high"]),
}
patches = st.fixed_dictionaries({}, optional=VALUES)


def edit(patch: dict[str, Any], record: Record = RECORD) -> Edit:
    return Edit(task_id=record.id, tag=tag_of(record.etag), patch=parse_patch(patch))


@given(patches)
def test_patch_changes_what_it_names_and_nothing_else(patch: dict[str, Any]) -> None:
    edited = edit(patch).of(RECORD, now=LATER)
    default = every_field(parse_task({"title": "t"}))
    named = {name: default[name] if value is None else value for name, value in patch.items()}
    assert every_field(edited.task) == {**every_field(TASK), **named}
    assert (edited is RECORD) == (edited.task == TASK)
    assert replace(edited, task=TASK, submitted_fields={}, edit_id="", edited_from="", edited_at=None) == RECORD


@given(st.lists(patches, max_size=4))
def test_what_was_submitted_is_known_after_any_edits(several: list[dict[str, Any]]) -> None:
    record = RECORD
    for patch in several:
        record = edit(patch, record).of(record, now=LATER)
    assert record.submitted_task == TASK
    assert fingerprint(record.submitted_task) == record.fingerprint
    assert set(record.submitted_fields) <= set(EDITABLE)


@given(patches, patches)
def test_edit_is_known_by_what_it_changes_and_of_which_version(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert (edit(one).id == edit(other).id) == (parse_patch(one) == parse_patch(other))
    assert edit(one).id == edit(dict(reversed(one.items()))).id
    assert edit(one).id != edit(one, replace(RECORD, etag="e-2")).id


def test_edit_says_when_and_of_which_version_it_is() -> None:
    made = edit({"isDone": True})
    edited = made.of(RECORD, now=LATER)
    assert (edited.edit_id, edited.edited_from, edited.edited_at) == (made.id, tag_of("e-1"), LATER)
    again = edit({"isDone": None}, replace(edited, etag="e-2")).of(edited, now=NOW)
    assert (again.task, again.submitted_fields, again.edited_at) == (TASK, {"isDone": False}, NOW)


@pytest.mark.parametrize("name", ["title", "createdBy", "id", "contact", "", "is_done", "isdone", "\ud800", "x" * 500])
def test_field_that_cannot_change_is_refused_by_name(name: str) -> None:
    with pytest.raises(InvalidTask) as refused:
        parse_patch({name: None, "owner": 5})
    first, second = refused.value.errors
    assert "cannot change after submission" in first.message
    assert (len(first.field) <= 80, second.field) == (True, "owner")


def test_refusal_of_many_fields_names_some_of_them() -> None:
    with pytest.raises(InvalidTask) as refused:
        parse_patch({f"field{number}": number for number in range(10_000)})
    assert (len(refused.value.errors), len(refused.value.detail) <= 2_000) == (50, True)


def test_tag_of_a_version_is_one() -> None:
    assert is_tag(tag_of("e-1"))
    for text in (
        "",
        "e-1",
        tag_of("e-1").strip('"'),
        f"W/{tag_of('e-1')}",
        tag_of("e-1").upper(),
        f"{tag_of('e-1')}\n",
    ):
        assert not is_tag(text)
