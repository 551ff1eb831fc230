"""local.settings.json: what it sets, what it leaves alone, and what it says about it."""

import json
from pathlib import Path

import pytest

from devhost.errors import HostConfigError
from devhost.settings.configuration import Configuration
from devhost.settings.local_settings import HostSection, LocalSettings, load_local_settings


def load(folder: Path, content: object, environment: dict[str, str] | None = None) -> LocalSettings:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / "local.settings.json").write_text(text, encoding="utf-8")
    return load_local_settings(folder, environment or {})


def plain(**sections: object) -> dict[str, object]:
    return {"IsEncrypted": False, **sections}


def test_values_become_variables(tmp_path: Path) -> None:
    settings = load(tmp_path, plain(Values={"A": "x", "N": 5, "F": 1.0, "T": True, "S__key": "y", "E": ""}))
    assert settings.variables == {"A": "x", "N": "5", "F": "1", "T": "True", "S__key": "y", "E": ""}
    assert settings.notices == ()


def test_values_set_already_are_skipped_and_named(tmp_path: Path) -> None:
    settings = load(tmp_path, plain(Values={"A": "file", "B": "file"}), {"A": "process", "B": ""})
    assert settings.variables == {"B": "file"}  # empty in the process is as good as absent
    (notice,) = settings.notices
    assert "Skipping 'A' from local settings as it's already defined in current environment variables" in notice


@pytest.mark.parametrize(
    ("name", "variable"), [("fixitstorage", "FixItStorage"), ("S:key", "S__key"), ("S__key", "s:KEY")]
)
def test_values_set_already_in_another_spelling_are_skipped(name: str, variable: str, tmp_path: Path) -> None:
    settings = load(tmp_path, plain(Values={name: "file"}), {variable: "process"})
    assert settings.variables == {}
    assert f"Skipping '{name}'" in settings.notices[0]


def test_values_null_or_nameless_are_skipped_and_named(tmp_path: Path) -> None:
    settings = load(tmp_path, plain(Values={"A": None, "": "x"}))
    assert settings.variables == {}
    assert settings.notices == (
        "local.settings.json: Skipping 'A' because value is null",
        "local.settings.json: Skipping local setting with empty key.",
    )


def test_environment_name_in_the_file_is_overridden(tmp_path: Path) -> None:
    settings = load(tmp_path, plain(Values={"AZURE_FUNCTIONS_ENVIRONMENT": "Staging"}))
    assert settings.variables == {}
    assert "overriding to 'Development'" in settings.notices[0]


@pytest.mark.parametrize("encrypted", [{}, {"IsEncrypted": True}, {"IsEncrypted": None}, {"isEncrypted": False}])
def test_is_encrypted_not_false_is_refused_saying_what_to_write(encrypted: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(HostConfigError, match=r'local\.settings\.json: IsEncrypted is .*Write "IsEncrypted": false\.'):
        load(tmp_path, {**encrypted, "Values": {"A": "x"}})


def test_is_encrypted_missing_without_values_is_fine(tmp_path: Path) -> None:
    assert load(tmp_path, {"Values": {"A": ""}, "Host": {"LocalHttpPort": 7072}}).host.port == 7072


def test_connection_strings_are_found_in_their_section(tmp_path: Path) -> None:
    strings = {"Plain": "one", "Full": {"ConnectionString": "two", "ProviderName": "p"}, "None": {"ProviderName": "p"}}
    settings = load(tmp_path, plain(ConnectionStrings=strings))
    configuration = Configuration.from_environment(settings.variables)
    assert configuration.get("ConnectionStrings:Plain") == "one"
    assert configuration.get("connectionstrings:full") == "two"
    assert settings.notices == ("local.settings.json: Skipping 'ConnectionStrings:None' because value is null",)


def test_host_section_is_read_in_any_case(tmp_path: Path) -> None:
    section = {
        "localhttpport": "7072",
        "LocalHttpAddress": "0.0.0.0",
        "CORS": "https://a.example, https://b.example",
        "CORSCredentials": True,
    }
    assert load(tmp_path, plain(Host=section)).host == HostSection(
        port=7072, address="0.0.0.0", cors=("https://a.example", "https://b.example"), cors_credentials=True
    )


@pytest.mark.parametrize("section", [{}, {"LocalHttpPort": 0, "CORS": "", "LocalHttpAddress": None}, None])
def test_host_section_without_content_leaves_the_defaults(section: object, tmp_path: Path) -> None:
    assert load(tmp_path, plain(Host=section)).host == HostSection()


@pytest.mark.parametrize("port", [-1, 65536])
def test_host_port_that_cannot_be_one_is_refused(port: int, tmp_path: Path) -> None:
    with pytest.raises(HostConfigError, match=rf"local\.settings\.json: Host\.LocalHttpPort is {port}"):
        load(tmp_path, plain(Host={"LocalHttpPort": port}))


@pytest.mark.parametrize(
    "content",
    [
        *("", "[]", '{"Values": {"A": "x"'),
        plain(Values={"A": {"inner": "x"}}),
        plain(Values=["A"]),
        plain(ConnectionStrings={"A": 5}),
        plain(ConnectionStrings={"A": None}),
        plain(Host={"LocalHttpPort": "seven"}),
        plain(Host={"CORS": ["*"]}),
        {"IsEncrypted": "no", "Values": {"A": "x"}},
    ],
)
def test_file_that_cannot_be_read_counts_as_empty_with_a_notice(content: object, tmp_path: Path) -> None:
    settings = load(tmp_path, content)
    assert settings.variables == {}
    assert settings.host == HostSection()
    assert [
        notice.startswith("local.settings.json: ") and "is ignored, all of it: " in notice
        for notice in settings.notices
    ] == [True]


def test_file_with_comments_is_read(tmp_path: Path) -> None:
    text = '{ // local\n "IsEncrypted": false, "Values": { "A": "x", }, }'
    assert load(tmp_path, text).variables == {"A": "x"}


def test_file_missing_sets_nothing(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_text("{}")
    assert load_local_settings(tmp_path, {}) == LocalSettings()


def test_file_of_the_nearest_folder_above_is_taken(tmp_path: Path) -> None:
    load(tmp_path, plain(Values={"A": "above"}))
    inner = tmp_path / "app"
    inner.mkdir()
    assert load_local_settings(inner, {}).variables == {"A": "above"}
    (inner / "host.json").write_text("{}")  # now the app's own root is this one, and it has no settings
    assert load_local_settings(inner, {}).variables == {}
