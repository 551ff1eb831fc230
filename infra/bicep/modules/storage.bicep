// A storage account with what lies in it. Nothing has a key here: whoever comes signs in, and has a role.

param name string
param location string
param tags object

@description('Redundancy.')
param sku string

@description('Closed to the public: only private endpoints lead here.')
param isPrivate bool

param queues string[] = []
param tables string[] = []
param containers string[] = []

@description('Origins of pages that may upload to and read from blobs by a link.')
param origins string[] = []

@description('Block blobs below this prefix, which begins with the container, go after uploadDays. Empty: none does.')
param uploadPrefix string = ''
param uploadDays int = 0

resource account 'Microsoft.Storage/storageAccounts@2025-06-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: sku }
  // checkov:skip=CKV_AZURE_35: denied only together with private endpoints, without which the app would not get here
  // checkov:skip=CKV_AZURE_59: the same
  // checkov:skip=CKV_AZURE_36: nobody but the app comes here, and it comes by an endpoint
  // checkov:skip=CKV_AZURE_206: zone redundancy is the default, which this rule does not count; dataRedundancy has more
  properties: {
    accessTier: 'Hot'
    allowBlobPublicAccess: false
    allowCrossTenantReplication: false
    allowSharedKeyAccess: false
    defaultToOAuthAuthentication: true
    isLocalUserEnabled: false
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    publicNetworkAccess: isPrivate ? 'Disabled' : 'Enabled'
    // Deny without a network would lock out the app itself, and its deployment: both come together, or neither does.
    networkAcls: { defaultAction: isPrivate ? 'Deny' : 'Allow', bypass: 'None' }
  }
}

resource blobService 'Microsoft.Storage/storageAccounts/blobServices@2025-06-01' = {
  parent: account
  name: 'default'
  properties: {
    cors: {
      // The same rule as tools/dev/cors.py has for local work: what the app's answer asks for, and what the storage
      // SDKs for browsers add.
      corsRules: empty(origins)
        ? []
        : [
            {
              allowedOrigins: origins
              allowedMethods: ['PUT', 'GET', 'HEAD', 'OPTIONS']
              allowedHeaders: ['content-type', 'x-ms-blob-type', 'x-ms-version', 'x-ms-client-request-id', 'x-ms-date']
              exposedHeaders: ['x-ms-request-id']
              maxAgeInSeconds: 3600
            }
          ]
    }
  }
}

resource queueService 'Microsoft.Storage/storageAccounts/queueServices@2025-06-01' = {
  parent: account
  name: 'default'
}

resource tableService 'Microsoft.Storage/storageAccounts/tableServices@2025-06-01' = {
  parent: account
  name: 'default'
}

resource container 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' = [
  for each in containers: {
    parent: blobService
    name: each
    properties: { publicAccess: 'None' }
  }
]

resource queue 'Microsoft.Storage/storageAccounts/queueServices/queues@2025-06-01' = [
  for each in queues: {
    parent: queueService
    name: each
  }
]

resource table 'Microsoft.Storage/storageAccounts/tableServices/tables@2025-06-01' = [
  for each in tables: {
    parent: tableService
    name: each
  }
]

// Uploads that no task came for. The sweeper claims them earlier; this holds also while no app runs.
resource lifecycle 'Microsoft.Storage/storageAccounts/managementPolicies@2025-06-01' = if (!empty(uploadPrefix)) {
  parent: account
  name: 'default'
  properties: {
    policy: {
      rules: [
        {
          name: 'unclaimed-uploads'
          type: 'Lifecycle'
          enabled: true
          definition: {
            filters: { blobTypes: ['blockBlob'], prefixMatch: [uploadPrefix] }
            actions: { baseBlob: { delete: { daysAfterCreationGreaterThan: uploadDays } } }
          }
        }
      ]
    }
  }
}

// The platform ends each of its addresses with a slash; connections take none.
var endpoints = account.properties.primaryEndpoints
output blobUri string = take(endpoints.blob, length(endpoints.blob) - 1)
output queueUri string = take(endpoints.queue, length(endpoints.queue) - 1)
output tableUri string = take(endpoints.table, length(endpoints.table) - 1)
