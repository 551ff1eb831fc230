"""The id of a letter, and what is left of its reason when letters are grouped."""

from datetime import UTC, datetime

import pytest

from shared.domain.letter import Letter, parse_letter_id

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
UUID, DIGEST = "0f5b3a52-7f0f-5a3e-9a51-0c6c1f0e7d11", "0a" * 32


@pytest.mark.parametrize("key", [UUID, DIGEST])
def test_id_is_read_back(key: str) -> None:
    assert parse_letter_id(f"fixits~{key}") == ("fixits", key)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "~",
        "fixits",
        f"~{UUID}",
        f"fixits~{UUID.upper()}",
        f"note:fixits~{UUID}",
        f"Fixits~{UUID}",
        f"fixits~{UUID}~",
        f"fixits~{UUID}\n",
        f"fixits~{DIGEST}0",
        "fixits~../x",
    ],
)
def test_text_that_can_be_no_id_is_none(text: str) -> None:
    assert parse_letter_id(text) is None


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("title is needed: 1 to 80 characters", "title is needed: 1 to 80 characters"),
        (f"task {UUID} at 2026-11-30T19:24:46.1234567Z", "task … at …"),
        (f"digest {DIGEST}, 16384 bytes", "digest …, … bytes"),
        ("KeyError: storage answered 400\nId: 12345\r\n  Time:x", "KeyError: storage answered 400 Id: … Time:x"),
        ("x" * 1_000, "x" * 300),
    ],
)
def test_cause_is_the_reason_without_what_differs(reason: str, cause: str) -> None:
    letter = Letter(
        queue="fixits",
        lane="FixItStorage/fixits",
        key=UUID,
        content=DIGEST,
        code="given_up",
        reason=reason,
        dequeue_count=5,
        first_seen_at=NOON,
        last_seen_at=NOON,
    )
    assert letter.cause == cause
