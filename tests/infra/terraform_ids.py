"""What the providers of Terraform answer of a resource once it is there: its id, and what Azure makes."""

from collections.abc import Mapping
from typing import Any

from tests.infra import cloud
from tests.infra.terraform_plan import Resource

_IN_A_GROUP: Mapping[str, str] = {
    "azurerm_application_insights": "Microsoft.Insights/components",
    "azurerm_application_insights_workbook": "Microsoft.Insights/workbooks",
    "azurerm_key_vault": "Microsoft.KeyVault/vaults",
    "azurerm_log_analytics_workspace": "Microsoft.OperationalInsights/workspaces",
    "azurerm_monitor_action_group": "Microsoft.Insights/actionGroups",
    "azurerm_monitor_scheduled_query_rules_alert_v2": "Microsoft.Insights/scheduledQueryRules",
    "azurerm_network_security_group": "Microsoft.Network/networkSecurityGroups",
    "azurerm_private_dns_zone": "Microsoft.Network/privateDnsZones",
    "azurerm_private_endpoint": "Microsoft.Network/privateEndpoints",
    "azurerm_service_plan": "Microsoft.Web/serverfarms",
    "azurerm_storage_account": "Microsoft.Storage/storageAccounts",
    "azurerm_user_assigned_identity": "Microsoft.ManagedIdentity/userAssignedIdentities",
    "azurerm_virtual_network": "Microsoft.Network/virtualNetworks",
}

_MADE: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("azurerm_application_insights", "connection_string"): ("ConnectionString",),
    ("azurerm_key_vault", "vault_uri"): ("vaultUri",),
    ("azurerm_storage_account", "primary_blob_endpoint"): ("primaryEndpoints", "blob"),
    ("azurerm_storage_account", "primary_queue_endpoint"): ("primaryEndpoints", "queue"),
    ("azurerm_storage_account", "primary_table_endpoint"): ("primaryEndpoints", "table"),
    ("azurerm_user_assigned_identity", "client_id"): ("clientId",),
    ("azurerm_user_assigned_identity", "principal_id"): ("principalId",),
}


def answers(resource: Resource, name: str) -> Any:
    """The attribute of this name."""
    match resource.kind, name:
        case _, "id":
            return resource_id(resource)
        case "random_password", "result":
            return cloud.SECRET
        case "azapi_resource", "output":
            return _output(resource)
    found: Any = cloud.properties(_IN_A_GROUP[resource.kind], resource.refer("name"))
    for step in _MADE[resource.kind, name]:
        found = found[step]
    return found


def resource_id(resource: Resource) -> str:
    """Its id in ARM."""
    say = resource.refer
    match resource.kind:
        case "azurerm_resource_group":
            return cloud.group_id(say("name"))
        case "azurerm_storage_queue":
            return f"{say('storage_account_id')}/queueServices/default/queues/{say('name')}"
        case "azurerm_storage_container":
            return f"{say('storage_account_id')}/blobServices/default/containers/{say('name')}"
        case "azurerm_storage_management_policy":
            return f"{say('storage_account_id')}/managementPolicies/default"
        case "azurerm_role_assignment":
            return f"{say('scope')}/providers/Microsoft.Authorization/roleAssignments/{say('name')}"
        case "azurerm_private_dns_zone_virtual_network_link":
            zone = f"Microsoft.Network/privateDnsZones/{say('private_dns_zone_name')}"
            return f"{cloud.group_id(say('resource_group_name'))}/providers/{zone}/virtualNetworkLinks/{say('name')}"
        case "azapi_resource" | "azapi_update_resource":
            return _by_its_parent(say("parent_id"), say("type").partition("@")[0], say("name"))
    return f"{cloud.group_id(say('resource_group_name'))}/providers/{_IN_A_GROUP[resource.kind]}/{say('name')}"


def _by_its_parent(parent: str, kind: str, name: str) -> str:
    if "/providers/" in parent:
        return f"{parent}/{kind.rpartition('/')[2]}/{name}"
    return f"{parent}/providers/{kind}/{name}"


def _output(resource: Resource) -> dict[str, Any]:
    """What was asked for of what Azure answered, and nothing else."""
    known = cloud.properties(resource.refer("type").partition("@")[0], resource.refer("name"))
    return {
        "properties": {
            path.removeprefix("properties."): known[path.removeprefix("properties.")]
            for path in resource.refer("response_export_values")
        }
    }
