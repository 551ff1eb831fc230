"""Cross-origin answers, as Core Tools gives them for `Host.CORS`. Source: ASP.NET Core's CorsService.

Any header and any method is allowed; what counts is the origin.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from devhost.http.response import Answer

_PREFLIGHT_METHOD = "access-control-request-method"


@dataclass(frozen=True)
class Cors:
    """The origins to allow, `*` alone for all. With `*` there are no credentials: no browser takes both."""

    origins: tuple[str, ...]
    credentials: bool = False

    def preflight(self, method: str, headers: Mapping[str, str]) -> Answer | None:
        """The answer to a preflight request (204, without headers for a foreign origin); None if it is none."""
        if "origin" not in headers or method.upper() != "OPTIONS" or _PREFLIGHT_METHOD not in headers:
            return None
        allowed = self.headers(headers)
        if allowed:
            wanted = [name.strip() for name in headers.get("access-control-request-headers", "").split(",")]
            if names := ",".join(filter(None, wanted)):
                allowed += (("Access-Control-Allow-Headers", names),)
            allowed += (("Access-Control-Allow-Methods", headers[_PREFLIGHT_METHOD]),)
        return Answer(status=204, headers=allowed)

    def headers(self, headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """What to add to the answer to a request with these headers (by lower-case name); nothing for a foreign one."""
        origin = headers.get("origin", "")
        if not origin:
            return ()
        if self.origins == ("*",):
            return (("Access-Control-Allow-Origin", "*"),)
        if origin not in self._normal_origins():
            return ()
        allowed = [("Access-Control-Allow-Origin", origin)]
        if self.credentials:
            allowed.append(("Access-Control-Allow-Credentials", "true"))
        if len(self.origins) > 1:
            allowed.append(("Vary", "Origin"))
        return tuple(allowed)

    def _normal_origins(self) -> set[str]:
        return {origin.strip().rstrip("/").lower() for origin in self.origins}
