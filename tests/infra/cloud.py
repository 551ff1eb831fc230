"""What Azure would answer of a resource that both templates only refer to: made up, but of the right form."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
TENANT = "44444444-4444-4444-8444-444444444444"
SECRET = "a-secret-made-by-the-deployment-alone"
"""What stands for each value that a deployment draws."""
STORAGE_SUFFIX = "core.windows.net"
VAULT_SUFFIX = "vault.azure.net"
LOGIN = "https://login.microsoftonline.com/"


def properties(kind: str, name: str) -> Mapping[str, Any]:
    """What is known of a resource of an ARM type once it is there."""
    return _PROPERTIES[kind](name)


def group_id(name: str) -> str:
    """The id of a resource group."""
    return f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{name}"


def made_id(*parts: str) -> str:
    """An id that Azure draws; the same for the same parts."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, "/".join(parts)))


def _account(name: str) -> Mapping[str, Any]:
    return {
        "primaryEndpoints": {each: f"https://{name}.{each}.{STORAGE_SUFFIX}/" for each in ("blob", "queue", "table")}
    }


def _identity(name: str) -> Mapping[str, Any]:
    return {each: made_id(each, name) for each in ("clientId", "principalId")}


def _insights(name: str) -> Mapping[str, Any]:
    place = "https://westeurope-1.in.applicationinsights.azure.com/"
    return {"ConnectionString": f"InstrumentationKey={made_id('insights', name)};IngestionEndpoint={place}"}


_PROPERTIES: Mapping[str, Callable[[str], Mapping[str, Any]]] = {
    "Microsoft.Insights/components": _insights,
    "Microsoft.KeyVault/vaults": lambda name: {"vaultUri": f"https://{name}.{VAULT_SUFFIX}/"},
    "Microsoft.ManagedIdentity/userAssignedIdentities": _identity,
    "Microsoft.Storage/storageAccounts": _account,
    "Microsoft.Web/sites": lambda name: {"defaultHostName": f"{name}.azurewebsites.net"},
}
