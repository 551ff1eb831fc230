"""Which storage account a connection name stands for, and with which credential.

Source: WebJobsConfigurationExtensions.cs and StorageClientProvider.cs of the storage extensions, ClientFactory.cs of
Microsoft.Extensions.Azure; measured on Microsoft's own queue extension.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qs, urlsplit

from devhost.dotnet.trim import trim
from devhost.dotnet.uri import Uri, escape_query, parse_uri
from devhost.errors import FunctionError
from devhost.settings.configuration import Configuration
from devhost.settings.connection_string import DEFAULT_SUFFIX, StorageAddress, is_base64, parse_connection_string
from devhost.settings.identity import Identity, choose_identity, open_credential

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential

Service = Literal["queue", "blob"]

DEFAULT_NAME = "Storage"  # that is, AzureWebJobsStorage
PREFIX = "AzureWebJobs"


@dataclass(frozen=True, kw_only=True)
class Connection:
    """One storage service of one account: what `QueueServiceClient(url, credential=…)` and its blob twin want.

    `url` carries the SAS where that is the credential. Else there is a key, an identity, or (public blobs) neither.
    """

    name: str
    service: Service
    url: str = field(repr=False)
    account_name: str | None = None
    account_key: str | None = field(default=None, repr=False)
    identity: Identity | None = None


def resolve_connection(configuration: Configuration, name: str | None, service: Service = "queue") -> Connection:
    """The account that the name stands for. No name means `AzureWebJobsStorage`; `%X%` in it is replaced by a setting.

    Raises:
        FunctionError: nothing usable is set. It holds the real host's text, and no secret.
    """
    name = configuration.expand(name or "")
    if not trim(name):
        name = DEFAULT_NAME
    section = _section(configuration, name)
    try:
        return _connect(configuration, name, section, service)
    except ValueError as error:
        raise FunctionError(f"{error} (connection '{name}', {_described(configuration, section)})") from error


def sdk_credential(connection: Connection) -> "dict[str, str] | AsyncTokenCredential | None":
    """What the SDK's clients take as credential; None where the URL says it all.

    A token credential is new each time, and for the caller to close.
    """
    if connection.account_key is not None:
        return {"account_name": connection.account_name or "", "account_key": connection.account_key}
    return open_credential(connection.identity) if connection.identity else None


def _section(configuration: Configuration, name: str) -> str:
    """The first place that has a value or anything below it: the prefixed name comes before the bare one."""
    for candidate in (f"{PREFIX}{name}", name):
        for place in (f"ConnectionStrings:{candidate}", candidate):
            if configuration.exists(place):
                return place
    raise FunctionError(
        f"Storage account connection string '{PREFIX}{name}' does not exist. "
        f"Make sure that it is a defined App Setting. (Nor does '{name}': set one of the two, or {name}__accountName, "
        "in the environment or under Values in local.settings.json.)"
    )


def _connect(configuration: Configuration, name: str, section: str, service: Service) -> Connection:
    below = configuration.children(section)
    keys = {key.lower(): value for key, value in below.items()}
    identity = choose_identity(below, configuration.get)  # first, so what is wrong there counts even with a string
    text = configuration.get(section)
    if text is None and (uri := _service_uri(keys, service)):
        return Connection(name=name, service=service, url=_https(uri), identity=identity)
    if text is None and "serviceuri" in keys:
        return _by_service_uri(name, service, keys, identity)
    text = text or (None if text == "" else keys.get("connectionstring"))
    if text is None:
        raise ValueError(
            f"Unable to find matching constructor while trying to create an instance of {service.title()}ServiceClient."
        )
    if not text:
        raise ValueError("Value cannot be null. (Parameter 'connectionString')")
    return _by_address(name, service, parse_connection_string(text, service))


def _service_uri(keys: Mapping[str, str], service: Service) -> Uri | None:
    """The address by `queueServiceUri`, else by `accountName`. One that cannot be read is passed over."""
    text = keys.get(f"{service}serviceuri") or ""
    account = keys.get("accountname") or ""
    if not text and not account:
        return None
    try:
        return parse_uri(text or f"https://{account}.{service}.{DEFAULT_SUFFIX}")
    except ValueError:
        return None


def _by_service_uri(name: str, service: Service, keys: Mapping[str, str], identity: Identity) -> Connection:
    """`serviceUri`, which goes with a key or a SAS below `credential` too."""
    uri = parse_uri(keys["serviceuri"])
    account, key = keys.get("credential:accountname"), keys.get("credential:accountkey")
    if account is not None and key is not None:
        if not is_base64(key):
            raise ValueError(
                "The input is not a valid Base-64 string as it contains a non-base 64 character, more than two padding "
                "characters, or an illegal character among the padding characters."
            )
        return _by_address(name, service, StorageAddress(url=str(uri), account_name=account, account_key=key))
    signature = keys.get("credential:signature")
    if signature is not None:
        query = "&".join(filter(None, (uri.query, escape_query(signature.removeprefix("?")))))
        url = str(uri).partition("?")[0]
        return _by_address(name, service, StorageAddress(url=f"{url}?{query}"))
    return Connection(name=name, service=service, url=_https(uri), identity=identity)


def _by_address(name: str, service: Service, address: StorageAddress) -> Connection:
    if service == "queue" and address.account_key is None and "sig" not in parse_qs(urlsplit(address.url).query):
        # The real host asks without, is told 401 and ends. The SDK here does not even ask.
        raise ValueError("There is neither AccountKey nor SharedAccessSignature, and no queue can be read anonymously.")
    return Connection(
        name=name,
        service=service,
        url=address.url,
        account_name=address.account_name,
        account_key=address.account_key,
    )


def _https(uri: Uri) -> str:
    if uri.scheme != "https":
        raise ValueError("Cannot use TokenCredential without HTTPS.")
    return str(uri)


def _described(configuration: Configuration, section: str) -> str:
    if configuration.get(section) is not None:
        return f"setting {section}"
    names = ", ".join(f"{section}:{key}".replace(":", "__") for key in configuration.children(section))
    return f"settings {names}"
