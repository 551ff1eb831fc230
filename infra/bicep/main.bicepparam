// What azd deploys. It sets AZURE_ENV_NAME and AZURE_LOCATION; all else is set by `azd env set NAME value`, or left:
//
//   FIXIT_STANDBY_LOCATION          northeurope
//   FIXIT_SECOND_APP                true or false, which azure.yaml reads too
//   FIXIT_PRIVATE_NETWORK           true or false
//   FIXIT_DATA_REDUNDANCY           Standard_RAGZRS
//   FIXIT_MAXIMUM_INSTANCE_COUNT    a number
//   FIXIT_INSTANCE_MEMORY_MB        2048 or 4096
//   FIXIT_PER_INSTANCE_CONCURRENCY  a number
//   FIXIT_ALWAYS_READY              a number
//   FIXIT_DEVELOPER_PRINCIPAL_ID    an object id
//   FIXIT_SIGN_IN_CLIENT_ID         an app registration's id
//   FIXIT_SIGN_IN_TENANT_ID         a tenant's id
//   FIXIT_UPLOAD_ORIGINS            https://app.example.com,https://www.example.com
//   FIXIT_REPLY_QUEUES              answers,answers-of-others
//   FIXIT_SMTP_FROM_VAULT           true or false
//   FIXIT_SETTINGS                  {"FIXIT_TARGET_SECONDS": "120"}
//   FIXIT_ALERT_EMAIL               operators@example.com
//   FIXIT_LOG_RETENTION_DAYS        a number
//   FIXIT_TAGS                      {"owner": "maintenance"}
//
// The two secure parameters are left out on purpose: the template makes their values itself.
using 'main.bicep'

import { listOf, textOf } from 'environment.bicep'

param prefix = readEnvironmentVariable('AZURE_ENV_NAME', '')
param location = readEnvironmentVariable('AZURE_LOCATION', '')
param standbyLocation = readEnvironmentVariable('FIXIT_STANDBY_LOCATION', '')
param secondApp = bool(textOf(readEnvironmentVariable('FIXIT_SECOND_APP', ''), 'false'))
param privateNetwork = bool(textOf(readEnvironmentVariable('FIXIT_PRIVATE_NETWORK', ''), 'false'))
// What a variable holds is any text to the compiler; the template has the list of what is allowed.
#disable-next-line no-explicit-any
param dataRedundancy = any(textOf(readEnvironmentVariable('FIXIT_DATA_REDUNDANCY', ''), 'Standard_ZRS'))
param maximumInstanceCount = int(textOf(readEnvironmentVariable('FIXIT_MAXIMUM_INSTANCE_COUNT', ''), '40'))
#disable-next-line no-explicit-any
param instanceMemoryMB = any(int(textOf(readEnvironmentVariable('FIXIT_INSTANCE_MEMORY_MB', ''), '2048')))
param perInstanceConcurrency = int(textOf(readEnvironmentVariable('FIXIT_PER_INSTANCE_CONCURRENCY', ''), '32'))
param alwaysReady = int(textOf(readEnvironmentVariable('FIXIT_ALWAYS_READY', ''), '0'))
param developerPrincipalId = readEnvironmentVariable('FIXIT_DEVELOPER_PRINCIPAL_ID', '')
param signInClientId = readEnvironmentVariable('FIXIT_SIGN_IN_CLIENT_ID', '')
param signInTenantId = readEnvironmentVariable('FIXIT_SIGN_IN_TENANT_ID', '')
param uploadOrigins = listOf(readEnvironmentVariable('FIXIT_UPLOAD_ORIGINS', ''))
param replyQueues = listOf(readEnvironmentVariable('FIXIT_REPLY_QUEUES', ''))
param smtpFromVault = bool(textOf(readEnvironmentVariable('FIXIT_SMTP_FROM_VAULT', ''), 'false'))
param settings = json(textOf(readEnvironmentVariable('FIXIT_SETTINGS', ''), '{}'))
param alertEmail = readEnvironmentVariable('FIXIT_ALERT_EMAIL', '')
param logRetentionDays = int(textOf(readEnvironmentVariable('FIXIT_LOG_RETENTION_DAYS', ''), '30'))
param tags = json(textOf(readEnvironmentVariable('FIXIT_TAGS', ''), '{}'))
