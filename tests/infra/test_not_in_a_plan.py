"""What a template says that no plan or snapshot shows: what is made once, what waits for what, what may not go."""

import re

from tools.dev.paths import ROOT

BICEP = {path.name: path.read_text("utf-8") for path in (ROOT / "infra" / "bicep").rglob("*.bicep")}
TERRAFORM = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "infra" / "terraform").glob("*.tf")))


def block(head: str) -> str:
    """A block of Terraform, from its head to its end."""
    (found,) = re.findall(rf"^{re.escape(head)} \{{\n.*?^\}}$", TERRAFORM, re.MULTILINE | re.DOTALL)
    return str(found)


def test_bicep_writes_each_key_once_and_never_again() -> None:  # decision 17
    keys = re.findall(r"^(.*)\nresource \w+ 'Microsoft\.KeyVault/vaults/secrets@", BICEP["vault.bicep"], re.MULTILINE)
    assert keys == ["@onlyIfNotExists()"] * 2
    others = [text for name, text in BICEP.items() if name != "vault.bicep"]
    assert not [text for text in others if "vaults/secrets@" in text]


def test_terraform_writes_each_key_once_and_never_again() -> None:  # decision 17
    said = block('resource "azapi_resource" "secret"')
    assert re.search(r"^    ignore_changes +=.*\bbody, sensitive_body_version\b", said, re.MULTILINE)
    assert 'sensitive_body_version = { "properties.value" = "1" }' in said
    assert re.search(r"^    prevent_destroy = true$", said, re.MULTILINE)


def test_terraform_never_destroys_tasks() -> None:
    assert re.search(r"^    prevent_destroy = true$", block('resource "azapi_resource" "table"'), re.MULTILINE)


def test_bicep_starts_an_app_only_after_its_roles_and_its_way_to_storage() -> None:
    (site,) = re.findall(r"^module site .*?^\}$", BICEP["region.bicep"], re.MULTILINE | re.DOTALL)
    assert "  dependsOn: [roles, endpoints]" in site.splitlines()


def test_terraform_starts_an_app_only_after_its_roles_and_its_way_to_storage() -> None:
    (waits,) = re.findall(r"^  depends_on = \[\n(.*?)^  \]$", block('resource "azapi_resource" "app"'), re.M | re.S)
    assert {each.strip(" ,") for each in waits.splitlines()} == {
        "azurerm_role_assignment.role",
        "azurerm_storage_container.container",
        "azurerm_storage_queue.queue",
        "azapi_resource.table",
        "azapi_resource.secret",
        "azurerm_private_endpoint.endpoint",
        "azurerm_private_dns_zone_virtual_network_link.link",
    }


def test_terraform_needs_no_key_of_an_account() -> None:
    assert re.search(r"^  storage_use_azuread +=  *true$", block('provider "azurerm"'), re.MULTILINE)
    assert re.search(r"^      data_plane_available = false$", block('provider "azurerm"'), re.MULTILINE)
    assert re.search(r"^    use_azuread_auth = true$", block("terraform"), re.MULTILINE)


def test_terraform_takes_one_version_of_each_provider() -> None:
    found = re.findall(r'^      version = "([^"]+)"$', block("terraform"), re.MULTILINE)
    assert len(found) == block("terraform").count("source  =") == 3
    assert [version for version in found if not re.fullmatch(r"\d+\.\d+\.\d+", version)] == []


def test_no_module_of_bicep_tells_what_opens_something() -> None:
    # Outputs of modules stand in the history of deployments, which no snapshot shows.
    told = [line for text in BICEP.values() for line in text.splitlines() if line.startswith("output ")]
    assert told
    assert [line for line in told if re.search(r"connection|key|password|list\w+\(", line, re.IGNORECASE)] == []
