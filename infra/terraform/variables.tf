variable "prefix" {
  description = "What every name begins with: a letter, then letters, digits and single dashes, 2 to 12 characters."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z](-?[a-z0-9]){1,11}$", var.prefix)) && length(var.prefix) <= 12
    error_message = "prefix must be 2 to 12 lower-case letters, digits and single dashes, a letter first, no dash last."
  }
}

variable "location" {
  description = "The region of the app and its data."
  type        = string
  nullable    = false

  validation {
    condition     = var.location != ""
    error_message = "location must be given."
  }
}

variable "standby_location" {
  description = "Another region: an account there with a standby lane. Empty: none."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = lower(replace(var.standby_location, " ", "")) != lower(replace(var.location, " ", ""))
    error_message = "standby_location must be another region than location."
  }
}

variable "second_app" {
  description = "A second app in the standby region, with the lanes in the other order."
  type        = bool
  default     = false
  nullable    = false

  validation {
    condition     = !var.second_app || var.standby_location != ""
    error_message = "second_app needs standby_location: it is the region of that app."
  }
}

variable "private_network" {
  description = "Virtual networks and private endpoints; storage and vault are closed to the public."
  type        = bool
  default     = false
  nullable    = false
}

# Standard_LRS makes every account so, for regions without zones; else the other accounts are Standard_ZRS, and both
# regions need zones. Choose at the first deployment: to gain or lose zones later is a conversion of the account, and no
# deployment does that.
variable "data_redundancy" {
  description = "How the data account is kept: the SKU of a storage account."
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
  description = "The most instances that each function group may grow to."
  type        = number
  default     = 40
  nullable    = false

  validation {
    condition     = var.maximum_instance_count >= 1 && var.maximum_instance_count <= 1000
    error_message = "maximum_instance_count must be from 1 to 1000."
  }
}

variable "instance_memory_mb" {
  description = "The memory of an instance, in MB: 2048 or 4096."
  type        = number
  default     = 2048
  nullable    = false

  validation {
    condition     = contains([2048, 4096], var.instance_memory_mb)
    error_message = "instance_memory_mb must be 2048 or 4096."
  }
}

variable "per_instance_concurrency" {
  description = "How many HTTP requests one instance takes at once."
  type        = number
  default     = 32
  nullable    = false

  validation {
    condition     = var.per_instance_concurrency >= 1 && var.per_instance_concurrency <= 1000
    error_message = "per_instance_concurrency must be from 1 to 1000."
  }
}

variable "always_ready" {
  description = "HTTP instances that are always ready."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.always_ready >= 0 && var.always_ready <= 1000
    error_message = "always_ready must be from 0 to 1000."
  }
}

variable "developer_principal_id" {
  description = "The object id of a developer who gets roles on data and vault. Empty: nobody."
  type        = string
  default     = ""
  nullable    = false
}

variable "sign_in_client_id" {
  description = "The client id of an Entra app registration: people sign in, no key is asked for. Empty: keys are."
  type        = string
  default     = ""
  nullable    = false
}

variable "sign_in_tenant_id" {
  description = "The tenant whose people may sign in. Empty: that of the deployment."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = var.sign_in_tenant_id == "" || var.sign_in_client_id != ""
    error_message = "sign_in_tenant_id needs sign_in_client_id: it is the tenant of that app registration."
  }
}

variable "upload_origins" {
  description = "Origins of pages that may upload photos, like https://app.example.com."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition = alltrue([for each in var.upload_origins : can(regex(local.origin, each))])
    error_message = join("", [
      "upload_origins may not hold '",
      join("', '", [for each in var.upload_origins : each if !can(regex(local.origin, each))]),
      "': an origin is http:// or https://, a host in lower case, a port if need be, and nothing after it.",
    ])
  }
}

variable "reply_queues" {
  description = "Queues that replyTo may name; they are made in the data account."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition = alltrue([for each in var.reply_queues : can(regex(local.queue, each)) && length(each) <= 63])
    error_message = join("", [
      "reply_queues may not hold '",
      join("', '", [for each in var.reply_queues : each if !can(regex(local.queue, each)) || length(each) > 63]),
      "': a queue has 3 to 63 lower-case letters, digits and single dashes, and no dash first or last.",
    ])
  }

  validation {
    condition = alltrue([
      for each in var.reply_queues : !contains(local.names.queues, each) && !can(regex("-poison$", each))
    ])
    error_message = join("", [
      "reply_queues may not hold '",
      join("', '", [
        for each in var.reply_queues : each if contains(local.names.queues, each) || can(regex("-poison$", each))
      ]),
      "': queues of the app, and those that end in -poison, are not for replies.",
    ])
  }
}

variable "smtp_from_vault" {
  description = "The address of the mail server is the secret smtp-url, which an operator writes."
  type        = bool
  default     = false
  nullable    = false
}

variable "settings" {
  description = "Values that differ from infra/common/settings.json, by name."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for name in keys(var.settings) : contains(keys(local.fixed_settings), name)])
    error_message = "settings may hold names of infra/common/settings.json only: all others are secrets, or computed."
  }

  validation {
    condition = alltrue([
      for name, value in local.fixed_settings :
      can(regex(local.number, merge(local.fixed_settings, var.settings)[name])) if can(regex(local.number, value))
    ])
    error_message = join("", [
      "settings must have a number, in digits, for ",
      join(", ", [
        for name, value in local.fixed_settings : name
        if can(regex(local.number, value)) && !can(regex(local.number, merge(local.fixed_settings, var.settings)[name]))
      ]),
      ".",
    ])
  }

  validation {
    condition     = !can(regex("^[0.]+$", merge(local.fixed_settings, var.settings)["FIXIT_TARGET_SECONDS"]))
    error_message = "settings must have more than 0 for FIXIT_TARGET_SECONDS: alerts compare with it."
  }
}

variable "alert_email" {
  description = "Who is told of alerts. Empty: nobody, and alerts are shown only."
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
  description = "Tags of every resource."
  type        = map(string)
  default     = {}
  nullable    = false
}
