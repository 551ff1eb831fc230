"""Whose lists are one: names that differ in case, outer blanks or Unicode form alone."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.storage.tasks import person_list


@pytest.mark.parametrize("name", ["Ann", "\u0390", "STRASSE", "\u01c5", "e\u0301", "\u1e9e", "\ufb03"])
def test_cases_and_forms_of_a_name_share_a_list(name: str) -> None:
    spellings = {name, name.upper(), name.lower(), f" {name} ", name.casefold()}
    spellings |= {unicodedata.normalize(form, each) for each in spellings for form in ("NFC", "NFD")}
    assert len({person_list("owner", each) for each in spellings}) == 1


@given(st.text(max_size=20))
def test_form_of_any_name_does_not_matter(name: str) -> None:
    assert person_list("by", name) == person_list("by", unicodedata.normalize("NFD", name))


def test_lists_of_owners_and_of_creators_are_others() -> None:
    assert len({person_list(kind, name) for kind in ("owner", "by") for name in ("ann", "bob")}) == 4
