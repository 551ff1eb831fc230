"""Requests about the directory, and their answers."""

import azure.functions as func
from msgspec import to_builtins

from shared.domain.errors import BodyTooLarge
from shared.domain.person import Person, check_person, parse_person
from shared.web.answers import as_json
from shared.web.request import read_object

_PARAMETER = "person"


def read_name(request: func.HttpRequest) -> str:
    """Who the address is about; InvalidPerson for what cannot be in the directory."""
    person: str = request.route_params.get(_PARAMETER, "")
    check_person(person)
    return person


def read_entry(request: func.HttpRequest, *, phone_region: str = "") -> Person:
    """The entry in the body, about who stands in the address; InvalidPerson names all that is wrong.

    `phone_region`: the country, by two letters, of which a national phone number is taken.
    """
    body = read_object(request, too_large=BodyTooLarge)
    return parse_person(body, person=request.route_params.get(_PARAMETER, ""), phone_region=phone_region)


def entry(person: Person) -> func.HttpResponse:
    """200: the entry with every field."""
    return as_json(200, to_builtins(person))
