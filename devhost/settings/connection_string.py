"""A storage connection string, read as the .NET storage client reads it.

Source: Azure.Storage.Common, StorageConnectionString.cs; every rule was measured on Microsoft's own queue extension.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from devhost.dotnet.uri import Uri, escape_query, is_dns_name, is_well_formed, parse_uri

EMULATOR_ACCOUNT = "devstoreaccount1"
EMULATOR_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
EMULATOR_PORTS = {"blob": "10000", "queue": "10001", "table": "10002"}
EMULATOR_HOST = "http://127.0.0.1"
DEFAULT_SUFFIX = "core.windows.net"

SERVICES = ("blob", "queue", "file", "table")
PRIMARY = {f"{service}endpoint" for service in SERVICES}
SECONDARY = {f"{service}secondaryendpoint" for service in SERVICES}

NO_COMBINATION = "No valid combination of account information found."

_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


@dataclass(frozen=True, kw_only=True)
class StorageAddress:
    """One service of an account. The URL carries the SAS if there is one; then, and for anonymous access, no key."""

    url: str = field(repr=False)
    account_name: str | None = None
    account_key: str | None = field(default=None, repr=False)


def parse_connection_string(text: str, service: str) -> StorageAddress:
    """The address of one service (`blob`, `queue`, `file`, `table`) of the account.

    Names ignore case; white space counts, in names and values alike.

    Raises:
        ValueError: the text means no account, or not this service of it. The message is .NET's and holds no secret.
    """
    settings = _split(text)
    if "usedevelopmentstorage" in settings:
        return _emulator(settings, service)
    if not all(_is_valid(name, value) for name, value in settings.items()):
        raise ValueError(NO_COMBINATION)
    is_automatic = _is_automatic(settings)
    if not is_automatic and not _is_explicit(settings):
        raise ValueError(NO_COMBINATION)
    if any(name in settings and name.replace("secondary", "") not in settings for name in SECONDARY):
        raise ValueError(NO_COMBINATION)
    urls = {name: _url(settings, name, is_automatic=is_automatic) for name in SERVICES}
    url = urls[service]
    if url is None:
        # What .NET has to say; the endpoint of this service is not in the text.
        raise ValueError("Object reference not set to an instance of an object.")
    return StorageAddress(
        url=url,
        account_name=settings.get("accountname"),
        account_key=_without_space(settings["accountkey"]) if "accountkey" in settings else None,
    )


def is_base64(text: str) -> bool:
    """Whether `Convert.FromBase64String` takes it: white space is skipped, padding is strict."""
    return _BASE64.fullmatch(_without_space(text)) is not None


def _without_space(text: str) -> str:
    return re.sub(r"[ \t\r\n]", "", text)


def _split(text: str) -> dict[str, str]:
    settings: dict[str, str] = {}
    for part in filter(None, text.split(";")):
        name, equals, value = part.partition("=")
        if not equals:
            raise ValueError('Settings must be of the form "name=value".')
        if name.lower() in settings:
            raise ValueError(f"Duplicate setting '{name}' found.")
        settings[name.lower()] = value
    return settings


def _emulator(settings: Mapping[str, str], service: str) -> StorageAddress:
    proxy = settings.get("developmentstorageproxyuri", EMULATOR_HOST)
    known = settings.keys() <= {"usedevelopmentstorage", "developmentstorageproxyuri"}
    if not known or settings["usedevelopmentstorage"].lower() != "true" or not is_well_formed(proxy):
        raise ValueError(NO_COMBINATION)
    host = _web_uri(proxy)
    return StorageAddress(
        url=f"{host.scheme}://{host.host}:{EMULATOR_PORTS[service]}/{EMULATOR_ACCOUNT}",
        account_name=EMULATOR_ACCOUNT,
        account_key=EMULATOR_KEY,
    )


def _is_valid(name: str, value: str) -> bool:
    if name in PRIMARY | SECONDARY:
        return is_well_formed(value)
    if name == "accountkey":
        return is_base64(value)
    if name == "defaultendpointsprotocol":
        return value.lower() in {"http", "https"}
    if name == "endpointsuffix":
        return is_dns_name(value)
    return name in {"accountname", "accountkeyname", "sharedaccesssignature"}


def _is_automatic(settings: Mapping[str, str]) -> bool:
    """Name and one credential: endpoints can be derived."""
    if "accountname" not in settings:
        return False
    if "sharedaccesssignature" in settings:
        return not settings.keys() & {"accountkey", "accountkeyname"}
    return "accountkey" in settings


def _is_explicit(settings: Mapping[str, str]) -> bool:
    """A SAS or nothing, and at least one endpoint."""
    credentials = settings.keys() - PRIMARY - SECONDARY
    return bool(settings.keys() & PRIMARY) and credentials <= {"sharedaccesssignature"}


def _url(settings: Mapping[str, str], service: str, *, is_automatic: bool) -> str | None:
    signature = settings.get("sharedaccesssignature", "").removeprefix("?")
    endpoint = settings.get(f"{service}endpoint")
    if endpoint is None:
        if not is_automatic:
            return None
        endpoint = _derived_endpoint(settings, service)
    uri = _web_uri(endpoint)
    query = "&".join(filter(None, (uri.query, escape_query(signature))))
    return str(uri).partition("?")[0] + (f"?{query}" if query else "")


def _web_uri(text: str) -> Uri:
    uri = parse_uri(text)
    if not uri.is_web:
        raise ValueError(f"The '{uri.scheme}' scheme is not supported.")
    return uri


def _derived_endpoint(settings: Mapping[str, str], service: str) -> str:
    name = settings["accountname"]
    if not name:
        raise ValueError("Value cannot be null. (Parameter 'accountName')")
    if ":" in name:
        raise ValueError("Invalid URI: The hostname could not be parsed.")
    protocol = settings.get("defaultendpointsprotocol", "https")
    return f"{protocol}://{name}.{service}.{settings.get('endpointsuffix', DEFAULT_SUFFIX)}"
