"""What was asked for arrives, and what holds whatever was asked for: both templates could drop it alike."""

from tests.infra.deployment import ACCOUNT, HOME, Deployment, settings


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
