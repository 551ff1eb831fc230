"""Whom the host signs in as. The choice and the errors were measured on Microsoft's own queue extension."""

from typing import TYPE_CHECKING

import pytest
from azure.identity import aio

from devhost.settings.identity import Identity, choose_identity, open_credential

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential

NO_VARIABLES: dict[str, str] = {}
SECRET = {"tenantId": "t", "clientId": "c", "clientSecret": "s"}


def choose(**section: str) -> Identity:
    return choose_identity(section, NO_VARIABLES.get)


@pytest.mark.parametrize(
    ("section", "kind", "values"),
    [
        ({}, "default", {}),
        ({"credential": "azurecli"}, "default", {}),
        ({"clientId": "c"}, "default", {"clientId": "c"}),
        ({"tenantId": " ", "clientId": "c", "clientSecret": "s"}, "default", {"clientId": "c"}),
        ({"clientId": "c", "clientSecret": "s"}, "default", {"clientId": "c"}),
        ({"managedIdentityResourceId": "r"}, "default", {"managedIdentityResourceId": "r"}),
        ({"credential": "managedidentity"}, "managed", {}),
        ({"CREDENTIAL": "ManagedIdentity", "CLIENTID": "c"}, "managed", {"clientId": "c"}),
        (
            {"credential": "managedidentity", "managedIdentityObjectId": "o"},
            "managed",
            {"managedIdentityObjectId": "o"},
        ),
        ({**SECRET, "credential": "managedidentity"}, "managed", {"clientId": "c"}),
        (SECRET, "secret", SECRET),
    ],
)
def test_identity_asked_for_is_chosen(section: dict[str, str], kind: str, values: dict[str, str]) -> None:
    assert choose(**section) == Identity(kind=kind, values=values)


def test_identity_of_a_workload_is_completed_by_its_machines_variables() -> None:
    variables = {"AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "other", "AZURE_FEDERATED_TOKEN_FILE": "/f"}
    identity = choose_identity({"credential": "workloadidentity", "clientId": "c"}, variables.get)
    assert identity == Identity(kind="workload", values={"tenantId": "t", "clientId": "c", "tokenFilePath": "/f"})


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (
            {"credential": "managedidentity", "clientId": "c", "managedIdentityResourceId": "r"},
            "Only one of ['clientId', ",
        ),
        (
            {"credential": "managedidentityasfederatedidentity", "clientId": "c"},
            "A clientId and exactly one of ['managed",
        ),
        (
            {"credential": "managedidentityasfederatedidentity", "clientId": "c", "managedIdentityClientId": "m"},
            "For managed identity as a federated identity credential, 'tenantId', 'clientId', 'azureCloud', and one of",
        ),
        (
            {
                "credential": "managedidentityasfederatedidentity",
                "tenantId": "t",
                "clientId": "c",
                "managedIdentityClientId": "m",
                "azureCloud": "mars",
            },
            "Unknown Azure cloud: mars (Parameter 'azureCloud')",
        ),
        ({"credential": "workloadidentity"}, "For workload identity, 'tenantId', 'clientId', and 'tokenFilePath' must"),
        ({"tenantId": "t t", "clientId": "c", "clientSecret": "s"}, "Invalid tenant id provided."),
        (
            {"tenantId": "t", "clientId": "c", "clientCertificate": "AB"},
            "Unable to find a certificate with thumbprint 'AB'",
        ),
        ({"managedIdentityObjectId": "o"}, "'managedIdentityObjectId' is only supported when the credential type is"),
        ({"clientId": "c", "managedIdentityResourceId": "r"}, "DefaultAzureCredentialOptions cannot specify both"),
    ],
)
def test_identity_contradictory_or_incomplete_is_refused(section: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError) as refused:
        choose(**section)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("identity", "credential_type"),
    [
        (Identity(kind="default"), aio.DefaultAzureCredential),
        (Identity(kind="default", values={"tenantId": "t", "clientId": "c"}), aio.DefaultAzureCredential),
        (Identity(kind="default", values={"managedIdentityResourceId": "/r"}), aio.ChainedTokenCredential),
        (Identity(kind="managed"), aio.ManagedIdentityCredential),
        (Identity(kind="managed", values={"managedIdentityObjectId": "o"}), aio.ManagedIdentityCredential),
        (Identity(kind="secret", values=SECRET), aio.ClientSecretCredential),
        (
            Identity(kind="workload", values={"tenantId": "t", "clientId": "c", "tokenFilePath": "/f"}),
            aio.WorkloadIdentityCredential,
        ),
        (
            Identity(
                kind="federated",
                values={"tenantId": "t", "clientId": "c", "azureCloud": "public", "managedIdentityClientId": "m"},
            ),
            aio.ClientAssertionCredential,
        ),
    ],
)
async def test_credential_of_an_identity_opens_and_closes(
    identity: Identity, credential_type: "type[AsyncTokenCredential]"
) -> None:
    credential = open_credential(identity)
    assert isinstance(credential, credential_type)
    await credential.close()


def test_identity_shown_hides_its_secret() -> None:
    assert "clientSecret" not in repr(choose(**SECRET))
