"""The bundle's version is a range as NuGet reads it, and its id a package's name."""

from pathlib import Path

import pytest

from devhost.errors import HostConfigError
from devhost.settings.extension_bundle import is_version_range
from tests.unit.devhost_config.loading import load

ID = "Microsoft.Azure.Functions.ExtensionBundle"


@pytest.mark.parametrize(
    "text",
    [
        *("[4.*, 5.0.0)", "[4.0.0, 5.0.0)", "[4.*,5)", "(,5.0.0]", "[4.0.0,)", "[4.0.0]", "4.0.0", "4.*", "*", "4"),
        *("4.38.0-preview.1", " [4.*, 5.0.0) ", "[4.0.0, 4.0.0]", "1.2.3.4"),
    ],
)
def test_version_range_of_nuget_is_one(text: str) -> None:
    assert is_version_range(text)


@pytest.mark.parametrize(
    "text", ["", "[", "(4.0.0)", "(,)", "[5.0.0, 4.0.0]", "[4.*, 5.*)", "four", "4.", "1.2.3.4.5", "[1,2,3]", "~> 4"]
)
def test_version_range_that_is_none_is_not(text: str) -> None:
    assert not is_version_range(text)


@pytest.mark.parametrize(
    ("bundle", "problem"),
    [
        ({"id": ID}, "extensionBundle.version is missing"),
        ({"id": ID, "version": ""}, "extensionBundle.version is invalid: ''"),
        ({"id": ID, "version": "four"}, "extensionBundle.version is invalid: 'four'"),
        ({"version": "[4.*, 5.0.0)"}, "extensionBundle.id is missing"),
        ({"id": "Microsoft,,", "version": "[4.*, 5.0.0)"}, "extensionBundle.id is invalid: 'Microsoft,,'"),
        ("Invalid", "extensionBundle.version is missing"),
        (None, "extensionBundle.version is missing"),
    ],
)
def test_extension_bundle_incomplete_is_refused(bundle: object, problem: str, tmp_path: Path) -> None:
    with pytest.raises(HostConfigError) as refused:
        load(tmp_path, {"version": "2.0", "extensionBundle": bundle})
    assert problem in str(refused.value)
    assert str(refused.value).startswith("host.json (or AzureFunctionsJobHost__extensionBundle__")


def test_extension_bundle_from_the_environment_alone_is_one(tmp_path: Path) -> None:
    section = "AzureFunctionsJobHost__extensionBundle__"
    options = load(tmp_path, {"version": "2.0"}, {f"{section}id": ID, f"{section}version": "4.*"})
    assert options.extension_bundle == f"{ID} 4.*"
