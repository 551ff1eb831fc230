"""FIXIT_AUTH=easyauth: people alone come in, operators' routes are theirs, and it starts only where that is safe."""

import base64
import json
import re
from collections.abc import Iterator

import pytest

from shared.web.routes import PAGES, PREFIX, ROUTES, Route
from tests.e2e.test_http_bodies import check_problem
from tests.integration.test_app_start import imported
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import FixItClient
from tests.support.signed_in import OIDS, TID, Person, signed_in_fixit
from tests.support.web_client import Answer

OPEN = {"receipts/{receipt}", "health", "openapi.json", "docs"}
"""What anybody may ask for, signed in or not."""

OPERATORS = ("deadletters", "people", "callbacks", "health/details", "stats")
"""What operators alone may."""

ALL = [(route, method) for route in ROUTES for method in route.methods]
GUARDED = [(route, method) for route, method in ALL if route.template not in OPEN]
FOR_OPERATORS = [(route, method) for route, method in GUARDED if route.template.startswith(OPERATORS)]


def _name(value: Route | str) -> str:
    return value.template if isinstance(value, Route) else value


@pytest.fixture(scope="module")
def signed_in() -> Iterator[FixIt]:
    with signed_in_fixit() as running:
        yield running


def path_of(route: Route) -> str:
    """A path that leads to the route."""
    filled = re.sub(r"\{\w+:guid\}", "0a7643c1-5e72-57c2-b626-a8a763f09106", route.template)
    return f"/{PREFIX}/{re.sub(r'{.*?}', 'x', filled)}"


def ask(client: FixItClient, route: Route, method: str, **headers: str) -> Answer:
    """A request that is wrong in more than one way, as a stranger's may be."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.request(method, path_of(route), b"{}" if method in ("POST", "PUT", "PATCH") else None, sent)


def check_refused(answer: Answer, method: str, status: int, code: str) -> None:
    assert answer.status == status, answer
    if method != "HEAD":
        check_problem(answer, status, code)


@pytest.mark.parametrize(("route", "method"), GUARDED, ids=_name)
def test_route_is_for_people_who_are_signed_in(signed_in: FixIt, route: Route, method: str) -> None:
    signed_in.wire.clear()
    refused = ask(signed_in, route, method)
    check_refused(refused, method, 401, "sign_in_needed")
    assert refused.headers["www-authenticate"] == "Bearer"
    assert [each for each in signed_in.wire.requests if each.service != "queue"] == []


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_page_is_shown_to_nobody_who_is_not_signed_in(signed_in: FixIt, page: Route) -> None:
    for method in page.methods:
        assert ask(signed_in, page, method).status >= 300


@pytest.mark.parametrize(("route", "method"), FOR_OPERATORS, ids=_name)
def test_route_of_operators_is_for_them(signed_in: FixIt, route: Route, method: str) -> None:
    check_refused(ask(Person(signed_in.url, "ann"), route, method), method, 403, "not_allowed")
    assert ask(Person(signed_in.url, "ops"), route, method).status not in (401, 403)


@pytest.mark.parametrize(("route", "method"), [each for each in GUARDED if each[1] not in ("GET", "HEAD")], ids=_name)
def test_page_of_another_site_cannot_send_it(signed_in: FixIt, route: Route, method: str) -> None:
    own = {"Origin": signed_in.url, "Sec_Fetch_Site": "same-origin"}
    for name in ("ann", "ops"):
        someone = Person(signed_in.url, name)
        check_refused(ask(someone, route, method, Sec_Fetch_Site="cross-site"), method, 403, "cross_site")
        check_refused(ask(someone, route, method, Origin="https://evil.example"), method, 403, "cross_site")
        assert ask(someone, route, method, **own).body != ask(someone, route, method, Sec_Fetch_Site="same-site").body


def test_what_needs_no_key_needs_no_sign_in(signed_in: FixIt) -> None:
    accepted = Person(signed_in.url, "ann").submit()
    assert signed_in.settled(accepted["receipt"])["state"] == "succeeded"
    assert signed_in.get("/api/health").status == 200
    check_problem(signed_in.get("/api/nothing"), 404, "unknown_route")
    check_problem(signed_in.request("PUT", "/api/health"), 405, "method_not_allowed")


def test_platform_asks_for_no_key_and_operators_routes_are_those_of_the_master_key() -> None:
    people, keys = (
        {name: binding for name, (binding, *_) in imported(**settings)["functions"].items() if "route" in binding}
        for settings in ({"FIXIT_AUTH": "easyauth", "FIXIT_PLATFORM_AUTH": "true"}, {})
    )
    assert {binding["authLevel"].lower() for binding in people.values()} == {"anonymous"}
    assert {each["route"] for each in keys.values() if each["authLevel"].lower() == "anonymous"} == {*OPEN, "{*path}"}
    admin = {each["route"] for each in keys.values() if each["authLevel"].lower() == "admin"}
    assert admin <= {route.template for route, _ in FOR_OPERATORS}
    pages = {page.template for page in PAGES}
    assert {route.template for route in ROUTES} == {each["route"] for each in people.values()} - pages - {"{*path}"}


def test_principal_that_a_caller_claims_is_nobody_where_the_platform_signs_in(signed_in: FixIt) -> None:
    claims = [{"typ": "tid", "val": TID}, {"typ": "oid", "val": OIDS["ops"]}, {"typ": "roles", "val": "fixit.operator"}]
    forged = base64.b64encode(json.dumps({"auth_typ": "aad", "claims": claims}).encode()).decode()
    headers = {"X-MS-CLIENT-PRINCIPAL": forged, "X-MS-CLIENT-PRINCIPAL-ID": OIDS["ops"]}
    check_problem(signed_in.request("GET", "/api/deadletters", headers=headers), 401, "sign_in_needed")
    ann = Person(signed_in.url, "ann").request("GET", "/api/deadletters", headers=headers)
    check_problem(ann, 403, "not_allowed")


def test_principal_counts_for_nothing_in_key_mode(fixit: FixIt) -> None:
    claims = [{"typ": "tid", "val": TID}, {"typ": "oid", "val": OIDS["ann"]}]
    header = base64.b64encode(json.dumps({"auth_typ": "aad", "claims": claims}).encode()).decode()
    accepted = fixit.post(b'{"title": "t"}', {"X-MS-CLIENT-PRINCIPAL": header, "Sec-Fetch-Site": "cross-site"})
    fixit.settled(accepted.json["receipt"])
    (row,) = fixit.stores.tasks()
    assert (row["caller"], row.get("createdBy")) == ("key", None)


@pytest.mark.parametrize("settings", [{"FIXIT_AUTH": "easyauth"}, {"FIXIT_AUTH": "nobody"}])
def test_app_does_not_start_where_anybody_could_be_anybody(running_fixit: FixIt, settings: dict[str, str]) -> None:
    with running_fixit.another_host(**settings) as host:  # type: ignore[arg-type]
        host.wait_line(r"the app does not start.*FIXIT_AUTH")
        host.wait_line("No functions were found")
        assert FixItClient(host.url).get("/api/health").status == 404
        assert "Traceback" not in "\n".join(host.lines())
