"""Text of others is made fit for a line, and never ends inside a character."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.domain.plain_text import clean, one_line, shorten, utf16_units

FLAG = "🇦🇺"


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("a bcd", 3, "a…"),
        ("e\u0301e\u0301e\u0301", 4, "e\u0301…"),
        (FLAG * 3, 4, f"{FLAG}…"),
        (f"x{FLAG * 3}", 4, f"x{FLAG}…"),
        ("👍🏽👍🏽👍🏽", 4, "👍🏽…"),
        ("👩‍👩‍👧👩‍👩‍👧", 6, "👩‍👩‍👧…"),
        ("👩‍👩‍👧👩‍👩‍👧", 5, "…"),
        ("\uac01" * 3, 2, "\uac01…"),
        ("\u1100\u1161\u11a8" * 2, 5, "\u1100\u1161\u11a8…"),
        ("aаa", 1, "…"),
    ],
    ids=range(12),
)
def test_text_is_cut_between_characters(text: str, limit: int, short: str) -> None:
    assert shorten(text, limit) == short


@settings(deadline=None)
@given(st.text(st.characters(), max_size=60), st.integers(1, 40))
def test_any_text_fits_and_is_a_beginning(text: str, limit: int) -> None:
    short = shorten(text, limit, size=utf16_units)
    assert utf16_units(short) <= limit
    assert short == text or text.startswith(short[:-1])


@settings(deadline=None)
@given(st.text(st.characters()))
def test_any_text_can_be_one_line(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1 and line == line.strip()
    assert clean(clean(text)) == clean(text) and clean(text).encode().decode() == clean(text)
