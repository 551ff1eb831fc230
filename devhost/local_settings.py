"""local.settings.json, as Core Tools reads it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class HostSection:
    """The `Host` section: None where a key is absent. `cors` holds the allowed origins, `("*",)` for all."""

    port: int | None = None
    address: str | None = None
    cors: tuple[str, ...] = ()
    cors_credentials: bool = False


@dataclass(frozen=True, kw_only=True)
class LocalSettings:
    """`variables` are to be set for host and worker, `notices` are lines to print."""

    variables: Mapping[str, str] = field(default_factory=dict)
    host: HostSection = HostSection()
    notices: tuple[str, ...] = ()


def load_local_settings(folder: Path, environment: Mapping[str, str]) -> LocalSettings:
    """What the file adds to this environment; a variable that is set already wins, with a notice."""
    raise NotImplementedError
