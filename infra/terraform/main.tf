resource "azurerm_resource_group" "group" {
  name     = "rg-${var.prefix}"
  location = local.home
  tags     = local.tags
}
