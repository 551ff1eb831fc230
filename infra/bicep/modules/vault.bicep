// The vault, and the two keys that the app cannot do without. See docs/decisions/0017-keys-are-made-in-the-vault.md.

param name string
param location string
param tags object

@description('Closed to the public: only private endpoints lead here.')
param isPrivate bool

@secure()
param receiptKey string

@secure()
param callbackKey string

resource vault 'Microsoft.KeyVault/vaults@2024-11-01' = {
  name: name
  location: location
  tags: tags
  // checkov:skip=CKV_AZURE_109: closed only together with private endpoints, without which the app would not get here
  // checkov:skip=CKV_AZURE_189: the same
  properties: {
    tenantId: tenant().tenantId
    sku: { family: 'A', name: 'standard' }
    enableRbacAuthorization: true
    // Nobody can make the keys be forgotten: receipts and signatures that were given hang on them. The cost: after
    // `azd down` the name stays taken for 90 days, and the vault has to be recovered before `azd up`.
    enableSoftDelete: true
    softDeleteRetentionInDays: 90
    enablePurgeProtection: true
    publicNetworkAccess: isPrivate ? 'Disabled' : 'Enabled'
    // The secrets below are written all the same: rules of a network are not asked where a template deploys a secret
    // (https://learn.microsoft.com/azure/key-vault/general/network-security).
    networkAcls: { defaultAction: isPrivate ? 'Deny' : 'Allow', bypass: 'AzureServices' }
  }
}

@onlyIfNotExists()
resource receiptKeys 'Microsoft.KeyVault/vaults/secrets@2024-11-01' = {
  parent: vault
  name: 'receipt-keys'
  // checkov:skip=CKV_AZURE_41: a key that ends by itself takes every receipt with it; they are rotated by hand
  properties: {
    value: receiptKey
    contentType: 'FIXIT_RECEIPT_KEYS'
  }
}

@onlyIfNotExists()
resource callbackKeys 'Microsoft.KeyVault/vaults/secrets@2024-11-01' = {
  parent: vault
  name: 'callback-keys'
  // checkov:skip=CKV_AZURE_41: a key that ends by itself stops every callback; they are rotated by hand
  properties: {
    value: 'whsec_${base64(callbackKey)}'
    contentType: 'FIXIT_CALLBACK_KEYS'
  }
}

@description('Where its secrets are; an address without a version follows a rotation.')
output secretsUri string = '${vault.properties.vaultUri}secrets'
