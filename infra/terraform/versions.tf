terraform {
  # 1.11 is the first with write-only arguments, by which the keys stay out of the state.
  required_version = ">= 1.11.0"

  required_providers {
    azurerm = {
      source  = "hashicorp/azurerm"
      version = "4.73.0"
    }
    azapi = {
      source  = "Azure/azapi"
      version = "2.13.0"
    }
    random = {
      source  = "hashicorp/random"
      version = "3.9.0"
    }
  }

  # Where the state lies is said by `terraform init -backend-config=…`; it is reached by identity, without a key.
  backend "azurerm" {
    use_azuread_auth = true
  }
}
