variable "prefix" {
  description = "Begins every name: 2 to 12 characters, a lower-case letter, then lower-case letters, digits and single dashes, no dash at the end."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z](-?[a-z0-9]){1,11}$", var.prefix)) && length(var.prefix) <= 12
    error_message = "prefix must be 2 to 12 characters: a lower-case letter, then lower-case letters, digits and single dashes, and no dash at the end."
  }
}

variable "location" {
  description = "The region of everything but the standby region's resources."
  type        = string
  nullable    = false
}

variable "standby_location" {
  description = "Another region, with an account for a standby lane. Empty: none."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = lower(replace(var.standby_location, " ", "")) != lower(replace(var.location, " ", ""))
    error_message = "standby_location must be another region than location."
  }
}

variable "second_app" {
  description = "A second app in the standby region, with the lanes in the other order. Needs standby_location."
  type        = bool
  default     = false
  nullable    = false

  validation {
    condition     = !var.second_app || var.standby_location != ""
    error_message = "second_app needs standby_location: it is the region of that app."
  }
}

variable "private_network" {
  description = "Virtual networks and private endpoints; storage and vault are closed to the public. The endpoints cost by the hour."
  type        = bool
  default     = false
  nullable    = false
}

variable "data_redundancy" {
  description = "Redundancy of the data account."
  type        = string
  default     = "Standard_ZRS"
  nullable    = false

  validation {
    condition = contains(
      ["Standard_LRS", "Standard_ZRS", "Standard_GRS", "Standard_RAGRS", "Standard_GZRS", "Standard_RAGZRS"],
      var.data_redundancy,
    )
    error_message = "data_redundancy must be Standard_LRS, _ZRS, _GRS, _RAGRS, _GZRS or _RAGZRS."
  }
}

variable "maximum_instance_count" {
  description = "The most instances for HTTP, and for each queue."
  type        = number
  default     = 40
  nullable    = false

  validation {
    condition     = var.maximum_instance_count >= 1 && var.maximum_instance_count <= 1000
    error_message = "maximum_instance_count must be from 1 to 1000."
  }
}

variable "instance_memory_mb" {
  description = "Memory of an instance."
  type        = number
  default     = 2048
  nullable    = false

  validation {
    condition     = contains([2048, 4096], var.instance_memory_mb)
    error_message = "instance_memory_mb must be 2048 or 4096."
  }
}

variable "per_instance_concurrency" {
  description = "How many requests an instance takes at a time."
  type        = number
  default     = 32
  nullable    = false

  validation {
    condition     = var.per_instance_concurrency >= 1 && var.per_instance_concurrency <= 1000
    error_message = "per_instance_concurrency must be from 1 to 1000."
  }
}

variable "always_ready" {
  description = "Instances for HTTP that are always there. Each is paid for also while it waits."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.always_ready >= 0 && var.always_ready <= 1000
    error_message = "always_ready must be from 0 to 1000."
  }
}

variable "developer_principal_id" {
  description = "The object id of a developer who may look into storage and write secrets. Empty: nobody."
  type        = string
  default     = ""
  nullable    = false
}

variable "sign_in_client_id" {
  description = "The client id of the Entra app registration by which people sign in. Empty: callers have keys."
  type        = string
  default     = ""
  nullable    = false
}

variable "sign_in_tenant_id" {
  description = "The tenant whose people may sign in. Empty: the deployment's."
  type        = string
  default     = ""
  nullable    = false
}

variable "upload_origins" {
  description = "Origins of pages of other sites that may upload photos."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "reply_queues" {
  description = "Queues that answers may be put on."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "smtp_from_vault" {
  description = "Mail is sent by the server whose address an operator writes into the vault, as smtp-url."
  type        = bool
  default     = false
  nullable    = false
}

variable "settings" {
  description = "Other values for settings of ../common/settings.json."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for name in keys(var.settings) : contains(keys(local.fixed_settings), name)])
    error_message = "settings: only what stands in infra/common/settings.json can be set, for all else is computed, secret or unknown."
  }
}

variable "alert_email" {
  description = "Who is told when an alert fires. Empty: nobody."
  type        = string
  default     = ""
  nullable    = false
}

variable "log_retention_days" {
  description = "How long logs are kept."
  type        = number
  default     = 30
  nullable    = false

  validation {
    condition     = var.log_retention_days >= 30 && var.log_retention_days <= 730
    error_message = "log_retention_days must be from 30 to 730."
  }
}

variable "tags" {
  description = "Tags of everything."
  type        = map(string)
  default     = {}
  nullable    = false
}
