locals {
  roles = jsondecode(file("${path.module}/../common/roles.json"))

  # A role is given on one account, vault or component, never on the group.
  places = merge(
    {
      vault    = { name = local.vault_name, id = azurerm_key_vault.vault.id }
      insights = { name = local.insights_name, id = azurerm_application_insights.insights.id }
    },
    { for key, name in local.account_names : key => { name = name, id = azurerm_storage_account.account[key].id } },
  )

  app_assignments = flatten([
    for key, app in local.apps : [
      for given in local.roles.assignments : {
        who       = key
        where     = given.where == "host" ? app.host : given.where
        role      = given.role
        why       = given.why
        seed      = local.identity_names[key]
        principal = azurerm_user_assigned_identity.identity[key].principal_id
        type      = "ServicePrincipal"
      } if given.who == "app" && (given.where != "standby" || local.has_standby)
    ]
  ])

  developer_assignments = [
    for given in local.roles.assignments : {
      who       = "developer"
      where     = given.where
      role      = given.role
      why       = given.why
      seed      = var.developer_principal_id
      principal = var.developer_principal_id
      type      = "User"
    }
    if given.who == "developer" && var.developer_principal_id != "" && (given.where != "standby" || local.has_standby)
  ]

  assignments = {
    for given in concat(local.app_assignments, local.developer_assignments) :
    "${given.who}/${given.where}/${given.role}" => given
  }
}

resource "azurerm_role_assignment" "role" {
  for_each = local.assignments

  name = uuidv5(
    local.guid,
    "${local.places[each.value.where].name}-${each.value.seed}-${local.roles.roles[each.value.role]}",
  )
  scope = local.places[each.value.where].id
  role_definition_id = join("/", [
    "/subscriptions/${local.subscription}/providers/Microsoft.Authorization/roleDefinitions",
    local.roles.roles[each.value.role],
  ])
  principal_id   = each.value.principal
  principal_type = each.value.type
  description    = each.value.why
}
