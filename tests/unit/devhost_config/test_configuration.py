"""Settings as one case-insensitive tree."""

import pytest

from devhost.errors import FunctionError
from devhost.settings.configuration import Configuration


def test_configuration_name_in_other_case_is_found() -> None:
    assert Configuration({"FixItStorage": "x"}).get("FIXITstorage") == "x"


def test_configuration_two_layers_later_wins() -> None:
    assert Configuration({"a": "first"}, {"A": "second"}).get("a") == "second"


def test_configuration_double_underscore_in_environment_is_a_level() -> None:
    configuration = Configuration.from_environment({"Storage__queueServiceUri": "u", "Storage__credential__x": "c"})
    assert configuration.get("storage:queueserviceuri") == "u"
    assert configuration.children("Storage") == {"queueServiceUri": "u", "credential:x": "c"}
    assert configuration.exists("Storage")
    assert configuration.get("Storage") is None
    assert not configuration.exists("Stor")


def test_configuration_empty_value_exists() -> None:
    configuration = Configuration({"a": ""})
    assert configuration.exists("a")
    assert configuration.get("a") == ""


@pytest.mark.parametrize("prefix", ["CUSTOMCONNSTR_", "customconnstr_", "SQLAZURECONNSTR_", "MYSQLCONNSTR_"])
def test_configuration_connection_string_of_app_service_is_in_its_section(prefix: str) -> None:
    assert Configuration.from_environment({f"{prefix}Fix": "x"}).get("ConnectionStrings:Fix") == "x"


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("plain", "plain"),
        ("%ENV%-orders", "dev-orders"),
        ("%env%%Env%", "devdev"),
        ("a%Outer:Inner%b", "anestedb"),
        ("%Outer__Inner%", "nested"),
        ("%Empty%", ""),
        ("%Percent%", "%ENV%"),  # once only
    ],
)
def test_expand_known_names_are_replaced(text: str, expanded: str) -> None:
    settings = {"ENV": "dev", "Outer__Inner": "nested", "Empty": "", "Percent": "%ENV%"}
    assert Configuration.from_environment(settings).expand(text) == expanded


@pytest.mark.parametrize("text", ["%Missing%", "a-%Missing%-b"])
def test_expand_unknown_name_is_refused_by_name(text: str) -> None:
    with pytest.raises(FunctionError, match="'%Missing%' does not resolve to a value"):
        Configuration({}).expand(text)


@pytest.mark.parametrize("text", ["%", "%ENV", "%ENV%-%rest"])
def test_expand_unclosed_percent_is_refused_by_place(text: str) -> None:
    with pytest.raises(FunctionError, match=f"position {text.rindex('%')} does not have a closing"):
        Configuration({"ENV": "dev"}).expand(text)


@pytest.mark.parametrize(
    "name", ["AzureWebJobs.Record.Disabled", "AzureWebJobs_Record_Disabled", "azurewebjobs.record.disabled"]
)
@pytest.mark.parametrize(
    ("value", "disabled"), [("1", True), ("TRUE", True), ("true", True), ("0", False), ("", False), ("yes", False)]
)
def test_is_disabled_by_either_name_is_one_or_true(name: str, value: str, disabled: bool) -> None:
    assert Configuration.from_environment({name: value}).is_disabled("Record") is disabled
    assert not Configuration.from_environment({name: value}).is_disabled("Other")
