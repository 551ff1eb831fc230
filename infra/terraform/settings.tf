locals {
  fixed_settings  = jsondecode(file("${path.module}/../common/settings.json"))
  chosen_settings = merge(local.fixed_settings, var.settings)

  sign_in        = var.sign_in_client_id != ""
  sign_in_tenant = var.sign_in_tenant_id != "" ? var.sign_in_tenant_id : data.azurerm_client_config.current.tenant_id

  # The platform ends each of its addresses with a slash; connections take none.
  uris = {
    for key, account in azurerm_storage_account.account : key => {
      blob  = trimsuffix(account.primary_blob_endpoint, "/")
      queue = trimsuffix(account.primary_queue_endpoint, "/")
      table = trimsuffix(account.primary_table_endpoint, "/")
    }
  }

  secrets_uri = "${azurerm_key_vault.vault.vault_uri}secrets"

  same_settings = merge(local.chosen_settings, {
    FIXIT_RECEIPT_KEYS   = "@Microsoft.KeyVault(SecretUri=${local.secrets_uri}/receipt-keys)"
    FIXIT_CALLBACK_KEYS  = "@Microsoft.KeyVault(SecretUri=${local.secrets_uri}/callback-keys)"
    FIXIT_SMTP_URL       = var.smtp_from_vault ? "@Microsoft.KeyVault(SecretUri=${local.secrets_uri}/smtp-url)" : ""
    FIXIT_AUTH           = local.sign_in ? "easyauth" : "key"
    FIXIT_PLATFORM_AUTH  = local.sign_in ? "true" : "false"
    FIXIT_TENANTS        = local.sign_in ? local.sign_in_tenant : ""
    FIXIT_REPLY_QUEUES   = join(",", var.reply_queues)
    FIXIT_UPLOAD_ORIGINS = join(",", var.upload_origins)

    APPLICATIONINSIGHTS_CONNECTION_STRING = azurerm_application_insights.insights.connection_string

    # Whatever the exporter's version, it keeps every line: alerts count them (docs/decisions/0019).
    OTEL_TRACES_SAMPLER                               = "microsoft.fixed_percentage"
    OTEL_TRACES_SAMPLER_ARG                           = "1"
    AzureMonitorExporter__EnableTraceBasedLogsSampler = "false"
  })

  client_ids = { for key, identity in azurerm_user_assigned_identity.identity : key => identity.client_id }

  # AzureWebJobsStorage itself is not here, on purpose: the host would read it instead of its parts (decision 18).
  app_settings = {
    for key, app in local.apps : key => merge(
      local.same_settings,
      {
        FIXIT_LANES = app.lanes

        AzureWebJobsStorage__blobServiceUri  = local.uris[app.host].blob
        AzureWebJobsStorage__queueServiceUri = local.uris[app.host].queue
        AzureWebJobsStorage__tableServiceUri = local.uris[app.host].table
        AzureWebJobsStorage__credential      = "managedidentity"
        AzureWebJobsStorage__clientId        = local.client_ids[key]

        FixItStorage__blobServiceUri  = local.uris["data"].blob
        FixItStorage__queueServiceUri = local.uris["data"].queue
        FixItStorage__tableServiceUri = local.uris["data"].table
        FixItStorage__credential      = "managedidentity"
        FixItStorage__clientId        = local.client_ids[key]

        APPLICATIONINSIGHTS_AUTHENTICATION_STRING = "ClientId=${local.client_ids[key]};Authorization=AAD"
      },
      local.has_standby ? {
        FixItStandby__queueServiceUri = local.uris["standby"].queue
        FixItStandby__credential      = "managedidentity"
        FixItStandby__clientId        = local.client_ids[key]
      } : {},
      local.sign_in ? { OVERRIDE_USE_MI_FIC_ASSERTION_CLIENTID = local.client_ids[key] } : {},
    )
  }
}
