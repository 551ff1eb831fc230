"""The app finds its account as the platform does: recorded settings, and the account that these gave."""

import json
from pathlib import Path
from typing import Any

import pytest
from azure.storage.queue import QueueServiceClient

from shared.domain.errors import SettingsError
from shared.settings import Settings
from shared.storage.connections import StorageConnections

ROWS = json.loads((Path(__file__).resolve().parents[1] / "data" / "connections.json").read_text("utf-8"))
# The app's connection has a fixed name; what a name left out or in percent signs means is the host's matter.
OURS = [row for row in ROWS if (row["connection"] or "").lower() == "fixitstorage"]


def _account(row: dict[str, Any]) -> str:
    found = StorageConnections.resolve(row["settings"], row["connection"])
    if not found.connection_string:
        return found.url("queue")
    with QueueServiceClient.from_connection_string(found.connection_string) as client:
        return client.url


def test_recorded_settings_are_many() -> None:
    assert len(OURS) > 20


@pytest.mark.parametrize("row", OURS, ids=lambda row: row["note"])
def test_connection_resolves_to_the_account_that_the_platform_takes(row: dict[str, Any]) -> None:
    if row["error"]:
        with pytest.raises(SettingsError, match="FixItStorage"):
            _account(row)
    else:
        assert _account(row).rstrip("/").replace("/?", "?") == row["uri"].rstrip("/").replace("/?", "?")


def test_connection_by_identity_names_every_service() -> None:
    found = StorageConnections.resolve(
        {"FixItStorage__accountName": "acct", "FixItStorage__clientId": "id"}, "FixItStorage"
    )
    assert [found.url(service) for service in ("queue", "table", "blob")] == [
        f"https://acct.{service}.core.windows.net" for service in ("queue", "table", "blob")
    ]
    assert found.client_id == "id"


def test_connection_without_a_table_address_says_which_setting_is_missing() -> None:
    found = StorageConnections.resolve({"FixItStorage__queueServiceUri": "https://a.example"}, "FixItStorage")
    with pytest.raises(SettingsError, match="FixItStorage__tableServiceUri"):
        found.url("table")


@pytest.mark.parametrize("name", ["FixItStorage", "Second"])
def test_address_without_a_scheme_is_refused_with_the_setting_and_the_form(name: str) -> None:  # ID-01
    environment = {f"{name}__queueServiceUri": "acct.queue.core.windows.net", "FIXIT_LANES": f"{name}/fixits"}
    with pytest.raises(SettingsError, match=f"{name}__queueServiceUri must be an address of the form https://"):
        Settings.from_environment(environment).check()


@pytest.mark.parametrize("name", ["FixItStorage", "FixItStorage__connectionString"])
def test_secret_that_the_platform_did_not_fetch_is_no_connection_string(name: str) -> None:
    left = "@Microsoft.KeyVault(SecretUri=https://kv.vault.azure.net/secrets/storage)"
    with pytest.raises(SettingsError, match=r"^FixItStorage is a reference to Key Vault that was not resolved"):
        StorageConnections.resolve({name: left}, "FixItStorage")
