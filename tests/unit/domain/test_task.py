"""What a task may be, and how it is recognised."""

from typing import Any

import pytest

from shared.domain.errors import InvalidTask
from shared.domain.task import fingerprint, parse_task, task_fields


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("title", "   "),
        ("title", "\u200b\u3164\u2800\ufeff"),
        ("title", None),
        ("title", "x" * 81),
        ("title", 5),
        ("title", ["x"]),
        ("title", "two\nlines"),
        ("title", "line end\n"),
        ("title", "bell\u0007"),  # QS-03
        ("title", "\ud800"),
        ("notes", "x" * 16_001),
        ("notes", "\N{SNOWMAN}" * 13_654),  # 40,962 bytes
        ("notes", "end\uffff"),
        ("notes", {"a": 1}),
        ("owner", "x" * 81),
        ("owner", True),
        ("createdBy", "x" * 81),
        ("contact", "ann"),
        ("contact", "ann@example.com, bob@example.com"),
        ("contact", "ann@example.com\nBcc: all@example.com"),
        ("contact", "a" * 250 + "@b.c"),
        ("contact", "x" * 10_000),
        ("callbackUrl", "http://example.com/"),
        ("callbackUrl", "https://user:word@example.com/"),
        ("callbackUrl", "https://"),
        ("callbackUrl", "https://:443"),
        ("callbackUrl", "https://[::1"),
        ("callbackUrl", "https://a:b:c"),
        ("callbackUrl", "https://./"),
        ("callbackUrl", "https://a:99999/"),
        ("callbackUrl", "https://a_b.example/"),
        ("callbackUrl", "https://example.com/ä"),
        ("callbackUrl", "https://example.com/" + "x" * 1_981),
        ("replyTo", "Not_A_Queue"),
        ("replyTo", "ab"),
        ("replyTo", "a--b"),
        ("correlationId", "with blank"),
        ("correlationId", "x" * 256),
        ("priority", "urgent"),
        ("priority", 1),
        ("isDone", "yes"),
        ("isDone", ""),
        ("priority", ""),
        ("isDone", 0),
        ("photo", {"name": "p.jpg", "size": 3_000_000_000}),  # TV-03
        ("extra", {"GPS Latitude": "1", "exif-orientation": "6", "1abc": "x"}),  # TV-09
        ("Title", "wrong case"),
    ],
)
def test_task_with_a_broken_rule_is_refused_by_name(field: str, value: Any) -> None:
    with pytest.raises(InvalidTask) as refused:
        parse_task({"title": "t", field: value})
    assert [error.field for error in refused.value.errors] == [field]
    assert field in refused.value.detail


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "x" * 80),
        ("title", "\N{PILE OF POO}" * 80),
        ("notes", "x" * 16_000),
        ("notes", "\N{PILE OF POO}" * 10_240),  # 40 KiB to the byte
        ("notes", "a\tb\r\nc"),
        ("owner", "facilities/building #2?"),  # TK-01
        ("owner", "O'Brien"),  # TK-03
        ("contact", "a" * 64 + "@" + "b" * 185 + ".com"),
        ("callbackUrl", "https://[2001:db8::1]:8443/hook?a=b&c=%20"),
        ("callbackUrl", "https://example.com"),
        ("callbackUrl", "https://a.b-c.example.:65535?x"),
        ("replyTo", "answers-for-ann"),
        ("correlationId", "!" * 255),
        ("isDone", True),
    ],
)
def test_task_at_the_limit_is_taken_as_given(field: str, value: Any) -> None:
    assert task_fields(parse_task({"title": "t", field: value}))[field] == value


def test_task_with_several_faults_names_all_of_them() -> None:
    with pytest.raises(InvalidTask) as refused:
        parse_task({"notes": 5, "colour": "red"})
    assert {error.field for error in refused.value.errors} == {"notes", "colour", "title"}


@pytest.mark.parametrize("notes", [{}, {"notes": None}, {"notes": ""}])
def test_task_without_notes_is_one_task_however_it_is_said(notes: dict[str, Any]) -> None:  # TV-11
    assert fingerprint(parse_task({"title": "a", **notes})) == fingerprint(parse_task({"title": "a"}))


def test_fingerprint_is_the_published_one() -> None:
    task = parse_task({"title": "café", "owner": "ann", "priority": "normal", "isDone": False})
    # sha256 of {"owner":"ann","title":"café"} in UTF-8: defaults are not part of it.
    assert fingerprint(task) == "62c2b0a793cd8139958eba6752b899c56fcfa220567096052fd0328d0f2b453d"


def test_fingerprint_differs_with_any_field() -> None:
    base: dict[str, Any] = {"title": "a", "owner": "ann"}
    others: list[dict[str, Any]] = [
        {"title": "b"},
        {"owner": "bob"},
        {"notes": "n"},
        {"priority": "low"},
        {"isDone": True},
    ]
    prints = {fingerprint(parse_task({**base, **other})) for other in [{}, *others]}
    assert len(prints) == len(others) + 1
