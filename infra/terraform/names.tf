data "azurerm_client_config" "current" {}

locals {
  names = jsondecode(file("${path.module}/../common/names.json"))

  # The namespace of ARM's guid(), so that both templates make the same names.
  guid = "11fb06fb-712d-4ddd-98c7-e71bbd588830"

  subscription = data.azurerm_client_config.current.subscription_id
  compact      = replace(var.prefix, "-", "")

  # A region by its one name: "West Europe" is "westeurope", and must not make other names.
  locations = { home = var.location, standby = var.standby_location }
  regions   = { for key, place in local.locations : key => lower(replace(place, " ", "")) if place != "" }
  home      = local.regions["home"]

  # What makes names unique in the world, and the same at each deployment: 52 bits of a hash.
  tokens = {
    for key, place in local.regions :
    key => substr(replace(uuidv5(local.guid, "${local.subscription}-${var.prefix}-${place}"), "-", ""), 0, 13)
  }

  has_standby  = var.standby_location != ""
  home_lane    = "FixItStorage/${local.names.laneQueues[0]}"
  standby_lane = "FixItStandby/${local.names.laneQueues[0]}"

  # By what azd calls them. The second has the lanes in the other order.
  apps = {
    for key, app in {
      "api" = {
        wanted = true
        region = "home"
        host   = "host"
        lanes  = local.has_standby ? "${local.home_lane},${local.standby_lane}:standby" : local.home_lane
        range  = "10.80.0"
      }
      "api-standby" = {
        wanted = var.second_app
        region = "standby"
        host   = "host-standby"
        lanes  = "${local.standby_lane},${local.home_lane}:standby"
        range  = "10.80.1"
      }
    } : key => app if app.wanted
  }

  app_names      = { for key, app in local.apps : key => "func-${var.prefix}-${local.tokens[app.region]}" }
  identity_names = { for key, app in local.apps : key => "id-${var.prefix}-${local.tokens[app.region]}" }
  network_names  = { for key, app in local.apps : key => "vnet-${var.prefix}-${local.tokens[app.region]}" }
  vault_name     = "kv-${substr(local.compact, 0, 7)}-${local.tokens["home"]}"
  insights_name  = "appi-${var.prefix}-${local.tokens["home"]}"

  tags = merge(var.tags, { azd-env-name = var.prefix })

  # The public cloud. No provider tells these, so another cloud means other values here.
  cloud = {
    login   = "https://login.microsoftonline.com/"
    storage = "core.windows.net"
    vault   = "vaultcore.azure.net"
  }
}
