"""Networks of Terraform, in the words of ARM."""

from tests.infra.arm_of_data import Body
from tests.infra.given import Given
from tests.infra.not_understood import NotUnderstood


def security_group(given: Given) -> dict[str, Body]:
    """Rules of a network: none beside those that each has."""
    return {"": {"properties": {"securityRules": []}}}


def network(given: Given) -> dict[str, Body]:
    """A network and its subnets."""
    subnets = [_subnet(each) for each in given.blocks("subnet")]
    properties = {"addressSpace": {"addressPrefixes": given.take("address_space")}, "subnets": subnets}
    return {"": {"properties": properties}}


def _subnet(given: Given) -> Body:
    (prefix,) = given.take("address_prefixes")
    delegations = []
    for delegation in given.blocks("delegation"):
        service = delegation.block("service_delegation")
        service.take("actions")  # they follow from the service
        delegations.append(
            {"name": delegation.take("name"), "properties": {"serviceName": service.take("name")}},
        )
    properties = {
        "addressPrefix": prefix,
        "defaultOutboundAccess": given.may("default_outbound_access_enabled"),
        "delegations": delegations or None,
        "networkSecurityGroup": {"id": given.take("security_group")},
    }
    return {"name": given.take("name"), "properties": properties}


def zone(given: Given) -> dict[str, Body]:
    """A zone of private names. Zones are nowhere."""
    return {"": {"location": "global"}}


def zone_link(given: Given) -> dict[str, Body]:
    """A zone is asked by a network."""
    properties = {
        "registrationEnabled": given.take("registration_enabled"),
        "virtualNetwork": {"id": given.take("virtual_network_id")},
    }
    return {"": {"location": "global", "properties": properties}}


def endpoint(given: Given) -> dict[str, Body]:
    """An endpoint, and where its name is kept."""
    connection, zones = given.block("private_service_connection"), given.block("private_dns_zone_group")
    if connection.take("is_manual_connection"):
        raise NotUnderstood("an endpoint that somebody must approve")
    service = connection.take("name")
    link = {
        "privateLinkServiceId": connection.take("private_connection_resource_id"),
        "groupIds": connection.take("subresource_names"),
    }
    (zone_id,) = zones.take("private_dns_zone_ids")
    config = {"name": service, "properties": {"privateDnsZoneId": zone_id}}
    return {
        "": {
            "properties": {
                "subnet": {"id": given.take("subnet_id")},
                "privateLinkServiceConnections": [{"name": service, "properties": link}],
            }
        },
        f"/privateDnsZoneGroups/{zones.take('name')}": {"properties": {"privateDnsZoneConfigs": [config]}},
    }
