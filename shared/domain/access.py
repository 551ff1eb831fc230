"""FIXIT_AUTH: how the app knows who makes a request."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from shared.domain.errors import SettingsError

Access = Literal["key", "easyauth"]
"""`key`: the platform asks for one of its keys. `easyauth`: the platform signs people in and says who they are."""

_TENANT = re.compile("[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


@dataclass(frozen=True, kw_only=True)
class Guard:
    """Who is let in. `tenants`: people of these alone, in lower case; without any, of all that the platform lets in."""

    by: Access
    tenants: frozenset[str] = frozenset()

    def admits(self, tenant: str) -> bool:
        """Whether people of this tenant may come in."""
        return not self.tenants or tenant.lower() in self.tenants


def parse_guard(environment: Mapping[str, str]) -> Guard:
    """What FIXIT_AUTH asks for, key by default, and whom FIXIT_TENANTS lets in, which only easyauth reads.

    Raises:
        SettingsError: one of them cannot be understood, or FIXIT_AUTH says easyauth where the platform's
            authentication is not known to be on: whoever can reach the app could then say that he is anybody.
    """
    value = environment.get("FIXIT_AUTH", "").strip() or "key"
    if value not in get_args(Access):
        raise SettingsError(f"FIXIT_AUTH must be one of {', '.join(get_args(Access))}")
    if value == "easyauth" and not _platform_signs_in(environment):
        raise SettingsError(
            "FIXIT_AUTH is easyauth, and the platform's authentication is not known to be on: turn it on, and where "
            "there is no WEBSITE_AUTH_ENABLED that says so by itself, set FIXIT_PLATFORM_AUTH to true"
        )
    tenants = _tenants(environment.get("FIXIT_TENANTS", "")) if value == "easyauth" else frozenset[str]()
    return Guard(by=cast("Access", value), tenants=tenants)


def _tenants(text: str) -> frozenset[str]:
    tenants = frozenset(part.strip().lower() for part in text.split(",") if part.strip())
    if (text.strip() and not tenants) or not all(map(_TENANT.fullmatch, tenants)):
        raise SettingsError("FIXIT_TENANTS must hold ids of tenants, as 0c1f9d7e-58f4-…, separated by commas")
    return tenants


def _platform_signs_in(environment: Mapping[str, str]) -> bool:
    """App Service says by itself in WEBSITE_AUTH_ENABLED whether it does; that each plan says so is not documented.

    What it says counts: ours only fills the gap, and may be left from a time when the feature was on.
    """
    said = environment.get("WEBSITE_AUTH_ENABLED", "").strip() or environment.get("FIXIT_PLATFORM_AUTH", "").strip()
    return said.lower() in {"true", "1"}
