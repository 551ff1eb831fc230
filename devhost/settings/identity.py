"""Who the host signs in as where a connection names no key.

Source: Microsoft.Extensions.Azure, ClientFactory.CreateCredential; the errors were measured.
"""

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from devhost.dotnet.trim import trim

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential

TENANT_CHARACTERS = frozenset(string.ascii_letters + string.digits + "-.")
MANAGED_IDS = ("managedIdentityClientId", "managedIdentityResourceId", "managedIdentityObjectId")
EXCHANGE_SCOPES = {
    "public": "api://AzureADTokenExchange/.default",
    "usgov": "api://AzureADTokenExchangeUSGov/.default",
    "china": "api://AzureADTokenExchangeChina/.default",
}


@dataclass(frozen=True, kw_only=True)
class Identity:
    """A kind of credential (`default`, `managed`, `workload`, `federated`, `secret`) and what it needs."""

    kind: str
    values: Mapping[str, str] = field(default_factory=dict, repr=False)


def choose_identity(section: Mapping[str, str], environment: Callable[[str], str | None]) -> Identity:
    """The identity that a connection's section asks for. Keys ignore case, blank values count as absent.

    `environment` gives the variables by which a workload identity is known to its machine.

    Raises:
        ValueError: the section contradicts itself or lacks something. The text is the real host's.
    """
    folded = {key.lower(): value for key, value in section.items()}

    def given(*keys: str) -> dict[str, str]:
        return {key: folded[key.lower()] for key in keys if trim(folded.get(key.lower(), ""))}

    asked = folded.get("credential", "").lower()
    if asked == "managedidentity":
        return Identity(kind="managed", values=_at_most_one(given("clientId", *MANAGED_IDS)))
    if asked == "workloadidentity":
        return _workload(given("tenantId", "clientId", "tokenFilePath"), environment)
    if asked == "managedidentityasfederatedidentity":
        return _federated(given("tenantId", "clientId", "azureCloud"), given(*MANAGED_IDS))
    principal = given("tenantId", "clientId")
    if len(principal) == 2:
        if secret := given("clientSecret"):
            return Identity(kind="secret", values=_tenant_checked(principal | secret))
        if certificate := given("clientCertificate"):
            thumbprint = certificate["clientCertificate"]
            raise ValueError(f"Unable to find a certificate with thumbprint '{thumbprint}'")  # no store of Windows here
    return _default(given("tenantId", "clientId", *MANAGED_IDS))


def open_credential(identity: Identity) -> "AsyncTokenCredential":
    """A new credential of this identity, for the caller to close."""
    from azure.identity import aio  # here: only apps with such connections pay for it

    values = identity.values
    if identity.kind == "managed":
        return _managed(values)
    if identity.kind == "workload":
        return aio.WorkloadIdentityCredential(
            tenant_id=values["tenantId"], client_id=values["clientId"], token_file_path=values["tokenFilePath"]
        )
    if identity.kind == "federated":
        return _federated_credential(values)
    if identity.kind == "secret":
        return aio.ClientSecretCredential(values["tenantId"], values["clientId"], values["clientSecret"])
    if resource := values.get("managedIdentityResourceId"):
        managed = _managed({"managedIdentityResourceId": resource})
        return aio.ChainedTokenCredential(managed, aio.DefaultAzureCredential(exclude_managed_identity_credential=True))
    hints = {
        "managed_identity_client_id": _client_id(values),
        "workload_identity_tenant_id": values.get("tenantId"),
    }
    return aio.DefaultAzureCredential(**{name: value for name, value in hints.items() if value})


def _at_most_one(ids: dict[str, str]) -> dict[str, str]:
    if len(ids) > 1:
        raise ValueError(
            "Only one of ['clientId', 'managedIdentityClientId', 'managedIdentityResourceId', or "
            "'managedIdentityObjectId'] can be specified for managed identity."
        )
    return ids


def _workload(values: dict[str, str], environment: Callable[[str], str | None]) -> Identity:
    variables = {
        "tenantId": "AZURE_TENANT_ID",
        "clientId": "AZURE_CLIENT_ID",
        "tokenFilePath": "AZURE_FEDERATED_TOKEN_FILE",
    }
    complete = {key: values.get(key) or environment(variable) or "" for key, variable in variables.items()}
    if not all(map(trim, complete.values())):
        raise ValueError(
            "For workload identity, 'tenantId', 'clientId', and 'tokenFilePath' must be specified "
            "via the configuration."
        )
    return Identity(kind="workload", values=_tenant_checked(complete))


def _federated(values: dict[str, str], ids: dict[str, str]) -> Identity:
    names = "['managedIdentityClientId', 'managedIdentityResourceId', or 'managedIdentityObjectId']"
    if len(ids) > 1:
        raise ValueError(f"Only one of {names} can be specified for managed identity.")
    if not ids:
        raise ValueError(f"A clientId and exactly one of {names} must be specified for federated managed identity.")
    if len(values) < 3:
        raise ValueError(
            "For managed identity as a federated identity credential, 'tenantId', 'clientId', 'azureCloud', and one of "
            f"{names.replace('or ', '')} must be specified via the configuration."
        )
    if values["azureCloud"] not in EXCHANGE_SCOPES:
        raise ValueError(f"Unknown Azure cloud: {values['azureCloud']} (Parameter 'azureCloud')")
    return Identity(kind="federated", values=_tenant_checked(values | ids))


def _default(values: dict[str, str]) -> Identity:
    if "managedIdentityObjectId" in values:
        raise ValueError("'managedIdentityObjectId' is only supported when the credential type is 'managedidentity'.")
    if "managedIdentityResourceId" in values and values.keys() & {"clientId", "managedIdentityClientId"}:
        raise ValueError(
            "DefaultAzureCredentialOptions cannot specify both ManagedIdentityResourceId and ManagedIdentityClientId."
        )
    return Identity(kind="default", values=_tenant_checked(values))


def _tenant_checked(values: dict[str, str]) -> dict[str, str]:
    if not TENANT_CHARACTERS.issuperset(values.get("tenantId", "")):
        raise ValueError(
            "Invalid tenant id provided. You can locate your tenant id by following the instructions listed here: "
            "https://learn.microsoft.com/partner-center/find-ids-and-domain-names (Parameter 'tenantId')"
        )
    return values


def _managed(ids: Mapping[str, str]) -> "AsyncTokenCredential":
    from azure.identity.aio import ManagedIdentityCredential

    return ManagedIdentityCredential(client_id=_client_id(ids), identity_config=_other_id(ids))


def _client_id(ids: Mapping[str, str]) -> str | None:
    return ids.get("managedIdentityClientId", ids.get("clientId"))


def _other_id(ids: Mapping[str, str]) -> dict[str, str] | None:
    kinds = {"managedIdentityResourceId": "resource_id", "managedIdentityObjectId": "object_id"}
    return {kinds[key]: value for key, value in ids.items() if key in kinds} or None


def _federated_credential(values: Mapping[str, str]) -> "AsyncTokenCredential":
    from azure.identity import ManagedIdentityCredential  # the assertion is asked for synchronously
    from azure.identity.aio import ClientAssertionCredential

    managed = ManagedIdentityCredential(
        client_id=values.get("managedIdentityClientId"), identity_config=_other_id(values)
    )
    scope = EXCHANGE_SCOPES[values["azureCloud"]]
    return ClientAssertionCredential(values["tenantId"], values["clientId"], lambda: managed.get_token(scope).token)
