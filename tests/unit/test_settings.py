"""Settings: all gaps told at once, no value shown, and every setting in the example and in the README."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from shared.domain.errors import SettingsError
from shared.settings import Settings
from shared.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = json.loads((ROOT / "local.settings.example.json").read_text("utf-8"))["Values"]


def test_example_settings_are_complete_and_hold_the_defaults_but_for_local_notices() -> None:
    names = ("FixItStorage", "FIXIT_RECEIPT_KEYS")
    local = ("FIXIT_MAIL_FROM", "FIXIT_OUTBOX", "FIXIT_CALLBACK_KEYS", "FIXIT_CALLBACK_ALLOW")  # notices, on a laptop
    needed = {name: EXAMPLE[name] for name in (*names, *local)}
    assert Settings.from_environment(EXAMPLE) == Settings.from_environment(needed)


def test_missing_and_wrong_settings_are_told_together_without_their_values() -> None:
    environment = {
        "FIXIT_RECEIPT_KEYS": "short-secret",
        "FIXIT_SUBMIT_SECONDS": "soon",
        "FIXIT_STEP_SECONDS": "nan",
        "FIXIT_DEFER_CAP_SECONDS": "-1",
        "FIXIT_USE_ENVIRONMENT_PROXY": "perhaps",
        "FIXIT_REPLY_QUEUES": "UPPER",
        "FIXIT_DIRECTORY": "sometimes",
    }
    with pytest.raises(SettingsError) as refused:
        Settings.from_environment(environment).check()
    for name in (*environment, "FixItStorage"):
        assert name in str(refused.value)
    assert not any(value in str(refused.value) for value in ("short-secret", "soon", "perhaps", "UPPER", "sometimes"))


def test_settings_shown_in_a_log_keep_their_secrets() -> None:
    secret = "s" * 40
    account = "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=c2VjcmV0;EndpointSuffix=core.windows.net"
    settings = Settings.from_environment({"FixItStorage": account, "FIXIT_RECEIPT_KEYS": secret})
    assert secret not in repr(settings)
    assert "c2VjcmV0" not in repr(settings)


def test_receipt_keys_are_several_and_the_first_signs() -> None:
    keys = f" {'a' * 32} ,{'b' * 40},"
    settings = Settings.from_environment({**EXAMPLE, "FIXIT_RECEIPT_KEYS": keys})
    assert settings.receipt_keys == (b"a" * 32, b"b" * 40)


def read_by_the_app() -> set[str]:
    """The names of all settings of ours that are read anywhere."""
    names = ("shared/settings.py", "shared/domain/access.py", "tools/dev/cors.py")
    readers = "".join((ROOT / name).read_text("utf-8") for name in names)
    return set(re.findall(r'"(FIXIT_[A-Z_]+)"', readers))


def test_every_setting_that_is_read_stands_in_the_example_and_the_readme() -> None:
    read = read_by_the_app()
    readme = (ROOT / "README.md").read_text("utf-8")
    assert read == {name for name in EXAMPLE if name.startswith("FIXIT_")}
    assert not [name for name in (*read, "FixItStorage", "AzureWebJobsStorage") if f"`{name}`" not in readme]


def test_account_by_identity_without_every_address_says_which_is_missing() -> None:
    environment = {name: value for name, value in EXAMPLE.items() if name != "FixItStorage"}
    environment["FixItStorage__queueServiceUri"] = "https://a.example"
    with pytest.raises(SettingsError) as refused:
        Settings.from_environment(environment).check()
    assert "FixItStorage__tableServiceUri" in str(refused.value)
    assert "FixItStorage__blobServiceUri" in str(refused.value)


def test_version_is_the_one_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == VERSION
