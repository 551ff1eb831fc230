# One identity an app, for all that it does: it reads its package, is the host's and the app's, and opens the vault.
resource "azurerm_user_assigned_identity" "identity" {
  for_each = local.apps

  name                = local.identity_names[each.key]
  resource_group_name = azurerm_resource_group.group.name
  location            = local.regions[each.value.region]
  tags                = local.tags
}

resource "azurerm_service_plan" "plan" {
  # checkov:skip=CKV_AZURE_225:Instances in several zones are kept ready and paid for, and the queue outlives a zone.
  # checkov:skip=CKV_AZURE_212:Flex Consumption counts instances itself; always_ready is the option.
  for_each = local.apps

  name                = "plan-${var.prefix}-${local.tokens[each.value.region]}"
  resource_group_name = azurerm_resource_group.group.name
  location            = local.regions[each.value.region]
  os_type             = "Linux"
  sku_name            = "FC1"
  tags                = local.tags
}

# Decision 18: azurerm's own resource writes AzureWebJobsStorage anew each time.
resource "azapi_resource" "app" {
  for_each = local.apps

  type                   = "Microsoft.Web/sites@2024-11-01"
  parent_id              = azurerm_resource_group.group.id
  name                   = local.app_names[each.key]
  location               = local.regions[each.value.region]
  tags                   = merge(local.tags, { azd-service-name = each.key })
  response_export_values = ["properties.defaultHostName"]
  ignore_casing          = true

  identity {
    type         = "UserAssigned"
    identity_ids = [azurerm_user_assigned_identity.identity[each.key].id]
  }

  body = {
    kind = "functionapp,linux"
    properties = {
      serverFarmId = azurerm_service_plan.plan[each.key].id
      httpsOnly    = true
      # With private networks too: callers, and the deployment of the package, come from outside.
      publicNetworkAccess       = "Enabled"
      keyVaultReferenceIdentity = azurerm_user_assigned_identity.identity[each.key].id
      virtualNetworkSubnetId = (
        var.private_network ? "${azurerm_virtual_network.network[each.key].id}/subnets/app" : null
      )

      siteConfig = {
        minTlsVersion    = "1.2"
        scmMinTlsVersion = "1.2"
        ftpsState        = "Disabled"
        http20Enabled    = true
        appSettings      = [for name, value in local.app_settings[each.key] : { name = name, value = value }]
      }

      functionAppConfig = {
        runtime = {
          name    = "python"
          version = "3.13"
        }
        deployment = {
          storage = {
            type  = "blobContainer"
            value = "${local.uris[each.value.host].blob}/${local.names.deploymentContainer}"
            authentication = {
              type                           = "UserAssignedIdentity"
              userAssignedIdentityResourceId = azurerm_user_assigned_identity.identity[each.key].id
            }
          }
        }
        scaleAndConcurrency = {
          # The limit counts for each group that scales by itself: http is one, and so is each queue's function.
          maximumInstanceCount = var.maximum_instance_count
          instanceMemoryMB     = var.instance_memory_mb
          # Instances that wait ready are paid for by the second; without one the first request waits for a start.
          alwaysReady = var.always_ready == 0 ? [] : [{ name = "http", instanceCount = var.always_ready }]
          triggers = {
            http = {
              perInstanceConcurrency = var.per_instance_concurrency
            }
          }
        }
      }
    }
  }

  # An app that starts before it may read its package, or before there is a way to it, fails its first deployment.
  depends_on = [
    azurerm_role_assignment.role,
    azurerm_storage_container.container,
    azurerm_storage_queue.queue,
    azapi_resource.table,
    azapi_resource.secret,
    azurerm_private_endpoint.endpoint,
    azurerm_private_dns_zone_virtual_network_link.link,
  ]

  lifecycle {
    # The portal adds it.
    ignore_changes = [tags["hidden-link: /app-insights-resource-id"]]
  }
}

# Nobody publishes with a password.
resource "azapi_update_resource" "publishing" {
  for_each = {
    for pair in setproduct(keys(local.apps), ["ftp", "scm"]) :
    "${pair[0]}/${pair[1]}" => { app = pair[0], way = pair[1] }
  }

  type      = "Microsoft.Web/sites/basicPublishingCredentialsPolicies@2024-11-01"
  parent_id = azapi_resource.app[each.value.app].id
  name      = each.value.way

  body = {
    properties = {
      allow = false
    }
  }
}

# The platform signs people in (docs/decisions/0012-who-a-caller-is.md); the app registration is made beforehand. What
# each value is for stands in ../bicep/modules/auth.bicep. Leaving the option out again does not turn sign-in off there.
resource "azapi_update_resource" "sign_in" {
  for_each = { for key, app in local.apps : key => app if local.sign_in }

  type          = "Microsoft.Web/sites/config@2024-11-01"
  parent_id     = azapi_resource.app[each.key].id
  name          = "authsettingsV2"
  ignore_casing = true

  body = {
    properties = {
      platform = {
        enabled = true
      }
      globalValidation = {
        requireAuthentication       = true
        unauthenticatedClientAction = "RedirectToLoginPage"
        redirectToProvider          = "azureactivedirectory"
        excludedPaths               = ["/api/receipts/*", "/api/health", "/api/openapi.json", "/api/docs"]
      }
      httpSettings = {
        requireHttps = true
      }
      identityProviders = {
        azureActiveDirectory = {
          enabled = true
          registration = {
            clientId                = var.sign_in_client_id
            openIdIssuer            = "${local.cloud.login}${local.sign_in_tenant}/v2.0"
            clientSecretSettingName = "OVERRIDE_USE_MI_FIC_ASSERTION_CLIENTID"
          }
          validation = {
            allowedAudiences = [var.sign_in_client_id, "api://${var.sign_in_client_id}"]
          }
        }
      }
      login = {
        tokenStore = {
          enabled = false
        }
        cookieExpiration = {
          convention       = "FixedTime"
          timeToExpiration = "08:00:00"
        }
      }
    }
  }
}
