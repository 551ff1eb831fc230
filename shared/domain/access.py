"""FIXIT_AUTH: how the app knows who makes a request."""

from collections.abc import Mapping
from typing import Literal, cast, get_args

from shared.domain.errors import SettingsError

Access = Literal["key", "easyauth"]
"""`key`: the platform asks for one of its keys. `easyauth`: the platform signs people in and says who they are."""


def parse_access(environment: Mapping[str, str]) -> Access:
    """What FIXIT_AUTH asks for; key by default.

    Raises:
        SettingsError: it is neither, or says easyauth where the platform's authentication is not known to be on:
            whoever can reach the app could then say that he is anybody.
    """
    value = environment.get("FIXIT_AUTH", "").strip() or "key"
    if value not in get_args(Access):
        raise SettingsError(f"FIXIT_AUTH must be one of {', '.join(get_args(Access))}")
    if value == "easyauth" and not _platform_signs_in(environment):
        raise SettingsError(
            "FIXIT_AUTH is easyauth, and the platform's authentication is not known to be on: turn it on, and where "
            "there is no WEBSITE_AUTH_ENABLED that says so by itself, set FIXIT_PLATFORM_AUTH to true"
        )
    return cast("Access", value)


def _platform_signs_in(environment: Mapping[str, str]) -> bool:
    """App Service says by itself in WEBSITE_AUTH_ENABLED whether it does; that each plan says so is not documented.

    What it says counts: ours only fills the gap, and may be left from a time when the feature was on.
    """
    said = environment.get("WEBSITE_AUTH_ENABLED", "").strip() or environment.get("FIXIT_PLATFORM_AUTH", "").strip()
    return said.lower() in {"true", "1"}
