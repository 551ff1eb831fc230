"""Who is let in: keys unless it says otherwise, and people only where the platform is known to sign them in."""

import pytest

from shared.domain.access import Guard, parse_guard
from shared.domain.errors import SettingsError

ON = {"FIXIT_AUTH": "easyauth"}


@pytest.mark.parametrize(
    "environment", [{}, {"FIXIT_AUTH": ""}, {"FIXIT_AUTH": " key "}, {"FIXIT_PLATFORM_AUTH": "true"}]
)
def test_keys_are_asked_for_unless_it_says_otherwise(environment: dict[str, str]) -> None:
    assert parse_guard(environment) == Guard(by="key")


@pytest.mark.parametrize("said", ["True", "true", " TRUE ", "1"])
@pytest.mark.parametrize("name", ["WEBSITE_AUTH_ENABLED", "FIXIT_PLATFORM_AUTH"])
def test_people_are_taken_where_the_platform_or_its_operator_says_that_it_signs_them_in(name: str, said: str) -> None:
    assert parse_guard({**ON, name: said}) == Guard(by="easyauth")


@pytest.mark.parametrize("said", ["", "False", "0", "yes", "on", "true, false"])
@pytest.mark.parametrize("name", ["WEBSITE_AUTH_ENABLED", "FIXIT_PLATFORM_AUTH", "website_auth_enabled"])
def test_people_are_refused_where_neither_says_so(name: str, said: str) -> None:
    with pytest.raises(SettingsError, match=r"WEBSITE_AUTH_ENABLED.*FIXIT_PLATFORM_AUTH"):
        parse_guard({**ON, name: said})


@pytest.mark.parametrize("said", ["False", "false", "0", "off", "?"])
def test_platform_that_says_it_does_not_is_believed_before_our_own_setting(said: str) -> None:
    with pytest.raises(SettingsError, match=r"WEBSITE_AUTH_ENABLED.*FIXIT_PLATFORM_AUTH"):
        parse_guard({**ON, "WEBSITE_AUTH_ENABLED": said, "FIXIT_PLATFORM_AUTH": "true"})


@pytest.mark.parametrize("said", ["", " "])
def test_our_own_setting_counts_where_the_platform_says_nothing(said: str) -> None:
    assert parse_guard({**ON, "WEBSITE_AUTH_ENABLED": said, "FIXIT_PLATFORM_AUTH": "true"}) == Guard(by="easyauth")


@pytest.mark.parametrize("value", ["EasyAuth", "keys", "none", "easyauth,key"])
def test_nothing_else_is_understood(value: str) -> None:
    with pytest.raises(SettingsError, match="key, easyauth") as refused:
        parse_guard({"FIXIT_AUTH": value, "FIXIT_PLATFORM_AUTH": "true"})
    assert value not in str(refused.value).replace("key, easyauth", "")


TENANT, OTHER = "0c1f9d7e-58f4-4a0e-8c4e-2f6d1b1c9a11", "5b5450db-eb26-4c1a-981c-ba1d25f0483d"
SIGNED_IN = {**ON, "FIXIT_PLATFORM_AUTH": "true"}


@pytest.mark.parametrize(
    ("said", "tenants"),
    [("", []), (" ", []), (TENANT, [TENANT]), (f" {TENANT.upper()}, {OTHER},", [TENANT, OTHER])],
)
def test_tenants_are_those_that_are_named_or_all(said: str, tenants: list[str]) -> None:
    assert parse_guard({**SIGNED_IN, "FIXIT_TENANTS": said}) == Guard(by="easyauth", tenants=frozenset(tenants))


@pytest.mark.parametrize(
    "said", [",", "contoso.onmicrosoft.com", "common", TENANT[1:], f"{TENANT};{OTHER}", f"{TENANT},*"]
)
def test_tenants_that_are_none_are_refused(said: str) -> None:
    with pytest.raises(SettingsError, match="FIXIT_TENANTS") as refused:
        parse_guard({**SIGNED_IN, "FIXIT_TENANTS": said})
    assert said == "," or said not in str(refused.value)
    assert parse_guard({"FIXIT_TENANTS": said}) == Guard(by="key")
