"""Whoever closes storage brings a way to it."""

from tests.infra.deployment import ACCOUNT, HOME, STANDBY, Deployment
from tests.infra.planned import Planned

ENDPOINT = "Microsoft.Network/privateEndpoints"
NETWORK = "Microsoft.Network/virtualNetworks"
VAULT = "Microsoft.KeyVault/vaults"


def closed(deployed: Deployment) -> list[Planned]:
    """Accounts and vaults that the public does not reach."""
    return [
        each
        for each in (*deployed.of(ACCOUNT), *deployed.of(VAULT))
        if each.properties["networkAcls"]["defaultAction"] == "Deny"
        or each.properties["publicNetworkAccess"] == "Disabled"
    ]


def reached(deployed: Deployment, network: str) -> set[tuple[str, str]]:
    """What has endpoints in a network that the network finds by their names: the id and the service."""
    links = deployed.of("Microsoft.Network/privateDnsZones/virtualNetworkLinks")
    zones = {each.id.partition("/virtualNetworkLinks/")[0] for each in links if asks(each, network)}
    found = set()
    for each in deployed.of(ENDPOINT):
        if not each.properties["subnet"]["id"].startswith(f"{network}/subnets/"):
            continue
        (link,) = each.properties["privateLinkServiceConnections"]
        (service,) = link["properties"]["groupIds"]
        group = deployed.resources[f"{each.id}/privateDnsZoneGroups/default"]
        (config,) = group.properties["privateDnsZoneConfigs"]
        zone = config["properties"]["privateDnsZoneId"]
        assert f"/privatelink.{'vaultcore' if service == 'vault' else service}." in zone
        if zone in zones:
            found.add((link["properties"]["privateLinkServiceId"], service))
    return found


def asks(link: Planned, network: str) -> bool:
    return bool(link.properties["virtualNetwork"]["id"] == network)


def test_default_is_reached_without_a_network(plain: Deployment) -> None:  # DI-03
    assert closed(plain) == []
    assert plain.of(NETWORK) == plain.of(ENDPOINT) == []
    assert all("virtualNetworkSubnetId" not in site.properties for site in plain.sites)


def test_what_is_closed_has_an_endpoint_in_the_network_of_each_app_that_uses_it(
    everything: Deployment,
) -> None:  # DI-03
    assert closed(everything) == [*everything.of(ACCOUNT), *everything.of(VAULT)]
    for site in everything.sites:
        network = site.properties["virtualNetworkSubnetId"].partition("/subnets/")[0]
        host = everything.account("h", site.body["location"])
        data, lane = everything.account("d", HOME), everything.account("l", STANDBY)
        (vault,) = everything.of(VAULT)
        assert reached(everything, network) == {
            *((account.id, service) for account in (host, data) for service in ("blob", "queue", "table")),
            (lane.id, "queue"),
            (vault.id, "vault"),
        }


def test_app_is_in_a_subnet_that_is_lent_to_it(everything: Deployment) -> None:
    for site in everything.sites:
        network, _, name = site.properties["virtualNetworkSubnetId"].partition("/subnets/")
        subnets = {each["name"]: each["properties"] for each in everything.resources[network].properties["subnets"]}
        (delegation,) = subnets[name]["delegations"]
        assert delegation["properties"]["serviceName"] == "Microsoft.App/environments"
        assert "_" not in name  # Flex Consumption takes none
        assert everything.resources[network].body["location"] == site.body["location"]
