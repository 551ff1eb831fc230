"""What was asked for arrives, and what holds whatever was asked for: both templates could drop it alike."""

from ipaddress import IPv4Network

from tests.infra.deployment import ACCOUNT, HOME, Deployment, settings
from tests.infra.test_network import ENDPOINT, NETWORK, VAULT


def test_data_is_kept_as_it_was_asked_for_and_all_else_in_zones(deployed: Deployment) -> None:
    data = deployed.account("d", HOME)
    assert data.body["sku"]["name"] == deployed.parameters.get("dataRedundancy", "Standard_ZRS")
    others = {each.body["sku"]["name"] for each in deployed.of(ACCOUNT) if each.id != data.id}
    assert others == {"Standard_ZRS"}


def test_logs_are_kept_as_long_as_was_asked_for(deployed: Deployment) -> None:
    (workspace,) = deployed.of("Microsoft.OperationalInsights/workspaces")
    assert workspace.properties["retentionInDays"] == deployed.parameters.get("logRetentionDays", 30)


def test_whatever_can_have_tags_has_those_that_were_asked_for(deployed: Deployment) -> None:
    wanted = {**deployed.parameters.get("tags", {}), "azd-env-name": deployed.parameters["prefix"]}
    tagged = [each for each in deployed.resources.values() if "tags" in each.body]
    assert [each.id for each in tagged if not wanted.items() <= each.body["tags"].items()] == []
    assert {each.id for each in tagged} == {each.id for each in deployed.resources.values() if "location" in each.body}


def test_app_is_reached_from_outside_whatever_is_closed(deployed: Deployment) -> None:
    assert {site.properties["publicNetworkAccess"] for site in deployed.sites} == {"Enabled"}


def test_accounts_have_no_users_of_their_own(deployed: Deployment) -> None:
    assert {each.properties["isLocalUserEnabled"] for each in deployed.of(ACCOUNT)} == {False}


def test_no_line_that_an_alert_counts_is_dropped_by_sampling(deployed: Deployment) -> None:  # decision 19
    for site in deployed.sites:
        said = settings(site)
        assert (said["OTEL_TRACES_SAMPLER"], said["OTEL_TRACES_SAMPLER_ARG"]) == ("microsoft.fixed_percentage", "1")
        assert said["AzureMonitorExporter__EnableTraceBasedLogsSampler"] == "false"
        assert not said.keys() & {"PYTHON_ENABLE_OPENTELEMETRY", "PYTHON_APPLICATIONINSIGHTS_ENABLE_TELEMETRY"}


def test_each_app_is_told_by_its_own_address(deployed: Deployment) -> None:
    urls = [f"https://{site.name}.azurewebsites.net" for site in deployed.sites]
    names = [site.name for site in deployed.sites]
    told = deployed.outputs
    assert [told["appUrl"], told["standbyAppUrl"]] == (urls if len(urls) == 2 else [*urls, ""])
    assert [told["appName"], told["standbyAppName"]] == (names if len(names) == 2 else [*names, ""])


def test_endpoints_are_in_a_subnet_that_is_lent_to_nobody(everything: Deployment) -> None:  # Azure refuses others
    assert everything.of(ENDPOINT)
    for each in everything.of(ENDPOINT):
        network, _, name = each.properties["subnet"]["id"].partition("/subnets/")
        subnets = {one["name"]: one["properties"] for one in everything.resources[network].properties["subnets"]}
        assert "delegations" not in subnets[name]


def test_networks_do_not_overlap_and_hold_their_subnets(everything: Deployment) -> None:
    whole = []
    for each in everything.of(NETWORK):
        (prefix,) = each.properties["addressSpace"]["addressPrefixes"]
        whole.append(IPv4Network(prefix))
        parts = [IPv4Network(one["properties"]["addressPrefix"]) for one in each.properties["subnets"]]
        assert all(part.subnet_of(whole[-1]) for part in parts)
        assert not parts[0].overlaps(parts[1])
    assert len(whole) == len(everything.sites) == 2
    assert not whole[0].overlaps(whole[1])


def test_closed_vault_lets_the_deployment_write_its_keys_and_keeps_them(deployed: Deployment) -> None:
    (vault,) = deployed.of(VAULT)
    assert vault.properties["networkAcls"]["bypass"] == "AzureServices"
    assert vault.properties["softDeleteRetentionInDays"] == 90
    assert {each.properties["networkAcls"]["bypass"] for each in deployed.of(ACCOUNT)} == {"None"}
