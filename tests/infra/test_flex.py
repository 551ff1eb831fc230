"""The app is one that Flex Consumption takes: nothing is set that it refuses, ignores or sets by itself."""

import re

from tests.infra.deployment import Deployment, settings
from tests.support.yaml_files import read_yaml
from tools.dev.paths import ROOT

# https://learn.microsoft.com/azure/azure-functions/functions-app-settings#flex-consumption-plan-deprecations, and
# https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan for what it has not.
SETTINGS = re.compile(
    r"ENABLE_ORYX_BUILD|FUNCTIONS_EXTENSION_VERSION|FUNCTIONS_WORKER_(RUNTIME|PROCESS_COUNT)\w*"
    r"|FUNCTIONS_MAX_HTTP_CONCURRENCY|FUNCTIONS_WORKER_DYNAMIC_CONCURRENCY_ENABLED|SCM_DO_BUILD_DURING_DEPLOYMENT"
    r"|TZ|WEBSITES?_\w+",
    re.IGNORECASE,
)
PROPERTIES = {
    *("alwaysOn", "containerSize", "functionAppScaleLimit", "functionsRuntimeScaleMonitoringEnabled", "isXenon"),
    *("javaVersion", "linuxFxVersion", "minimumElasticInstanceCount", "netFrameworkVersion", "numberOfWorkers"),
    *("powerShellVersion", "preWarmedInstanceCount", "pythonVersion", "reserved", "scmType", "use32BitWorkerProcess"),
    *("vnetBackupRestoreEnabled", "vnetContentShareEnabled", "vnetImagePullEnabled", "vnetRouteAllEnabled"),
    *("webSocketsEnabled", "windowsFxVersion"),
}
HOST_STORAGE = re.compile(r"AzureWebJobsStorage(?!__(blob|queue|table)ServiceUri$|__credential$|__clientId$)")


def test_no_setting_is_set_that_the_plan_refuses(deployed: Deployment) -> None:
    for site in deployed.sites:
        assert not [name for name in settings(site) if SETTINGS.fullmatch(name)]


def test_no_property_is_set_that_the_plan_refuses(deployed: Deployment) -> None:
    for site in deployed.sites:
        assert not PROPERTIES & (site.properties.keys() | site.properties["siteConfig"].keys())


def test_host_storage_is_set_by_identity_alone(deployed: Deployment) -> None:  # DI-01
    for site in deployed.sites:
        names = [name for name in settings(site) if name.lower().startswith("azurewebjobsstorage")]
        assert names
        assert not list(filter(HOST_STORAGE.match, names))


def test_no_resource_of_terraform_writes_the_host_storage_anew() -> None:  # DI-01
    for path in (ROOT / "infra" / "terraform").glob("*.tf"):
        assert not re.search(r'resource "azurerm_\w*function_app\w*"', path.read_text("utf-8")), path.name


def test_each_app_has_a_plan_of_its_own(deployed: Deployment) -> None:
    plans = {each.id: each for each in deployed.of("Microsoft.Web/serverfarms")}
    assert sorted(plans) == sorted(site.properties["serverFarmId"] for site in deployed.sites)
    assert {each.body["sku"]["name"] for each in plans.values()} == {"FC1"}
    for site in deployed.sites:
        assert plans[site.properties["serverFarmId"]].body["location"] == site.body["location"]


def test_python_is_the_one_of_the_project(deployed: Deployment) -> None:
    project = (ROOT / ".python-version").read_text("utf-8").strip()
    for site in deployed.sites:
        assert site.properties["functionAppConfig"]["runtime"] == {"name": "python", "version": project}


def test_scale_is_the_one_that_was_asked_for(deployed: Deployment) -> None:
    asked = deployed.parameters
    ready = asked.get("alwaysReady", 0)
    for site in deployed.sites:
        assert site.properties["functionAppConfig"]["scaleAndConcurrency"] == {
            "maximumInstanceCount": asked.get("maximumInstanceCount", 40),
            "instanceMemoryMB": asked.get("instanceMemoryMB", 2048),
            "alwaysReady": [{"name": "http", "instanceCount": ready}] if ready else [],
            "triggers": {"http": {"perInstanceConcurrency": asked.get("perInstanceConcurrency", 32)}},
        }


def test_azd_finds_the_apps_that_azure_yaml_names(everything: Deployment) -> None:
    names = [site.body["tags"]["azd-service-name"] for site in everything.sites]
    assert names == [*read_yaml(ROOT / "azure.yaml")["services"]]
