"""Under which name a host keeps its locks."""

import pytest

from devhost.host_id import host_id
from devhost.settings.configuration import Configuration


def local_id(folder: str, machine: str = "box") -> str:
    return host_id(Configuration({"AzureWebJobsScriptRoot": folder}), machine)


@pytest.mark.parametrize("name", ["AzureFunctionsWebHost__hostid", "AZUREFUNCTIONSWEBHOST__HOSTID"])
def test_host_id_that_is_set_is_taken(name: str) -> None:
    assert host_id(Configuration({name: "Ours-1"}), "box") == "Ours-1"


def test_host_id_of_a_folder_is_the_machine_and_the_real_hosts_hash() -> None:
    # 23 · 31² + 47 · 31 + 97 = 23657, for "/a"
    assert local_id("/a") == "box-23657"
    assert local_id("/a", "My_Box-2.example.org") == "mybox2-23657"


def test_host_id_of_another_folder_is_another() -> None:
    # TM-03: two apps on one account do not share their timers
    assert local_id("/work/one") != local_id("/work/two")
    assert local_id("/work/one") == local_id("/work/one")


def test_host_id_is_never_longer_than_32_characters() -> None:
    long = local_id("/a", "m" * 40)
    assert long == "m" * 32
    assert local_id("/a", "m" * 31) == "m" * 31
