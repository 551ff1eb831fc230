"""Which storage account a connection name stands for, and with which credential."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from devhost.configuration import Configuration

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential

Service = Literal["queue", "blob"]


@dataclass(frozen=True, kw_only=True)
class Connection:
    """One storage service of one account, as `QueueServiceClient(url, credential=…)` and its blob twin want it.

    `url` carries the SAS where that is the credential. `connection_string` is the text it came from, if it came from one.
    """

    name: str
    service: Service
    url: str = field(repr=False)
    connection_string: str | None = field(default=None, repr=False)
    account_name: str | None = None
    account_key: str | None = field(default=None, repr=False)
    identity: "dict[str, str] | None" = field(default=None, repr=False)


def resolve_connection(
    configuration: Configuration, name: str | None, service: Service = "queue"
) -> Connection:
    """The account that the name stands for; no name means `AzureWebJobsStorage`.

    Raises:
        FunctionError: nothing usable is set; the text is the real host's.
    """
    raise NotImplementedError


def sdk_credential(connection: Connection) -> "dict[str, str] | AsyncTokenCredential | None":
    """A new credential for the SDK client; a token credential is for the caller to close."""
    raise NotImplementedError
