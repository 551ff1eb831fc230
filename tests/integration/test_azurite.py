"""The emulator as this project starts it."""

import re
import socket
from pathlib import Path

import pytest
from azure.data.tables import TableServiceClient
from azure.storage.blob import BlobServiceClient
from azure.storage.queue import QueueServiceClient

from tests.support.emulator import check_emulator
from tests.support.wire import Wire
from tools.dev import azurite as module
from tools.dev.azurite import Azurite
from tools.dev.problem import Problem


def test_newest_sdk_is_answered_by_all_three_services(azurite: Azurite) -> None:  # AZ-01
    with BlobServiceClient.from_connection_string(azurite.connection_string) as blobs:
        assert list(blobs.list_containers(name_starts_with="none")) == []
    with QueueServiceClient.from_connection_string(azurite.connection_string) as queues:
        assert list(queues.list_queues(name_starts_with="none")) == []
    with TableServiceClient.from_connection_string(azurite.connection_string) as tables:
        assert list(tables.query_tables("TableName eq 'none'")) == []


def test_connection_string_insists_on_the_address_that_the_emulator_listens_at(azurite: Azurite) -> None:  # AZ-05
    assert len(re.findall(r"http://127\.0\.0\.1:\d+/devstoreaccount1", azurite.connection_string)) == 3
    assert "localhost" not in azurite.connection_string


def test_emulator_that_takes_outdated_receipts_ends_the_run(wire: Wire) -> None:  # AZ-03
    wire.fail(service="queue", op="delete", status=204)
    with pytest.raises(pytest.exit.Exception, match="emulator too old: an outdated pop receipt"):
        check_emulator(wire.connection_string)


def test_emulator_started_again_has_its_ports_and_its_data(tmp_path: Path) -> None:
    azurite = Azurite(tmp_path / "data")
    with azurite:
        before = azurite.connection_string
        with QueueServiceClient.from_connection_string(before) as queues:
            queues.create_queue("kept")
    with azurite:
        assert azurite.connection_string == before
        with QueueServiceClient.from_connection_string(before) as queues:
            assert [queue.name for queue in queues.list_queues()] == ["kept"]


def test_two_emulators_cannot_overwrite_each_others_data(tmp_path: Path) -> None:
    with Azurite(tmp_path), pytest.raises(Problem, match=rf"data in {tmp_path} are in use .* --data"):
        Azurite(tmp_path).start()
    with Azurite(tmp_path):
        pass


def test_emulator_on_a_taken_port_names_the_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]
        with pytest.raises(Problem, match=f"Azurite does not start: port {taken} is taken"):
            Azurite(ports=(0, taken, 0)).start()


def test_emulator_whose_data_are_damaged_says_what_to_remove(tmp_path: Path) -> None:
    (tmp_path / "__azurite_db_queue__.json").write_text("{", encoding="utf-8")
    with pytest.raises(Problem, match=f"If its data is damaged, remove {tmp_path}"):
        Azurite(tmp_path).start()


def test_emulator_not_installed_says_how(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "AZURITE", tmp_path / "azurite.js")
    with pytest.raises(Problem, match="Azurite is not installed"):
        Azurite().start()
