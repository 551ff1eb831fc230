locals {
  alerts = { for alert in jsondecode(file("${path.module}/../common/alerts.json")) : alert.name => alert }

  # The one number that alerts share with the app.
  target_seconds = local.chosen_settings["FIXIT_TARGET_SECONDS"]
}

resource "azurerm_log_analytics_workspace" "workspace" {
  name                         = "log-${var.prefix}-${local.tokens["home"]}"
  resource_group_name          = azurerm_resource_group.group.name
  location                     = local.home
  sku                          = "PerGB2018"
  retention_in_days            = var.log_retention_days
  local_authentication_enabled = false
  tags                         = local.tags
}

resource "azurerm_application_insights" "insights" {
  name                          = local.insights_name
  resource_group_name           = azurerm_resource_group.group.name
  location                      = local.home
  application_type              = "web"
  workspace_id                  = azurerm_log_analytics_workspace.workspace.id
  local_authentication_disabled = true
  tags                          = local.tags
}

resource "azurerm_monitor_action_group" "people" {
  count = var.alert_email != "" ? 1 : 0

  name                = "ag-${var.prefix}-${local.tokens["home"]}"
  resource_group_name = azurerm_resource_group.group.name
  location            = "global"
  short_name          = var.prefix
  tags                = local.tags

  email_receiver {
    name                    = "mail"
    email_address           = var.alert_email
    use_common_alert_schema = true
  }
}

resource "azurerm_monitor_scheduled_query_rules_alert_v2" "alert" {
  for_each = local.alerts

  name                    = "alert-${var.prefix}-${each.key}"
  resource_group_name     = azurerm_resource_group.group.name
  location                = local.home
  display_name            = each.value.title
  description             = each.value.description
  severity                = each.value.severity
  scopes                  = [azurerm_application_insights.insights.id]
  evaluation_frequency    = each.value.every
  window_duration         = each.value.window
  auto_mitigation_enabled = each.value.resolves
  tags                    = local.tags

  criteria {
    query = replace(
      replace(join("\n", each.value.query), "{targetSeconds}", local.target_seconds),
      "{apps}",
      tostring(length(local.apps)),
    )
    time_aggregation_method = "Count"
    operator                = each.value.operator
    threshold               = each.value.threshold

    failing_periods {
      number_of_evaluation_periods             = each.value.failing.of
      minimum_failing_periods_to_trigger_alert = each.value.failing.min
    }
  }

  dynamic "action" {
    for_each = azurerm_monitor_action_group.people

    content {
      action_groups = [action.value.id]
    }
  }
}

resource "azurerm_application_insights_workbook" "workbook" {
  name                = uuidv5(local.guid, "${local.insights_name}-workbook")
  resource_group_name = azurerm_resource_group.group.name
  location            = local.home
  display_name        = "Fix-It (${var.prefix})"
  source_id           = lower(azurerm_application_insights.insights.id)
  category            = "workbook"
  data_json           = file("${path.module}/../common/workbook.json")
  tags                = local.tags
}
