"""Who makes a request: read from what the platform says, refused wherever that leaves a doubt."""

import base64
import json
from collections.abc import Mapping
from typing import Any

import azure.functions as func
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.domain.access import Guard
from shared.domain.errors import CrossSite, NotAllowed, SignInNeeded
from shared.domain.principal import SERVICE, Principal
from shared.web.who import HEADER_MAX, PRINCIPAL_HEADER, read_operator, read_principal

URL = "https://fixit.example/api/fixits"
LONG = "http://schemas.microsoft.com/identity/claims/"
TID, OID = "0c1f9d7e-58f4-4a0e-8c4e-2f6d1b1c9a11", "5b5450db-eb26-4c1a-981c-ba1d25f0483d"
ANN = [("tid", TID), ("oid", OID)]
KEYS, PEOPLE = Guard(by="key"), Guard(by="easyauth")


def encoded(claims: Any = (), **more: Any) -> str:
    said = {"auth_typ": "aad", "claims": claims, **more}
    if isinstance(claims, list | tuple):
        said["claims"] = [{"typ": each[0], "val": each[1]} if isinstance(each, tuple) else each for each in claims]
    return base64.b64encode(json.dumps(said).encode()).decode()


def request(principal: str = "", method: str = "GET", **headers: str) -> func.HttpRequest:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    sent: Mapping[str, str] = {PRINCIPAL_HEADER: principal, **given} if principal else given
    return func.HttpRequest(method, URL, headers=sent, body=b"")


def read(principal: str, **headers: str) -> Principal:
    return read_principal(request(principal, **headers), PEOPLE)


def is_refused(principal: str) -> bool:
    try:
        read(principal)
    except SignInNeeded:
        return True
    return False


def test_person_is_tenant_and_object_exactly() -> None:
    for tid, oid in (("tid", "oid"), (f"{LONG}tenantid", f"{LONG}objectidentifier")):
        who = read(encoded([(tid, TID), (oid, OID), ("name", "Ann"), ("groups", "g"), ("roles", "reader")]))
        assert who == Principal(caller=f"person:{TID}:{OID}", person=f"{TID}:{OID}", name="Ann")
    assert read(encoded([("tid", TID.upper()), ("oid", OID)])).person == f"{TID.upper()}:{OID}"


def test_name_of_the_header_is_read_in_any_case() -> None:
    for name in (PRINCIPAL_HEADER.lower(), PRINCIPAL_HEADER.title()):
        sent = func.HttpRequest("GET", URL, headers={name: encoded(ANN)}, body=b"")
        assert read_principal(sent, PEOPLE).person == f"{TID}:{OID}"


def test_person_of_a_tenant_that_is_not_named_is_nobody() -> None:
    other = TID[::-1]
    ours, both, neither = (
        Guard(by="easyauth", tenants=frozenset(tenants)) for tenants in ([TID], [other, TID], [other])
    )
    for header in (encoded(ANN), encoded([("tid", TID.upper()), ("oid", OID)])):
        for guard in (PEOPLE, ours, both):
            assert read_principal(request(header), guard).person
        with pytest.raises(SignInNeeded):
            read_principal(request(header), neither)
    with pytest.raises(SignInNeeded):
        read_operator(request(encoded([("tid", other), ("oid", OID), ("roles", "fixit.operator")])), ours)


def test_operator_is_who_has_the_role_in_either_spelling() -> None:
    for kind in ("roles", "http://schemas.microsoft.com/ws/2008/06/identity/claims/role"):
        header = encoded([*ANN, (kind, "reader"), (kind, "fixit.operator")])
        assert read_operator(request(header), PEOPLE).is_operator
    for value in ("fixit.operators", "Fixit.Operator", "fixit.operator ", "reader,fixit.operator"):
        with pytest.raises(NotAllowed):
            read_operator(request(encoded([*ANN, ("roles", value)])), PEOPLE)


def test_key_mode_does_not_look_at_the_header() -> None:
    for header in ("", "?", encoded([*ANN, ("roles", "fixit.operator")])):
        assert read_principal(request(header, "POST", Sec_Fetch_Site="cross-site"), KEYS) is SERVICE


