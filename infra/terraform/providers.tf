# The subscription is that of ARM_SUBSCRIPTION_ID.
provider "azurerm" {
  storage_use_azuread             = true
  resource_provider_registrations = "core"
  resource_providers_to_register = [
    "Microsoft.App",
    "Microsoft.KeyVault",
    "Microsoft.OperationalInsights",
    "Microsoft.Web",
    "microsoft.insights",
  ]

  features {
    storage {
      # No account takes a key, and with private_network none is reached from here: all goes by the management plane.
      data_plane_available = false
    }
  }
}

provider "azapi" {
  # What is not asked for is not read into the state: it changes by itself (the app's state, dates).
  disable_default_output = true
}
