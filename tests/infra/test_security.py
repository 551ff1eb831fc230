"""Nothing that is deployed is open, takes a key, or tells a secret."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.infra import bicep_snapshot
from tests.infra.deployment import ACCOUNT, SECRET, Deployment
from tests.infra.terraform_plan import Plan, variables
from tests.infra.test_parity import DRAWN, bicep_parameters

SECRETS = re.compile(
    r"AccountKey=|SharedAccess(Key|Signature)|[?&]sig=|DefaultEndpointsProtocol|\bpassword\b|://[^/@\s]+:[^/@\s]+@"
    r"|whsec_|-----BEGIN|listKeys|listCredentials|[A-Za-z0-9+/]{86}==",
    re.IGNORECASE,
)
KEY_OF_ACCOUNT = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from (key, *texts(each))
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
    else:
        yield str(value)


def told(value: Any) -> list[str]:
    return [text for text in texts(value) if SECRETS.search(text)]


def test_accounts_take_identities_over_https_and_show_nothing_to_the_public(deployed: Deployment) -> None:
    for account in deployed.of(ACCOUNT):
        said = account.properties
        assert said["allowSharedKeyAccess"] is False
        assert said["defaultToOAuthAuthentication"] is True
        assert said["allowBlobPublicAccess"] is False
        assert said["allowCrossTenantReplication"] is False
        assert said["supportsHttpsTrafficOnly"] is True
        assert said["minimumTlsVersion"] == "TLS1_2"
    containers = deployed.of("Microsoft.Storage/storageAccounts/blobServices/containers")
    assert {each.properties["publicAccess"] for each in containers} == {"None"}


def test_vault_keeps_what_it_has_and_asks_for_roles(deployed: Deployment) -> None:
    (vault,) = deployed.of("Microsoft.KeyVault/vaults")
    assert vault.properties["enableRbacAuthorization"] is True
    assert vault.properties["enablePurgeProtection"] is True
    assert vault.properties["enableSoftDelete"] is True


def test_telemetry_takes_identities_alone(deployed: Deployment) -> None:
    (insights,) = deployed.of("Microsoft.Insights/components")
    (workspace,) = deployed.of("Microsoft.OperationalInsights/workspaces")
    assert insights.properties["DisableLocalAuth"] is True
    assert workspace.properties["features"]["disableLocalAuth"] is True
    assert insights.properties["WorkspaceResourceId"] == workspace.id


def test_apps_speak_https_and_are_published_to_by_no_password(deployed: Deployment) -> None:
    for site in deployed.sites:
        said = site.properties["siteConfig"]
        assert site.properties["httpsOnly"] is True
        assert (said["minTlsVersion"], said["scmMinTlsVersion"], said["ftpsState"]) == ("1.2", "1.2", "Disabled")
        for way in ("ftp", "scm"):
            policy = deployed.resources[f"{site.id}/basicPublishingCredentialsPolicies/{way}"]
            assert policy.properties["allow"] is False


def test_no_secret_stands_in_what_is_deployed_but_for_those_of_the_vault(deployed: Deployment) -> None:
    for each in deployed.resources.values():
        if each.type != SECRET:
            assert not told(each.body), each.id


def test_no_secret_is_told_in_the_end(deployed: Deployment) -> None:
    assert deployed.outputs
    assert not told(deployed.outputs)


def test_no_default_of_a_parameter_is_a_secret() -> None:
    defaults = {name: default for name, (_, default) in bicep_parameters().items()}
    assert {name: defaults.pop(name) for name in sorted(DRAWN)} == dict.fromkeys(sorted(DRAWN), "newGuid()")
    assert not told(defaults)
    assert not told(variables("default"))


def test_secrets_of_the_vault_are_drawn_by_the_deployment_and_stand_in_no_template() -> None:
    for scenario in bicep_snapshot.SCENARIOS:
        found = [each for each in bicep_snapshot.raw(scenario)["predictedResources"] if each["type"] == SECRET]
        assert [each["properties"]["value"] for each in found] == [
            "[newGuid()]",
            "[format('whsec_{0}', base64(newGuid()))]",
        ]
    plan = Plan(prefix="fixit", location="westeurope")
    made = [each.values for each in plan.of("azapi_resource") if each.values["type"].startswith(f"{SECRET}@")]
    drawn = ["ephemeral.random_password", "ephemeral.random_password"]
    assert [re.findall(r"ephemeral\.\w+", each["sensitive_body"]["properties"]["value"])[0] for each in made] == drawn
    assert all("value" not in json.dumps(each["body"]) for each in made)  # what is in `body` is in the state, too


def test_what_looks_like_a_secret_is_seen() -> None:
    for text in (
        f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={KEY_OF_ACCOUNT}",
        KEY_OF_ACCOUNT,
        "https://a.queue.core.windows.net/q?sv=2024-11-04&sig=abc",
        "smtps://fixit:secret@mail.example.com:465",
        "whsec_c2VjcmV0",
        "[listKeys('x', '2024-01-01').keys[0].value]",
    ):
        assert told({"a": [text]}), text
