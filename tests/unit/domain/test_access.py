"""FIXIT_AUTH: keys unless it says otherwise, and people only where the platform is known to sign them in."""

import pytest

from shared.domain.access import parse_access
from shared.domain.errors import SettingsError

ON = {"FIXIT_AUTH": "easyauth"}


@pytest.mark.parametrize(
    "environment", [{}, {"FIXIT_AUTH": ""}, {"FIXIT_AUTH": " key "}, {"FIXIT_PLATFORM_AUTH": "true"}]
)
def test_keys_are_asked_for_unless_it_says_otherwise(environment: dict[str, str]) -> None:
    assert parse_access(environment) == "key"


@pytest.mark.parametrize("said", ["True", "true", " TRUE ", "1"])
@pytest.mark.parametrize("name", ["WEBSITE_AUTH_ENABLED", "FIXIT_PLATFORM_AUTH"])
def test_people_are_taken_where_the_platform_or_its_operator_says_that_it_signs_them_in(name: str, said: str) -> None:
    assert parse_access({**ON, name: said}) == "easyauth"


@pytest.mark.parametrize("said", ["", "False", "0", "yes", "on", "true, false"])
@pytest.mark.parametrize("name", ["WEBSITE_AUTH_ENABLED", "FIXIT_PLATFORM_AUTH", "website_auth_enabled"])
def test_people_are_refused_where_neither_says_so(name: str, said: str) -> None:
    with pytest.raises(SettingsError, match=r"WEBSITE_AUTH_ENABLED.*FIXIT_PLATFORM_AUTH"):
        parse_access({**ON, name: said})


@pytest.mark.parametrize("said", ["False", "false", "0", "off", "?"])
def test_platform_that_says_it_does_not_is_believed_before_our_own_setting(said: str) -> None:
    with pytest.raises(SettingsError, match=r"WEBSITE_AUTH_ENABLED.*FIXIT_PLATFORM_AUTH"):
        parse_access({**ON, "WEBSITE_AUTH_ENABLED": said, "FIXIT_PLATFORM_AUTH": "true"})


@pytest.mark.parametrize("said", ["", " "])
def test_our_own_setting_counts_where_the_platform_says_nothing(said: str) -> None:
    assert parse_access({**ON, "WEBSITE_AUTH_ENABLED": said, "FIXIT_PLATFORM_AUTH": "true"}) == "easyauth"


@pytest.mark.parametrize("value", ["EasyAuth", "keys", "none", "easyauth,key"])
def test_nothing_else_is_understood(value: str) -> None:
    with pytest.raises(SettingsError, match="key, easyauth") as refused:
        parse_access({"FIXIT_AUTH": value, "FIXIT_PLATFORM_AUTH": "true"})
    assert value not in str(refused.value).replace("key, easyauth", "")
