"""Who makes a request: a service that came past the platform's keys, or a person whom the platform signed in."""

import base64
import binascii
import json
from typing import Any
from urllib.parse import urlsplit

import azure.functions as func

from shared.domain.access import Access
from shared.domain.errors import CrossSite, NotAllowed, SignInNeeded
from shared.domain.principal import SERVICE, Principal, signed_in

PRINCIPAL_HEADER = "X-MS-CLIENT-PRINCIPAL"
"""Set by the platform alone, which drops what a caller says there
(https://learn.microsoft.com/azure/app-service/configure-authentication-user-identities)."""

_CLAIMS = "http://schemas.microsoft.com/identity/claims/"
_TENANT = (f"{_CLAIMS}tenantid", "tid")
_OBJECT = (f"{_CLAIMS}objectidentifier", "oid")
_NAMES = ("name", "preferred_username")
_ROLES = ("roles", "http://schemas.microsoft.com/ws/2008/06/identity/claims/role")
_SAFE = ("GET", "HEAD")


def read_principal(request: func.HttpRequest, access: Access) -> Principal:
    """Who asks.

    Raises:
        SignInNeeded: nobody is signed in, or not in the way that makes a person known.
        CrossSite: a page of another site made a signed-in browser send this.
    """
    if access == "key":
        return SERVICE
    principal = _signed_in(request.headers.get(PRINCIPAL_HEADER, ""))
    if principal is None:
        raise SignInNeeded
    if request.method not in _SAFE and _is_cross_site(request):
        raise CrossSite
    return principal


def read_operator(request: func.HttpRequest, access: Access) -> Principal:
    """Who asks, if that is an operator; NotAllowed if not, and as `read_principal`."""
    principal = read_principal(request, access)
    if not principal.is_operator:
        raise NotAllowed("This is for operators: people with the app role fixit.operator.")
    return principal


def _signed_in(header: str) -> Principal | None:
    try:
        claims = json.loads(base64.b64decode(header, validate=True))["claims"]
        said = [(str(claim["typ"]), str(claim["val"])) for claim in claims]
    except (binascii.Error, ValueError, TypeError, KeyError, RecursionError):
        return None

    def first(kinds: tuple[str, ...]) -> str:
        return next((value for kind, value in said if kind in kinds), "")

    roles = frozenset(value for kind, value in said if kind in _ROLES)
    return signed_in(tid=first(_TENANT), oid=first(_OBJECT), name=first(_NAMES), roles=roles)


def _is_cross_site(request: func.HttpRequest) -> bool:
    """Whether a browser says that another site's page sent this. Other programs send neither header."""
    fetched: Any = request.headers.get("Sec-Fetch-Site")
    if fetched is not None:
        return fetched not in {"same-origin", "none"}
    origin = request.headers.get("Origin")
    return origin is not None and urlsplit(origin).netloc != urlsplit(request.url).netloc
