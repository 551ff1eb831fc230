"""The platform's sign-in, played locally: who a caller is stands in headers that only the platform can set.

DEVHOST_SIGN_IN names a JSON file of people; a relative path starts at the app's folder, where the host runs:

    {"ann": {"tid": "…", "oid": "…", "name": "ann@example.com", "roles": ["fixit.operator"]}}

A caller says who it is with the header `X-Devhost-User: ann`, a browser with the cookie `devhost-user=ann`. One that
says nothing is nobody, or whom DEVHOST_SIGN_IN_AS names, so that a plain browser is somebody; an empty header is nobody
again. Whatever a caller says in the platform's own headers is dropped first, as the platform does. Without the first
setting, headers pass as sent.
"""

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from pathlib import Path

from devhost.errors import HostConfigError
from devhost.settings.configuration import Configuration

SETTING = "DEVHOST_SIGN_IN"
DEFAULT_SETTING = "DEVHOST_SIGN_IN_AS"
USER_HEADER = "x-devhost-user"
USER_COOKIE = "devhost-user"

_PLATFORM_ONLY = ("x-ms-client-principal", "x-ms-token-")
_CLAIMS = "http://schemas.microsoft.com/identity/claims/"
_NAME_TYPE = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress"
_ROLE_TYPE = "http://schemas.microsoft.com/ws/2008/06/identity/claims/role"


class UnknownUser(Exception):
    """The caller says it is somebody who is not in the file."""


@dataclass(frozen=True, kw_only=True)
class Principal:
    """A person as Microsoft Entra ID knows them."""

    tid: str
    oid: str
    name: str
    roles: tuple[str, ...] = ()

    def headers(self) -> list[tuple[str, str]]:
        """What App Service sends on with each of this person's requests."""
        claims = [(f"{_CLAIMS}tenantid", self.tid), (f"{_CLAIMS}objectidentifier", self.oid), (_NAME_TYPE, self.name)]
        claims += [("roles", role) for role in self.roles]
        principal = {
            "auth_typ": "aad",
            "claims": [{"typ": kind, "val": value} for kind, value in claims],
            "name_typ": _NAME_TYPE,
            "role_typ": _ROLE_TYPE,
        }
        return [
            ("X-MS-CLIENT-PRINCIPAL", base64.b64encode(json.dumps(principal).encode()).decode()),
            ("X-MS-CLIENT-PRINCIPAL-ID", self.oid),
            ("X-MS-CLIENT-PRINCIPAL-IDP", "aad"),
            ("X-MS-CLIENT-PRINCIPAL-NAME", self.name),
        ]


class SignIn:
    """Knows these people, by the names that callers use. Whoever says no name is `default`, empty for nobody."""

    def __init__(self, people: Mapping[str, Principal], *, default: str = "") -> None:
        self._people = people
        self._default = default

    def apply(self, headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """The headers that reach the function: the caller's own claims gone, those of a known person added.

        Raises:
            UnknownUser: nobody of that name.
        """
        sent = list(headers)
        kept = [(name, value) for name, value in sent if not name.lower().startswith((*_PLATFORM_ONLY, USER_HEADER))]
        said = _user(sent)
        user = self._default if said is None else said
        if not user:
            return kept
        if user not in self._people:
            raise UnknownUser(user)
        return kept + self._people[user].headers()


def _user(headers: Iterable[tuple[str, str]]) -> str | None:
    cookie = None
    for name, value in headers:
        if name.lower() == USER_HEADER:
            return value
        if name.lower() == "cookie":
            try:
                morsel = SimpleCookie(value).get(USER_COOKIE)
            except CookieError:
                continue
            cookie = morsel.value if morsel else cookie
    return cookie


def load_sign_in(configuration: Configuration) -> SignIn | None:
    """The sign-in that the setting asks for; None without it.

    Raises:
        HostConfigError: the file cannot be read or is not of the form above, or does not know whom callers shall be.
    """
    setting = configuration.get(SETTING)
    if not setting:
        return None
    try:
        people = json.loads(Path(setting).read_text(encoding="utf-8"))
        known = {name: _principal(person) for name, person in people.items()}
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        raise HostConfigError(
            f"{SETTING}: {setting} is not a file of people ({type(error).__name__}: {error}). "
            'Its form: {"ann": {"tid": "…", "oid": "…", "name": "…", "roles": ["…"]}}'
        ) from error
    default = configuration.get(DEFAULT_SETTING) or ""
    if default and default not in known:
        raise HostConfigError(f"{DEFAULT_SETTING}: {default} is not in {setting}")
    return SignIn(known, default=default)


def _principal(person: Mapping[str, object]) -> Principal:
    roles = person.get("roles", [])
    if not isinstance(roles, list):
        raise TypeError("roles is a list")
    return Principal(
        tid=str(person["tid"]), oid=str(person["oid"]), name=str(person["name"]), roles=tuple(map(str, roles))
    )
