"""Who makes a request: a service that came past the platform's keys, or a person whom the platform signed in."""

import base64
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import azure.functions as func

from shared.domain.access import Guard
from shared.domain.errors import CrossSite, NotAllowed, SignInNeeded
from shared.domain.principal import SERVICE, Principal, signed_in
from shared.domain.strict_json import parse_json
from shared.domain.text_rules import LINE, has_lone_surrogate, matches

PRINCIPAL_HEADER = "X-MS-CLIENT-PRINCIPAL"
"""Set by the platform alone, which drops what a caller says there
(https://learn.microsoft.com/azure/app-service/configure-authentication-user-identities)."""

HEADER_MAX = 64 * 1024
"""Of the principal, in characters. The platform's servers take no more for all headers together."""

_PROVIDER = "aad"
"""What `auth_typ` says of Microsoft Entra ID. Whatever else an app lets people sign in with could claim any id."""

_CLAIMS = "http://schemas.microsoft.com/identity/claims/"
_TENANT = (f"{_CLAIMS}tenantid", "tid")
_OBJECT = (f"{_CLAIMS}objectidentifier", "oid")
_ROLES = ("roles", "http://schemas.microsoft.com/ws/2008/06/identity/claims/role")
_NAMES = ("name", "preferred_username", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress")
_NAME_MAX = 200
_SAFE = ("GET", "HEAD")


def read_principal(request: func.HttpRequest, guard: Guard) -> Principal:
    """Who asks.

    Raises:
        SignInNeeded: nobody is signed in, or not in the way that makes a person known, or who is of another tenant.
        CrossSite: a page of another site made a signed-in browser send this.
    """
    if guard.by == "key":
        return SERVICE
    principal = _signed_in(request.headers.get(PRINCIPAL_HEADER, ""), guard)
    if principal is None:
        raise SignInNeeded
    if request.method not in _SAFE and _is_cross_site(request):
        raise CrossSite
    return principal


def read_operator(request: func.HttpRequest, guard: Guard) -> Principal:
    """Who asks, if that is an operator; NotAllowed if not, and as `read_principal`."""
    principal = read_principal(request, guard)
    if not principal.is_operator:
        raise NotAllowed("This is for operators: people with the app role fixit.operator.")
    return principal


def _signed_in(header: str, guard: Guard) -> Principal | None:
    """The person whom the platform's header is about; None where it does not say so beyond doubt, or of no tenant of
    ours."""
    try:
        said = list(_claims(header))
        tid, oid = (_only(said, kinds) for kinds in (_TENANT, _OBJECT))
    except ValueError:
        return None
    if not guard.admits(tid):
        return None
    roles = frozenset(value for kind, value in said if kind in _ROLES)
    return signed_in(tid=tid, oid=oid, name=_name(said), roles=roles)


def _claims(header: str) -> Iterator[tuple[str, str]]:
    """Type and value of each claim that matters here; ValueError for a header of another form."""
    if not header or len(header) > HEADER_MAX:
        raise ValueError("no principal, or none that the platform would send")
    principal: Any = parse_json(base64.b64decode(header, validate=True).decode())
    if not isinstance(principal, dict) or principal.get("auth_typ") != _PROVIDER:
        raise ValueError("another provider")
    claims = principal.get("claims")
    if not isinstance(claims, list):
        raise ValueError("no claims")
    for claim in claims:
        if not isinstance(claim, dict):
            raise ValueError("no claim")
        kind, value = claim.get("typ"), claim.get("val")
        if kind in (*_TENANT, *_OBJECT, *_ROLES, *_NAMES):
            if not isinstance(value, str):
                raise ValueError("a claim that is no text")
            yield kind, value


def _only(said: list[tuple[str, str]], kinds: tuple[str, ...]) -> str:
    """The value of a claim that may stand there twice, but not with two values; ValueError otherwise."""
    (value,) = {value for kind, value in said if kind in kinds}
    return value


def _name(said: list[tuple[str, str]]) -> str:
    """What to call them, or nothing: it decides nothing, so whatever is not fit to be shown is left out."""
    named = {kind: value for kind, value in reversed(said) if matches(LINE, value) and not has_lone_surrogate(value)}
    return next((named[kind][:_NAME_MAX] for kind in _NAMES if kind in named), "")


def _is_cross_site(request: func.HttpRequest) -> bool:
    """Whether a browser says that another site's page sent this. Other programs send neither header.

    `Sec-Fetch-Site` is what the browser itself found; old ones send the `Origin` alone, which is then held against the
    name by which the app was called. Behind a proxy that stands in X-Forwarded-Host: a page can have it sent only where
    the browser asked the app before (CORS), so nobody gains by it.
    """
    fetched = request.headers.get("Sec-Fetch-Site")
    if fetched is not None:
        return fetched not in ("same-origin", "none")
    origin = request.headers.get("Origin")
    if origin is None:
        return False
    forwarded = request.headers.get("X-Forwarded-Host", "").partition(",")[0]
    own = {request.headers.get("Host", ""), forwarded, _authority(request.url)}
    return _authority(origin) not in {host.strip().lower() for host in own} - {""}


def _authority(url: str) -> str:
    """Host and port of a URL as browsers write them; nothing for what is none, like the origin `null`."""
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""
