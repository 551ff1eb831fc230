"""A person of the directory: who tasks may be assigned to, and how they can be reached."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from shared.domain.errors import FieldError, InvalidPerson
from shared.domain.field_rules import first_errors, sentence, shown, value_errors
from shared.domain.phone import as_e164
from shared.domain.text_rules import EMAIL, LINE, PERSON, PHONE, has_something_to_read


class Person(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`person` is who it is, exactly as a task's `owner` says it; with sign-in that is `tid:oid`. Empty: not known."""

    person: Annotated[str, Meta(min_length=1, max_length=80, extra_json_schema={"pattern": PERSON})]
    name: Annotated[str, Meta(max_length=80, extra_json_schema={"pattern": LINE})] = ""
    email: Annotated[str, Meta(max_length=254, extra_json_schema={"pattern": EMAIL})] = ""
    phone: Annotated[str, Meta(max_length=16, extra_json_schema={"pattern": PHONE})] = ""


FIELDS = Person.__struct_fields__
_FIELDS = {field.encode_name: field for field in msgspec.structs.fields(Person)}


def parse_person(fields: Mapping[str, Any], *, person: str | None = None, phone_region: str = "") -> Person:
    """The entry that a JSON object describes; `null` and, but for `person`, `""` mean that a field is not given.

    `person`: who it is about, where that is known already; the object may then leave it out, and says no other.
    `phone_region`: the country, by two letters, of which a national number is taken; none is without it. A number is
    kept in E.164, however people wrote it.

    Raises:
        InvalidPerson: names every field that breaks a rule (at most 50), and the rule.
    """
    given = {name: value for name, value in fields.items() if value is not None and (value != "" or name == "person")}
    given = given if person is None else {"person": person, **given}
    if isinstance(written := given.get("phone"), str):
        given["phone"] = as_e164(written, region=phone_region)
    errors = first_errors(given, _errors)
    if "person" not in given:
        errors.append(FieldError("person", "is needed: 1 to 80 characters"))
    if person is not None and given["person"] != person:
        errors.append(FieldError("person", "must be the one of the address, or not be there"))
    if errors:
        raise InvalidPerson(sentence(errors), errors=errors)
    return msgspec.convert(given, Person)


def check_person(person: str) -> None:
    """InvalidPerson for what cannot be in the directory."""
    parse_person({}, person=person)


def _errors(name: str, value: Any) -> Iterator[FieldError]:
    if name not in _FIELDS:
        yield FieldError(shown(name), f"is not a field of a person; the fields are {', '.join(_FIELDS)}")
        return
    errors = list(value_errors(_FIELDS[name], value))
    yield from errors
    if name == "person" and not errors and not has_something_to_read(value):
        yield FieldError(name, "must hold something to read, not blanks alone")
