"""Which account a connection name stands for: what was recorded, and more that was measured the same way."""

import json
from pathlib import Path
from typing import Any, Literal

import pytest
from azure.storage.blob.aio import BlobServiceClient
from azure.storage.queue.aio import QueueServiceClient

from devhost.errors import FunctionError
from devhost.settings.configuration import Configuration
from devhost.settings.connections import Connection, resolve_connection, sdk_credential

ROWS = json.loads((Path(__file__).parents[2] / "data" / "connections.json").read_text())
HTTP = "DefaultEndpointsProtocol=http;AccountKey=a2V5;AccountName="
NO_CONSTRUCTOR = "Unable to find matching constructor while trying to create an instance of QueueServiceClient."


def resolve(name: str | None, settings: dict[str, str], service: Literal["queue", "blob"] = "queue") -> Connection:
    return resolve_connection(Configuration.from_environment(settings), name, service)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["note"])
def test_connection_recorded_comes_out_equal(row: dict[str, Any]) -> None:
    if row["error"] is None:
        assert resolve(row["connection"], row["settings"]).url == row["uri"]
        return
    with pytest.raises(FunctionError) as refused:
        resolve(row["connection"], row["settings"])
    assert row["error"] in str(refused.value)
    assert "FixItStorage" in str(refused.value)


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({"FIXITSTORAGE": f"{HTTP}a"}, "http://a.queue.core.windows.net/"),
        ({"azurewebjobsfixitstorage": f"{HTTP}a", "FixItStorage": f"{HTTP}b"}, "http://a.queue.core.windows.net/"),
        (
            {"AzureWebJobsFixItStorage__accountName": "a", "FixItStorage": f"{HTTP}b"},
            "https://a.queue.core.windows.net/",
        ),
        (
            {"FixItStorage__accountName": "a", "ConnectionStrings__FixItStorage": f"{HTTP}c"},
            "http://c.queue.core.windows.net/",
        ),
        (
            {"AzureWebJobsFixItStorage": f"{HTTP}p", "ConnectionStrings__AzureWebJobsFixItStorage": f"{HTTP}c"},
            "http://c.queue.core.windows.net/",
        ),
        (
            {"AzureWebJobsFixItStorage": f"{HTTP}p", "ConnectionStrings__FixItStorage": f"{HTTP}c"},
            "http://p.queue.core.windows.net/",
        ),
        ({"CUSTOMCONNSTR_FixItStorage": f"{HTTP}c"}, "http://c.queue.core.windows.net/"),
        ({"ConnectionStrings:FixItStorage": f"{HTTP}c"}, "http://c.queue.core.windows.net/"),
        ({"FixItStorage__queueServiceUri": "", "FixItStorage__accountName": "a"}, "https://a.queue.core.windows.net/"),
        ({"FixItStorage__queueServiceUri": "no uri", "FixItStorage__serviceUri": "https://s"}, "https://s/"),
        ({"FixItStorage__queueServiceUri": "https://q", "FixItStorage__serviceUri": "https://s"}, "https://q/"),
        (
            {"FixItStorage__accountName": "a", "FixItStorage__serviceUri": "https://s"},
            "https://a.queue.core.windows.net/",
        ),
        (
            {"FixItStorage__accountName": "a", "FixItStorage__connectionString": "x"},
            "https://a.queue.core.windows.net/",
        ),
        ({"FixItStorage__serviceUri": "https://s", "FixItStorage__connectionString": "x"}, "https://s/"),
        ({"FixItStorage__ACCOUNTNAME": "ACCT"}, "https://acct.queue.core.windows.net/"),
        ({"FixItStorage__queueServiceUri": " HTTPS://H:443/x/../y "}, "https://h/y"),
        (
            {"FixItStorage__serviceUri": "http://s", "FixItStorage__credential__signature": "?sv=1&sig=x"},
            "http://s/?sv=1&sig=x",
        ),
    ],
)
def test_connection_by_other_settings_resolves(settings: dict[str, str], url: str) -> None:
    assert resolve("FixItStorage", settings).url == url


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"AzureWebJobsFixItStorage": "", "FixItStorage": f"{HTTP}b"}, NO_CONSTRUCTOR),
        ({"AzureWebJobsFixItStorage": " ", "FixItStorage": f"{HTTP}b"}, 'Settings must be of the form "name=value".'),
        ({"FixItStorage": "", "FixItStorage__queueServiceUri": "https://q"}, NO_CONSTRUCTOR),
        ({"FixItStorage__queueServiceUri": ""}, NO_CONSTRUCTOR),
        ({"FixItStorage__queueServiceUri": "no uri", "FixItStorage__accountName": "a"}, NO_CONSTRUCTOR),
        ({"FixItStorage__accountName": ""}, NO_CONSTRUCTOR),
        ({"FixItStorage__accountName": "a b"}, NO_CONSTRUCTOR),
        ({"FixItStorage__endpoint": "https://q"}, NO_CONSTRUCTOR),
        ({"FixItStorage__credential": "managedidentity"}, NO_CONSTRUCTOR),
        ({"FixItStorage__connectionString": "hello"}, 'Settings must be of the form "name=value".'),
        ({"FixItStorage__connectionString": ""}, "Value cannot be null. (Parameter 'connectionString')"),
        ({"FixItStorage__queueServiceUri": "http://q"}, "Cannot use TokenCredential without HTTPS."),
        ({"FixItStorage__queueServiceUri": "/q"}, "Cannot use TokenCredential without HTTPS."),
        ({"FixItStorage__serviceUri": ""}, "Invalid URI: The URI is empty."),
        ({"FixItStorage__serviceUri": "hello"}, "Invalid URI: The format of the URI could not be determined."),
        ({"FixItStorage__serviceUri": "https:h"}, "Invalid URI: The Authority/Host could not be parsed."),
        ({"FixItStorage__serviceUri": "https://"}, "Invalid URI: The hostname could not be parsed."),
        ({"FixItStorage__serviceUri": "https://h:99999"}, "Invalid URI: Invalid port specified."),
        (
            {
                "FixItStorage__serviceUri": "http://s",
                "FixItStorage__credential__accountName": "n",
                "FixItStorage__credential__accountKey": "!",
            },
            "The input is not a valid Base-64 string",
        ),
        (
            {"FixItStorage": f"{HTTP}a", "FixItStorage__credential": "workloadidentity"},
            "For workload identity, 'tenantId', 'clientId', and 'tokenFilePath' must be specified",
        ),
        ({"FixItStorage": "QueueEndpoint=http://h:5/acct"}, "no queue can be read anonymously"),
        ({"FixItStorage": "QueueEndpoint=http://h:5/acct;SharedAccessSignature="}, "no queue can be read anonymously"),
    ],
)
def test_connection_unusable_is_refused_in_the_real_words(settings: dict[str, str], message: str) -> None:
    with pytest.raises(FunctionError) as refused:
        resolve("FixItStorage", settings)
    assert message in str(refused.value)
    assert "connection 'FixItStorage'" in str(refused.value)


