"""local.settings.json, as Core Tools reads it.

Source: CLI, AppSettingsFile.cs, HostStartSettings.cs and StartHostAction.cs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devhost.errors import HostConfigError
from devhost.settings.configuration import Configuration
from devhost.settings.host_settings import FILE as HOST_JSON
from devhost.settings.host_settings import setting_text
from devhost.settings.lenient_json import read_json_object

FILE = "local.settings.json"
ENVIRONMENT = "AZURE_FUNCTIONS_ENVIRONMENT"


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

    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    host: HostSection = HostSection()
    notices: tuple[str, ...] = ()


def load_local_settings(folder: Path, environment: Mapping[str, str]) -> LocalSettings:
    """What the file adds to this environment; a variable that is set already, and not empty, wins with a notice.

    The file is that of the nearest folder, this one or one above it, that holds it or a host.json. None at all is
    fine. One that cannot be read is as good as empty, and a notice says so.

    Raises:
        HostConfigError: its values are encrypted, or taken to be: IsEncrypted is not false. Or a port cannot be one.
    """
    path = _find(folder)
    if path is None:
        return LocalSettings()
    try:
        document = read_json_object(path)
        root = document.root
        is_encrypted = _boolean(root, "IsEncrypted", default=True)
        settings = dict(_values(root)) | dict(_connection_strings(root))
        host = _host(root)
    except (ValueError, OSError) as error:
        return LocalSettings(notices=(f"{FILE}: {path} is ignored, all of it: {error}",))
    if is_encrypted and any(settings.values()):
        state = "true" if "IsEncrypted" in root else "missing, which counts as true"
        raise HostConfigError(
            f"{FILE}: IsEncrypted is {state}, so the values of {path} count as encrypted, which cannot be undone here. "
            'Write "IsEncrypted": false.'
        )
    variables, notices = _choose(settings, environment)
    repeated = (f"{FILE}: {key} stands twice; the last one counts." for key in document.repeated)
    return LocalSettings(variables=variables, host=host, notices=(*repeated, *notices))


def _find(folder: Path) -> Path | None:
    folder = folder.resolve()
    for place in (folder, *folder.parents):
        if (place / FILE).is_file():
            return place / FILE
        if (place / HOST_JSON).is_file():
            return None
    return None


def _choose(settings: Mapping[str, str | None], environment: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """What is set, and why the rest is not. Names are compared as configuration will, so that none is there twice."""
    present = Configuration.from_environment({name: value for name, value in environment.items() if value})
    variables: dict[str, str] = {}
    notices: list[str] = []
    for name, value in settings.items():
        if not name:
            notices.append(f"{FILE}: Skipping local setting with empty key.")
        elif present.get(name.replace("__", ":")) is not None:
            reason = "it's already defined in current environment variables"
            notices.append(f"{FILE}: Skipping '{name}' from local settings as {reason}.")
        elif value is None:
            notices.append(f"{FILE}: Skipping '{name}' because value is null")
        elif name == ENVIRONMENT:
            notices.append(f"{FILE}: {name} is '{value}' there, overriding to 'Development'.")
        else:
            variables[name] = value
    return variables, notices


def _values(root: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    for name, value in _mapping(root, "Values").items():
        if isinstance(value, dict | list):
            raise ValueError(f"Values.{name} is not a text; write nested settings as {name}__inner.")
        yield name, None if value is None else setting_text(value)


def _connection_strings(root: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    for name, value in _mapping(root, "ConnectionStrings").items():
        text = value.get("ConnectionString") if isinstance(value, dict) else value
        if not isinstance(text, str | None) or value is None:
            raise ValueError(f"ConnectionStrings.{name} is neither a text nor an object with a ConnectionString.")
        yield f"ConnectionStrings:{name}", text


def _host(root: Mapping[str, Any]) -> HostSection:
    section = {key.lower(): value for key, value in _mapping(root, "Host").items()}
    port = section.get("localhttpport") or 0
    try:
        number = int(port)
    except (TypeError, ValueError):
        raise ValueError(f"Host.LocalHttpPort is {port!r}, which is no number.") from None
    if not 0 <= number <= 65535:
        raise HostConfigError(f"{FILE}: Host.LocalHttpPort is {number}; it must be from 1 to 65535.")
    address, cors = (section.get(key) or "" for key in ("localhttpaddress", "cors"))
    if not isinstance(address, str) or not isinstance(cors, str):
        raise ValueError("Host.LocalHttpAddress and Host.CORS must be texts.")
    return HostSection(
        port=number or None,
        address=address or None,
        cors=tuple(origin for origin in map(str.strip, cors.split(",")) if origin),
        cors_credentials=_boolean(section, "corscredentials", default=False),
    )


def _mapping(root: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = root.get(key)
    if not isinstance(value, dict | None):
        raise ValueError(f"{key} is not an object.")
    return value or {}


def _boolean(root: Mapping[str, Any], key: str, *, default: bool) -> bool:
    value = root.get(key)
    if value is None:
        return default
    if isinstance(value, bool | int):
        return bool(value)
    if isinstance(value, str) and value.strip().lower() in {"true", "false"}:
        return value.strip().lower() == "true"
    raise ValueError(f"{key} is neither true nor false.")
