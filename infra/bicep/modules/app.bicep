// The function app: Flex Consumption, Python, everything by one identity.

import { scaleOf } from '../types.bicep'

param name string
param planName string
param location string
param tags object
param azdServiceName string

@description('The one identity: it reads the package, opens the connections, and resolves what is in the vault.')
param identityId string

@description('Where the package is put: the address of a container.')
param packageUri string

@description('The app settings.')
param settings { *: string }

param scale scaleOf

@description('The subnet that it goes out by; empty: none.')
param subnetId string

resource plan 'Microsoft.Web/serverfarms@2024-11-01' = {
  name: planName
  location: location
  tags: tags
  kind: 'functionapp'
  sku: { name: 'FC1', tier: 'FlexConsumption' }
  // checkov:skip=CKV_AZURE_225: instances in several zones are kept ready and paid for, and the queue outlives a zone
  properties: { reserved: true }
}

resource site 'Microsoft.Web/sites@2024-11-01' = {
  name: name
  location: location
  tags: union(tags, { 'azd-service-name': azdServiceName })
  kind: 'functionapp,linux'
  identity: { type: 'UserAssigned', userAssignedIdentities: { '${identityId}': {} } }
  // checkov:skip=CKV_AZURE_17: callers have keys, or sign in
  // checkov:skip=CKV_AZURE_212: Flex Consumption counts instances itself; alwaysReady is the option
  // checkov:skip=CKV_AZURE_213: Flex Consumption has no health check of the platform's
  // checkov:skip=CKV_AZURE_222: callers come from outside
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    // With private networks too: callers, and the deployment of the package, come from outside.
    publicNetworkAccess: 'Enabled'
    keyVaultReferenceIdentity: identityId
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    siteConfig: {
      minTlsVersion: '1.2'
      scmMinTlsVersion: '1.2'
      ftpsState: 'Disabled'
      http20Enabled: true
      appSettings: map(items(settings), each => { name: each.key, value: each.value })
    }
    functionAppConfig: {
      runtime: { name: 'python', version: '3.13' }
      deployment: {
        storage: {
          type: 'blobContainer'
          value: packageUri
          authentication: { type: 'UserAssignedIdentity', userAssignedIdentityResourceId: identityId }
        }
      }
      scaleAndConcurrency: {
        // The limit counts for each group that scales by itself: http is one, and so is each queue's function. It is
        // also what a fault can cost at most.
        maximumInstanceCount: scale.maximumInstanceCount
        instanceMemoryMB: scale.instanceMemoryMB
        // Instances that wait ready are paid for by the second; without one the first request waits for a start.
        alwaysReady: scale.alwaysReady == 0 ? [] : [{ name: 'http', instanceCount: scale.alwaysReady }]
        triggers: { http: { perInstanceConcurrency: scale.perInstanceConcurrency } }
      }
    }
  }
}

// Nobody publishes with a password.
resource ftp 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2024-11-01' = {
  parent: site
  name: 'ftp'
  properties: { allow: false }
}

resource scm 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2024-11-01' = {
  parent: site
  name: 'scm'
  properties: { allow: false }
}

output hostName string = site.properties.defaultHostName
