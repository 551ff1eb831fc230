locals {
  # The keys of the app, by the setting that refers to them.
  secrets = {
    receipt-keys  = "FIXIT_RECEIPT_KEYS"
    callback-keys = "FIXIT_CALLBACK_KEYS"
  }
}

resource "azurerm_key_vault" "vault" {
  # checkov:skip=CKV_AZURE_109:private_network closes it, and brings the network by which the app then reaches it.
  # checkov:skip=CKV_AZURE_189:The same.
  name                          = local.vault_name
  resource_group_name           = azurerm_resource_group.group.name
  location                      = local.home
  tenant_id                     = data.azurerm_client_config.current.tenant_id
  sku_name                      = "standard"
  rbac_authorization_enabled    = true
  purge_protection_enabled      = true
  soft_delete_retention_days    = 90
  public_network_access_enabled = !var.private_network
  tags                          = local.tags

  network_acls {
    default_action = var.private_network ? "Deny" : "Allow"
    bypass         = "AzureServices"
  }
}

# A value is made in each run, sent in the first alone, and kept nowhere but in the vault.
ephemeral "random_password" "key" {
  for_each = local.secrets

  length  = 48
  special = false
}

# By the management plane, so that whoever deploys needs no right to read secrets, and no way through the firewall.
resource "azapi_resource" "secret" {
  for_each = local.secrets

  type      = "Microsoft.KeyVault/vaults/secrets@2024-11-01"
  parent_id = azurerm_key_vault.vault.id
  name      = each.key
  body      = { properties = { contentType = each.value } }

  sensitive_body = {
    properties = {
      value = (
        each.key == "callback-keys"
        ? "whsec_${base64encode(ephemeral.random_password.key[each.key].result)}"
        : ephemeral.random_password.key[each.key].result
      )
    }
  }
  sensitive_body_version = { "properties.value" = "1" }

  lifecycle {
    # Keys are rotated in the vault, by hand: another PUT would be a version without a value. And no deployment can
    # delete a secret, so this keeps the vault, too.
    ignore_changes  = [type, body, sensitive_body_version, tags]
    prevent_destroy = true
  }
}
