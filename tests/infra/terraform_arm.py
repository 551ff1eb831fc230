"""The resources of infra/terraform in the words of ARM. Strict: what is not translated is an error."""

from collections.abc import Callable, Mapping

from tests.infra import arm_of_app, arm_of_data, arm_of_network
from tests.infra.arm_of_data import Body
from tests.infra.given import Given
from tests.infra.planned import Planned, without_nulls
from tests.infra.terraform_ids import resource_id
from tests.infra.terraform_plan import Resource

TRANSLATIONS: Mapping[str, Callable[[Given], dict[str, Body]]] = {
    "azapi_resource": arm_of_app.by_azapi,
    "azapi_update_resource": arm_of_app.by_azapi,
    "azurerm_application_insights": arm_of_app.insights,
    "azurerm_application_insights_workbook": arm_of_app.workbook,
    "azurerm_key_vault": arm_of_data.vault,
    "azurerm_log_analytics_workspace": arm_of_app.workspace,
    "azurerm_monitor_action_group": arm_of_app.action_group,
    "azurerm_monitor_scheduled_query_rules_alert_v2": arm_of_app.alert,
    "azurerm_network_security_group": arm_of_network.security_group,
    "azurerm_private_dns_zone": arm_of_network.zone,
    "azurerm_private_dns_zone_virtual_network_link": arm_of_network.zone_link,
    "azurerm_private_endpoint": arm_of_network.endpoint,
    "azurerm_resource_group": arm_of_data.by_id,
    "azurerm_role_assignment": arm_of_data.role,
    "azurerm_service_plan": arm_of_app.plan,
    "azurerm_storage_account": arm_of_data.account,
    "azurerm_storage_container": arm_of_data.container,
    "azurerm_storage_management_policy": arm_of_data.lifecycle,
    "azurerm_storage_queue": arm_of_data.by_id,
    "azurerm_user_assigned_identity": arm_of_data.by_id,
    "azurerm_virtual_network": arm_of_network.network,
}
"""From what a block says to bodies: its own, and those of what it brings along, by what follows its id."""

IN_THE_ID = {"name", "resource_group_name", "parent_id", "storage_account_id", "scope", "private_dns_zone_name"}
"""The id is compared, and so need not be these."""


def translate(resource: Resource) -> list[Planned]:
    """All that one resource of Terraform makes in Azure."""
    given = Given({name: value for name, value in resource.values.items() if name not in IN_THE_ID})
    shared = {"location": given.may("location"), "tags": given.may("tags")}
    bodies = TRANSLATIONS[resource.kind](given)
    given.check()
    bodies[""] = {**shared, **bodies[""]}
    base = resource_id(resource)
    return [Planned(id=f"{base}{suffix}", body=without_nulls(body)) for suffix, body in bodies.items()]
