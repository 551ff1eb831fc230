"""A cursor is read back by whoever has the key, for the list that it was made for, and for no other."""

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.cursor import read_cursor, sign_cursor

KEY, OLD_KEY = b"k" * 32, b"o" * 32
PLACE = ("fixits", "0f5b3a52-7f0f-5a3e-9a51-0c6c1f0e7d11", "1!8!Zml4aXRz", "")
TOKEN = sign_cursor(PLACE, of="open letters", keys=[KEY])


def test_cursor_is_this_very_text() -> None:
    token = sign_cursor(("fixits", ""), of="open letters", keys=[b"0123456789abcdef0123456789abcdef"])
    assert token == "c1.WyJmaXhpdHMiLCIiXQ.rGwCMNRxzFdXt0WvhSjMQjiX8ffEbOLItmffsQv_4BY"


def test_place_is_read_back_for_its_list_by_any_of_the_keys() -> None:
    assert read_cursor(TOKEN, of="open letters", keys=[KEY]) == PLACE
    assert read_cursor(TOKEN, of="open letters", keys=[OLD_KEY, KEY]) == PLACE


def test_cursor_of_another_list_or_another_key_is_none() -> None:
    assert read_cursor(TOKEN, of="discarded letters", keys=[KEY]) is None
    assert read_cursor(TOKEN, of="open letters", keys=[OLD_KEY]) is None


@given(st.integers(0, len(TOKEN) - 1), st.characters(exclude_categories=[]))
def test_cursor_with_one_character_changed_is_none(position: int, character: str) -> None:
    changed = TOKEN[:position] + character + TOKEN[position + 1 :]
    if changed != TOKEN:
        assert read_cursor(changed, of="open letters", keys=[KEY]) is None


@given(st.text())
def test_text_that_is_no_cursor_is_none(text: str) -> None:
    assert read_cursor(text, of="open letters", keys=[KEY]) is None