def test_connection_unusable_does_not_tell_its_key() -> None:
    with pytest.raises(FunctionError) as refused:
        resolve("FixItStorage", {"FixItStorage": "AccountName=acct;AccountKey=c2VjcmV0;Foo=bar"})
    assert "c2VjcmV0" not in str(refused.value)


def test_connection_name_with_unknown_percent_is_refused() -> None:
    with pytest.raises(FunctionError, match="'%Conn%' does not resolve to a value"):
        resolve("%Conn%", {})


@pytest.mark.parametrize("name", [None, "", "  ", "Storage", "AzureWebJobsStorage", "%Empty%"])
def test_connection_without_a_name_is_the_hosts_own(name: str | None) -> None:
    settings = {"AzureWebJobsStorage": "UseDevelopmentStorage=true", "Empty": ""}
    assert resolve(name, settings).url == "http://127.0.0.1:10001/devstoreaccount1"


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({"AzureWebJobsStorage": "UseDevelopmentStorage=true"}, "http://127.0.0.1:10000/devstoreaccount1"),
        ({"AzureWebJobsStorage": f"{HTTP}a;BlobEndpoint=http://b:5/a"}, "http://b:5/a"),
        ({"AzureWebJobsStorage__accountName": "a"}, "https://a.blob.core.windows.net/"),
        (
            {"AzureWebJobsStorage__blobServiceUri": "https://b", "AzureWebJobsStorage__queueServiceUri": "https://q"},
            "https://b/",
        ),
    ],
)
def test_connection_for_blobs_is_the_blob_service_of_the_account(settings: dict[str, str], url: str) -> None:
    assert resolve("AzureWebJobsStorage", settings, "blob").url == url


def test_connection_for_blobs_may_be_anonymous() -> None:
    connection = resolve("Storage", {"AzureWebJobsStorage": "BlobEndpoint=http://h:5/acct"}, "blob")
    assert connection.url == "http://h:5/acct"
    assert sdk_credential(connection) is None


def test_connection_for_blobs_without_their_address_is_refused() -> None:
    with pytest.raises(FunctionError, match="an instance of BlobServiceClient"):
        resolve("Storage", {"AzureWebJobsStorage__queueServiceUri": "https://q"}, "blob")


@pytest.mark.parametrize(
    "settings",
    [
        {"FixItStorage": "UseDevelopmentStorage=true"},
        {"FixItStorage": "AccountName=acct;SharedAccessSignature=sv=2021-12-02&sig=x"},
        {"FixItStorage__accountName": "acct"},
    ],
    ids=["key", "sas", "identity"],
)
async def test_connection_of_any_kind_opens_clients_of_the_sdk(settings: dict[str, str]) -> None:
    queue, blob = resolve("FixItStorage", settings), resolve("FixItStorage", settings, "blob")
    for connection, client_type in ((queue, QueueServiceClient), (blob, BlobServiceClient)):
        credential = sdk_credential(connection)
        async with client_type(connection.url, credential=credential) as client:
            assert client.url.partition("?")[0].rstrip("/") == connection.url.partition("?")[0].rstrip("/")
            assert client.url.partition("?")[2] == connection.url.partition("?")[2]
        if credential is not None and not isinstance(credential, dict):
            await credential.close()
