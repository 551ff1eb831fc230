"""Where an account is and how to sign in, from settings named as the Functions platform names them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from shared.domain.errors import SettingsError
from shared.domain.vault_reference import check_resolved

Service = Literal["queue", "table", "blob"]
SERVICES: tuple[Service, ...] = ("queue", "table", "blob")

_EMULATOR_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The emulator's published key (https://learn.microsoft.com/azure/storage/common/storage-use-azurite): no secret."""


@dataclass(frozen=True, kw_only=True)
class StorageConnections:
    """One account: a connection string, or the address of each service and an identity (`client_id` may be empty)."""

    name: str
    connection_string: str = field(default="", repr=False)
    urls: Mapping[Service, str] = field(default_factory=dict)
    client_id: str = ""

    @classmethod
    def resolve(cls, environment: Mapping[str, str], name: str) -> "StorageConnections":
        """The account that the settings of a connection name describe.

        The first that exists wins: `ConnectionStrings:AzureWebJobs<name>`, `AzureWebJobs<name>`,
        `ConnectionStrings:<name>`, `<name>`; a direct value beats `<name>__…`. Names are the same in any case.

        Raises:
            SettingsError: no such settings, or they name no account.
        """
        settings = {key.replace("__", ":").lower(): value for key, value in environment.items()}
        for section in _sections(name):
            if section in settings:
                return cls(name=name, connection_string=_checked(name, settings[section]))
            prefix = f"{section}:"
            children = {key.removeprefix(prefix): value for key, value in settings.items() if key.startswith(prefix)}
            if "connectionstring" in children and not children.keys() & {"queueserviceuri", "serviceuri"}:
                return cls(name=name, connection_string=_checked(name, children["connectionstring"]))
            if children:
                return cls(name=name, urls=_urls(name, children), client_id=children.get("clientid", ""))
        raise SettingsError(f"{name} is not set: give it a connection string, or {name}__queueServiceUri and its like")

    @property
    def missing(self) -> tuple[Service, ...]:
        """The services whose address is not known."""
        return () if self.connection_string else tuple(each for each in SERVICES if each not in self.urls)

    def url(self, service: Service) -> str:
        """The address of one service of an account that is reached by identity."""
        try:
            return self.urls[service]
        except KeyError:
            raise SettingsError(f"{self.name}__{service}ServiceUri is not set") from None


def _sections(name: str) -> tuple[str, ...]:
    bare, prefixed = name.lower(), f"azurewebjobs{name.lower()}"
    return (f"connectionstrings:{prefixed}", prefixed, f"connectionstrings:{bare}", bare)


def _urls(name: str, children: Mapping[str, str]) -> dict[Service, str]:
    account = children.get("accountname", "")
    urls = {
        service: children.get(f"{service}serviceuri")
        or (f"https://{account}.{service}.core.windows.net" if account else "")
        for service in SERVICES
    }
    # For a queue trigger the platform takes the general name too.
    urls["queue"] = children.get("queueserviceuri") or children.get("serviceuri") or urls["queue"]
    if not urls["queue"]:
        raise SettingsError(f"{name}__queueServiceUri (or {name}__accountName) is not set")
    for service, url in urls.items():
        if url and not url.startswith(("https://", "http://")):
            raise SettingsError(f"{name}__{service}ServiceUri must be an address of the form https://…")
    return {service: url for service, url in urls.items() if url}


def _checked(name: str, text: str) -> str:
    """The connection string with the emulator's short form written out, since not every SDK knows it."""
    check_resolved(name, text)
    parts = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        key, equals, value = part.partition("=")
        if not equals:
            raise SettingsError(f"{name} is not a connection string: its parts must be of the form name=value")
        parts[key.strip().lower()] = value.strip()
    if parts.get("usedevelopmentstorage", "").lower() == "true":
        return _emulator(parts.get("developmentstorageproxyuri", "http://127.0.0.1").rstrip("/"))
    if not parts:
        raise SettingsError(f"{name} is empty: give it a connection string")
    return text


def _emulator(host: str) -> str:
    ports = {"Blob": 10000, "Queue": 10001, "Table": 10002}
    endpoints = "".join(f"{service}Endpoint={host}:{port}/devstoreaccount1;" for service, port in ports.items())
    return f"DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={_EMULATOR_KEY};{endpoints}"
