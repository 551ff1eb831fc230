"""Sign-in: who may sign in, and how the app proves itself. Both templates could say it wrong alike."""

from typing import Any

from tests.infra import cloud
from tests.infra.deployment import Deployment, settings


def said(everything: Deployment) -> list[Any]:
    """What the platform is told of each app."""
    found = [each.properties for each in everything.of("Microsoft.Web/sites/config")]
    assert len(found) == len(everything.sites) > 1
    return found


def test_people_of_one_tenant_sign_in_and_the_app_takes_no_others(everything: Deployment) -> None:
    tenant = everything.parameters["signInTenantId"]
    for each in said(everything):
        registration = each["identityProviders"]["azureActiveDirectory"]["registration"]
        assert registration["openIdIssuer"] == f"{cloud.LOGIN}{tenant}/v2.0"
        assert registration["clientId"] == everything.parameters["signInClientId"]
    for site in everything.sites:
        assert settings(site)["FIXIT_TENANTS"] == tenant


def test_tokens_for_others_are_not_taken(everything: Deployment) -> None:
    client = everything.parameters["signInClientId"]
    for each in said(everything):
        validation = each["identityProviders"]["azureActiveDirectory"]["validation"]
        assert validation == {"allowedAudiences": [client, f"api://{client}"]}


def test_who_is_not_signed_in_is_sent_to_sign_in(everything: Deployment) -> None:
    for each in said(everything):
        assert each["platform"]["enabled"] is True
        assert each["identityProviders"]["azureActiveDirectory"]["enabled"] is True
        assert each["globalValidation"]["unauthenticatedClientAction"] == "RedirectToLoginPage"


def test_app_proves_itself_by_its_identity_and_keeps_no_token(everything: Deployment) -> None:
    for each in said(everything):
        registration = each["identityProviders"]["azureActiveDirectory"]["registration"]
        assert registration["clientSecretSettingName"] == "OVERRIDE_USE_MI_FIC_ASSERTION_CLIENTID"
        assert each["login"]["tokenStore"] == {"enabled": False}
    for site in everything.sites:
        mine = settings(site)
        assert mine["OVERRIDE_USE_MI_FIC_ASSERTION_CLIENTID"] == mine["FixItStorage__clientId"]
