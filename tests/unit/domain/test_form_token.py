"""The token of a form: good for one person, for a day, and for nothing that was not signed."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.form_token import GOOD_FOR, is_form_of, sign_form

KEYS = (b"k" * 32, b"an-older-key-of-thirty-two-characters")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANN = "person:t:ann"
TOKEN = sign_form(ANN, now=NOW, keys=KEYS)


def test_token_is_good_for_its_person_for_a_day_under_each_key() -> None:
    assert is_form_of(TOKEN, ANN, now=NOW, keys=KEYS)
    assert is_form_of(TOKEN, ANN, now=NOW + GOOD_FOR, keys=KEYS)
    assert is_form_of(sign_form(ANN, now=NOW, keys=KEYS[1:]), ANN, now=NOW, keys=KEYS)
    assert not is_form_of(TOKEN, ANN, now=NOW + GOOD_FOR + timedelta(seconds=1), keys=KEYS)
    assert not is_form_of(TOKEN, "person:t:bob", now=NOW, keys=KEYS)
    assert not is_form_of(TOKEN, ANN, now=NOW, keys=KEYS[1:])


@pytest.mark.parametrize(
    "token",
    ["", "f1", "f1..", TOKEN + "A", TOKEN[:-1], TOKEN.replace("f1", "f2"), TOKEN.replace("f1.1", "f1.2"), "f1.ä.x"],
)
def test_token_that_was_not_signed_as_it_stands_is_not_good(token: str) -> None:
    assert not is_form_of(token, ANN, now=NOW, keys=KEYS)


def test_token_does_not_move_what_belongs_to_the_time_into_the_person() -> None:
    moved = TOKEN.replace(f".{int(NOW.timestamp())}.", f".{str(int(NOW.timestamp()))[:-1]}.")
    assert not is_form_of(moved, ANN, now=NOW, keys=KEYS)