@pytest.mark.parametrize(
    "header",
    [
        "",
        "?",
        "e30=",
        "é",
        encoded(ANN) + "=",
        f"{encoded(ANN)},{encoded(ANN)}",
        encoded(ANN)[:-4],
        base64.b64encode(b"\xff").decode(),
        base64.b64encode(b"null").decode(),
        base64.b64encode(b"[" * 40_000).decode(),
        base64.b64encode(b'{"claims":' * 4_000).decode(),
        base64.b64encode(b'{"auth_typ": "aad", "claims": [], "claims": []}').decode(),
        encoded(None),
        encoded("tid"),
        encoded({"typ": "tid", "val": TID}),
        encoded([]),
        encoded([*ANN, None]),
        encoded([*ANN, "roles"]),
        encoded([*ANN, ("roles", ["fixit.operator"])]),
        encoded([("tid", TID)]),
        encoded([("oid", OID)]),
        encoded([("tid", TID), ("oid", 7)]),
        encoded([("tid", TID), ("oid", "")]),
        encoded([*ANN, ("oid", OID[::-1])]),
        encoded([*ANN, (f"{LONG}objectidentifier", OID[::-1])]),
        encoded([*ANN, (f"{LONG}tenantid", TID[::-1])]),
        encoded([("tid", TID), ("oid", f"{OID}\n")]),
        encoded([("tid", TID), ("oid", "a:b")]),
        encoded([("tid", f"{TID}:x"), ("oid", OID)]),
        encoded([("tid", TID), ("oid", "*")]),
        encoded([("tid", TID), ("oid", "ö")]),
        encoded([("tid", TID), ("oid", "a" * 37)]),
        encoded(ANN, auth_typ="google"),
        encoded(ANN, auth_typ=None),
        encoded([*ANN, ("x", "y" * HEADER_MAX)]),
    ],
)
def test_header_that_leaves_a_doubt_is_nobody(header: str) -> None:
    assert is_refused(header)


def test_claim_that_stands_twice_with_one_value_is_no_doubt() -> None:
    assert read(encoded([*ANN, *ANN, (f"{LONG}objectidentifier", OID)])).person == f"{TID}:{OID}"


@settings(deadline=None)
@given(st.one_of(st.text(), st.binary().map(lambda raw: base64.b64encode(raw).decode())))
def test_no_header_at_all_is_believed_or_raises(header: str) -> None:
    assert is_refused(header)


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_no_claims_of_another_form_are_believed(claims: Any) -> None:
    assert is_refused(base64.b64encode(json.dumps({"auth_typ": "aad", "claims": claims}).encode()).decode())


def test_name_is_for_people_and_one_line() -> None:
    names = [("name", "Ann\nRoot"), ("preferred_username", "ann@example.com")]
    assert read(encoded([*ANN, *names])).name == "ann@example.com"
    assert read(encoded([*ANN, ("name", "A" * 300)])).name == "A" * 200
    assert read(encoded([*ANN, ("name", "\ud800")])).name == ""
    assert read(encoded(ANN)).name == ""


FOREIGN = [
    {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site"},
    {"Sec_Fetch_Site": "Same-Origin, cross-site"},
    {"Sec_Fetch_Site": ""},
    {"Sec_Fetch_Site": "cross-site", "Origin": "https://fixit.example"},
    {"Origin": "https://evil.example"},
    {"Origin": "https://fixit.example.evil.example"},
    {"Origin": "https://fixit.example:8443"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "https://["},
    {"Origin": "https://shop.example", "X_Forwarded_Host": "www.example, shop.example"},
]
OWN: list[dict[str, str]] = [
    {},
    {"Sec_Fetch_Site": "same-origin"},
    {"Sec_Fetch_Site": "none"},
    {"Origin": "https://fixit.example"},
    {"Origin": "https://FixIt.example"},
    {"Origin": "https://front.example", "X_Forwarded_Host": "front.example"},
    {"Origin": "https://front.example", "X_Forwarded_Host": "Front.example, inner.example"},
    {"Origin": "https://front.example", "Host": "front.example"},
    {"Origin": "http://localhost:7071", "Host": "localhost:7071"},
]


@pytest.mark.parametrize("headers", FOREIGN)
def test_page_of_another_site_changes_nothing(headers: dict[str, str]) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        with pytest.raises(CrossSite):
            read_principal(request(encoded(ANN), method, **headers), PEOPLE)
    for method in ("GET", "HEAD"):
        assert read_principal(request(encoded(ANN), method, **headers), PEOPLE).person


@pytest.mark.parametrize("headers", OWN)
def test_own_pages_and_programs_may(headers: dict[str, str]) -> None:
    assert read_principal(request(encoded(ANN), "POST", **headers), PEOPLE).person


def test_who_is_nobody_is_told_so_before_where_from() -> None:
    with pytest.raises(SignInNeeded):
        read_principal(request("", "POST", Sec_Fetch_Site="cross-site"), PEOPLE)
