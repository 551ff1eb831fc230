locals {
  # A region without zones needs Standard_LRS for all of them.
  other_redundancy = var.data_redundancy == "Standard_LRS" ? "Standard_LRS" : "Standard_ZRS"

  # An app's host account is its own: two apps on one would take each other's timers.
  accounts = {
    for key, account in {
      "host"         = { wanted = true, region = "home", letter = "h", sku = local.other_redundancy }
      "host-standby" = { wanted = var.second_app, region = "standby", letter = "h", sku = local.other_redundancy }
      "data"         = { wanted = true, region = "home", letter = "d", sku = var.data_redundancy }
      "standby"      = { wanted = local.has_standby, region = "standby", letter = "l", sku = local.other_redundancy }
    } : key => account if account.wanted
  }

  account_names = {
    for key, account in local.accounts :
    key => "st${substr(local.compact, 0, 8)}${account.letter}${local.tokens[account.region]}"
  }

  queues = {
    for queue in flatten([
      [for name in toset(concat(local.names.queues, var.reply_queues)) : { account = "data", name = name }],
      [for name in local.names.laneQueues : { account = "standby", name = name } if local.has_standby],
    ]) : "${queue.account}/${queue.name}" => queue
  }

  containers = {
    for container in flatten([
      [for app in local.apps : { account = app.host, name = local.names.deploymentContainer }],
      [for name in local.names.containers : { account = "data", name = name }],
    ]) : "${container.account}/${container.name}" => container
  }
}

resource "azurerm_storage_account" "account" {
  # checkov:skip=CKV_AZURE_59:private_network closes it, and brings the network by which the app then reaches it.
  # checkov:skip=CKV_AZURE_35:The same: denied only together with private endpoints.
  # checkov:skip=CKV2_AZURE_33:The same: endpoints are the option private_network.
  # checkov:skip=CKV_AZURE_206:Zone redundancy is the default, which this rule does not count; data_redundancy has more.
  # checkov:skip=CKV_AZURE_33:This logging is set by the data plane, with a key.
  # checkov:skip=CKV2_AZURE_38:A photo that was removed must be gone.
  # checkov:skip=CKV2_AZURE_1:The platform's keys encrypt; a key of one's own is one more that can be lost.
  for_each = local.accounts

  name                             = local.account_names[each.key]
  resource_group_name              = azurerm_resource_group.group.name
  location                         = local.regions[each.value.region]
  account_kind                     = "StorageV2"
  account_tier                     = "Standard"
  account_replication_type         = trimprefix(each.value.sku, "Standard_")
  access_tier                      = "Hot"
  https_traffic_only_enabled       = true
  min_tls_version                  = "TLS1_2"
  shared_access_key_enabled        = false
  default_to_oauth_authentication  = true
  allow_nested_items_to_be_public  = false
  cross_tenant_replication_enabled = false
  local_user_enabled               = false
  public_network_access_enabled    = !var.private_network
  tags                             = local.tags

  blob_properties {
    dynamic "cors_rule" {
      for_each = each.key == "data" && length(var.upload_origins) > 0 ? [var.upload_origins] : []

      content {
        allowed_origins    = cors_rule.value
        allowed_methods    = ["PUT", "GET", "HEAD", "OPTIONS"]
        allowed_headers    = ["content-type", "x-ms-blob-type", "x-ms-version", "x-ms-client-request-id", "x-ms-date"]
        exposed_headers    = ["x-ms-request-id"]
        max_age_in_seconds = 3600
      }
    }
  }

  network_rules {
    default_action = var.private_network ? "Deny" : "Allow"
    bypass         = ["None"]
  }
}

resource "azurerm_storage_queue" "queue" {
  for_each = local.queues

  name               = each.value.name
  storage_account_id = azurerm_storage_account.account[each.value.account].id
}

resource "azurerm_storage_container" "container" {
  # checkov:skip=CKV2_AZURE_21:This logging is set by the data plane, with a key.
  for_each = local.containers

  name                  = each.value.name
  storage_account_id    = azurerm_storage_account.account[each.value.account].id
  container_access_type = "private"
}

# azurerm's table asks the data plane.
resource "azapi_resource" "table" {
  for_each = toset(local.names.tables)

  type      = "Microsoft.Storage/storageAccounts/tableServices/tables@2025-06-01"
  parent_id = "${azurerm_storage_account.account["data"].id}/tableServices/default"
  name      = each.key

  lifecycle {
    # What a plan would destroy here is every task. This keeps the account, too: it is not replaced without its tables.
    prevent_destroy = true
  }
}

resource "azurerm_storage_management_policy" "uploads" {
  storage_account_id = azurerm_storage_account.account["data"].id

  rule {
    name    = "unclaimed-uploads"
    enabled = true

    filters {
      blob_types   = ["blockBlob"]
      prefix_match = [local.names.uploadPrefix]
    }

    actions {
      base_blob {
        delete_after_days_since_creation_greater_than = local.names.uploadDays
      }
    }
  }
}
