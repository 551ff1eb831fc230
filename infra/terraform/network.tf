locals {
  # One network for each app: it goes out by the first subnet, and what it uses has its addresses in the second.
  networks = { for key, app in local.apps : key => app if var.private_network }

  zone_names = {
    blob  = "privatelink.blob.${local.cloud.storage}"
    queue = "privatelink.queue.${local.cloud.storage}"
    table = "privatelink.table.${local.cloud.storage}"
    vault = "privatelink.${local.cloud.vault}"
  }

  # Two networks cannot share a zone: each has an endpoint of its own for the same account, and a zone holds one address
  # of it. And two zones of one name cannot be in one group.
  zones = {
    for pair in setproduct(keys(local.networks), keys(local.zone_names)) :
    "${pair[0]}/${pair[1]}" => { app = pair[0], name = local.zone_names[pair[1]] }
  }

  endpoints = {
    for endpoint in flatten([
      for key, app in local.networks : [
        [for service in ["blob", "queue", "table"] : { app = key, place = app.host, service = service }],
        [for service in ["blob", "queue", "table"] : { app = key, place = "data", service = service }],
        [for service in ["queue"] : { app = key, place = "standby", service = service } if local.has_standby],
        [{ app = key, place = "vault", service = "vault" }],
      ]
    ]) : "${endpoint.app}/${endpoint.place}/${endpoint.service}" => endpoint
  }
}

resource "azurerm_network_security_group" "network" {
  for_each = local.networks

  # The rules that every group has are what is wanted: in from this network, out to anywhere.
  name                = "nsg-${var.prefix}-${local.tokens[each.value.region]}"
  resource_group_name = azurerm_resource_group.group.name
  location            = local.regions[each.value.region]
  tags                = local.tags
}

resource "azurerm_virtual_network" "network" {
  for_each = local.networks

  name                = local.network_names[each.key]
  resource_group_name = azurerm_resource_group.group.name
  location            = local.regions[each.value.region]
  address_space       = ["${each.value.range}.0/24"]
  tags                = local.tags

  # Flex Consumption takes no name with an underscore, and wants the subnet delegated to Microsoft.App.
  subnet {
    name             = "app"
    address_prefixes = ["${each.value.range}.0/25"]
    security_group   = azurerm_network_security_group.network[each.key].id

    delegation {
      name = "flex"

      service_delegation {
        name    = "Microsoft.App/environments"
        actions = ["Microsoft.Network/virtualNetworks/subnets/join/action"]
      }
    }
  }

  # Nothing there calls out.
  subnet {
    name                            = "endpoints"
    address_prefixes                = ["${each.value.range}.128/25"]
    default_outbound_access_enabled = false
    security_group                  = azurerm_network_security_group.network[each.key].id
  }
}

# For the second network only. No prefix ends so: it is the name of no other deployment's group.
resource "azurerm_resource_group" "zones" {
  count = var.private_network && var.second_app ? 1 : 0

  name     = "rg-${var.prefix}_dns"
  location = local.home
  tags     = local.tags
}

resource "azurerm_private_dns_zone" "zone" {
  for_each = local.zones

  name = each.value.name
  tags = local.tags
  resource_group_name = (
    each.value.app == "api" ? azurerm_resource_group.group.name : azurerm_resource_group.zones[0].name
  )
}

resource "azurerm_private_dns_zone_virtual_network_link" "link" {
  for_each = local.zones

  name                  = local.network_names[each.value.app]
  resource_group_name   = azurerm_private_dns_zone.zone[each.key].resource_group_name
  private_dns_zone_name = azurerm_private_dns_zone.zone[each.key].name
  virtual_network_id    = azurerm_virtual_network.network[each.value.app].id
  registration_enabled  = false
  tags                  = local.tags
}

resource "azurerm_private_endpoint" "endpoint" {
  for_each = local.endpoints

  name = join("-", [
    "pe",
    local.places[each.value.place].name,
    each.value.service,
    local.tokens[local.apps[each.value.app].region],
  ])
  resource_group_name = azurerm_resource_group.group.name
  location            = local.regions[local.apps[each.value.app].region]
  subnet_id           = "${azurerm_virtual_network.network[each.value.app].id}/subnets/endpoints"
  tags                = local.tags

  private_service_connection {
    name                           = each.value.service
    private_connection_resource_id = local.places[each.value.place].id
    subresource_names              = [each.value.service]
    is_manual_connection           = false
  }

  private_dns_zone_group {
    name                 = "default"
    private_dns_zone_ids = [azurerm_private_dns_zone.zone["${each.value.app}/${each.value.service}"].id]
  }
}
