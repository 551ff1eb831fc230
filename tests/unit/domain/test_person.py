"""An entry of the directory: what is taken, and that all that is wrong is named."""

from typing import Any

import pytest

from shared.domain.errors import InvalidPerson
from shared.domain.person import Person, parse_person

ANN = {"person": "t:o", "name": "Ann Ö", "email": "ann@example.com", "phone": "+4930123456"}


def test_entry_is_kept_as_it_was_given() -> None:
    assert parse_person(ANN) == Person(**ANN)
    assert parse_person({"person": "Facilities"}) == Person(person="Facilities")
    assert parse_person({"person": "a", "name": "", "email": None, "phone": ""}) == Person(person="a")


def test_address_says_who_it_is_and_the_body_says_no_other() -> None:
    assert parse_person({"name": "Ann"}, person="t:o") == Person(person="t:o", name="Ann")
    assert parse_person(ANN, person="t:o") == Person(**ANN)
    for other in ("t:O", "t:o ", "", "x"):
        with pytest.raises(InvalidPerson) as refused:
            parse_person({"person": other}, person="t:o")
        assert {error.field for error in refused.value.errors} == {"person"}


@pytest.mark.parametrize(
    "person", ["a", "ann@example.com", "t:o", "Ann Ö", " Ann", "a?b#c&d=e+f", "...", ".a", "\u202eabc", "{x}", "A" * 80]
)
def test_person_may_be_any_line(person: str) -> None:
    assert parse_person({"person": person}).person == person


WRONG: dict[str, list[Any]] = {
    "person": ["", "A" * 81, "a/b", "a\\b", "a%2Fb", ".", "..", "a\nb", "a\0", "  ", "\ud800", 7],
    "name": ["A" * 81, "a\nb", "\x85", [], True],
    "email": ["ann", "a@b@c", "ann@example.com\n", "a@" + "b" * 253, {}],
    "phone": ["030123456", "+0123", "+", "+1", "+49 (0)30 123456", "+4930123456\n", "+" + "1" * 16, "+٤٩", 49],
    "age": [7, "x"],
}


def test_number_is_kept_in_its_international_form() -> None:  # NT-08
    assert parse_person({**ANN, "phone": "+61 491 570 006"}).phone == "+61491570006"
    assert parse_person({**ANN, "phone": "0491 570 006"}, phone_region="AU").phone == "+61491570006"
    for refused, region in (("0491 570 006", ""), ("+", "AU"), ("555-555-5555", "AU"), ("٠٤٩١", "AU")):
        with pytest.raises(InvalidPerson, match=r"phone must be a phone number as \+"):
            parse_person({**ANN, "phone": refused}, phone_region=region)


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in WRONG.items() for value in values])
def test_field_that_breaks_a_rule_is_named(field: str, value: Any) -> None:
    with pytest.raises(InvalidPerson) as refused:
        parse_person({**ANN, field: value})
    assert [error.field for error in refused.value.errors] == [field]
    assert field in refused.value.detail


def test_everything_that_is_wrong_is_told_together() -> None:
    with pytest.raises(InvalidPerson) as refused:
        parse_person({"name": 1, "email": 2, "phone": 3, "age": 4})
    assert [error.field for error in refused.value.errors] == ["name", "email", "phone", "age", "person"]
    with pytest.raises(InvalidPerson) as refused:
        parse_person({f"f{number}": "x" for number in range(5_000)})
    assert len(refused.value.errors) <= 51
