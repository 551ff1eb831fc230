output "resource_group" {
  description = "The resource group that holds everything."
  value       = azurerm_resource_group.group.name
}

output "app_name" {
  description = "The app's name."
  value       = local.app_names["api"]
}

output "app_url" {
  description = "The app's address."
  value       = "https://${azapi_resource.app["api"].output.properties.defaultHostName}"
}

output "standby_app_name" {
  description = "The second app's name, or nothing."
  value       = var.second_app ? local.app_names["api-standby"] : ""
}

output "standby_app_url" {
  description = "The second app's address, or nothing."
  value       = var.second_app ? "https://${azapi_resource.app["api-standby"].output.properties.defaultHostName}" : ""
}

output "data_account_name" {
  description = "The storage account that holds the tasks."
  value       = azurerm_storage_account.account["data"].name
}

output "queue_service_uri" {
  description = "The queue service of the data account, in full."
  value       = local.uris["data"].queue
}

output "vault_name" {
  description = "The vault with the keys."
  value       = azurerm_key_vault.vault.name
}

output "identity_client_id" {
  description = "The client id of the app's identity."
  value       = azurerm_user_assigned_identity.identity["api"].client_id
}
