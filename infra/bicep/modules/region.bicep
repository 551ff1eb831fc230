// An app, and what is its own: identity, plan, host account, network. All else it shares with the other.

import { accountOf, nameOf } from '../naming.bicep'
import { addressesOf, appOf, scaleOf, sharedOf, signInOf } from '../types.bicep'

var names = loadJsonContent('../../common/names.json')
var services = ['blob', 'queue', 'table']

param prefix string
param tags object
param app appOf
param shared sharedOf
param addresses addressesOf
param signIn signInOf
param scale scaleOf
param isPrivate bool
param hostRedundancy string

@description('The FIXIT_ settings that are the same for every app.')
param settings { *: string }

var appName = nameOf('func', prefix, app.token)
var identityName = nameOf('id', prefix, app.token)
var hostName = accountOf('h', prefix, app.token)
var networkName = nameOf('vnet', prefix, app.token)

module identity 'identity.bicep' = {
  name: 'identity-${app.token}'
  params: { name: identityName, location: app.location, tags: tags }
}

// Apart from the data, and one for each app: two apps on one account would share locks, and run their timers once.
module host 'storage.bicep' = {
  name: 'host-${app.token}'
  params: {
    name: hostName
    location: app.location
    tags: tags
    sku: hostRedundancy
    isPrivate: isPrivate
    containers: [names.deploymentContainer]
  }
}

module roles 'roles.bicep' = {
  name: 'roles-${app.token}'
  params: {
    who: 'app'
    principalId: identity.outputs.principalId
    principalType: 'ServicePrincipal'
    principalName: identityName
    host: hostName
    data: shared.data
    standby: shared.standby
    vault: shared.vault
    insights: shared.insights
  }
  dependsOn: [host]
}

module network 'network.bicep' = if (isPrivate) {
  name: 'network-${app.token}'
  params: {
    name: networkName
    securityGroupName: nameOf('nsg', prefix, app.token)
    location: app.location
    tags: tags
    range: app.networkRange
  }
}

var zoneNames = {
  blob: 'privatelink.blob.${environment().suffixes.storage}'
  queue: 'privatelink.queue.${environment().suffixes.storage}'
  table: 'privatelink.table.${environment().suffixes.storage}'
  vault: 'privatelink${replace(environment().suffixes.keyvaultDns, '.vault.', '.vaultcore.')}'
}

module zones 'zones.bicep' = if (isPrivate) {
  name: 'zones-${app.token}'
  scope: resourceGroup(app.zonesGroup)
  params: {
    names: map(items(zoneNames), each => each.value)
    networkName: networkName
    networkId: network!.outputs.id
    tags: tags
  }
}

module endpoints 'endpoints.bicep' = if (isPrivate) {
  name: 'endpoints-${app.token}'
  params: {
    targets: concat(
      flatten(map([hostName, shared.data], account => map(services, service => { name: account, service: service }))),
      empty(shared.standby) ? [] : [{ name: shared.standby, service: 'queue' }],
      [{ name: shared.vault, service: 'vault' }]
    )
    token: app.token
    location: app.location
    tags: tags
    subnetId: network!.outputs.endpointsSubnetId
    zones: mapValues(zoneNames, name => resourceId(app.zonesGroup, 'Microsoft.Network/privateDnsZones', name))
  }
  dependsOn: [host, zones]
}

// Asked here, so that no module has it among its outputs, which a deployment's history shows.
resource insights 'Microsoft.Insights/components@2020-02-02' existing = { name: shared.insights }

var byIdentity = { credential: 'managedidentity', clientId: identity.outputs.clientId }

module site 'app.bicep' = {
  name: 'site-${app.token}'
  params: {
    name: appName
    planName: nameOf('plan', prefix, app.token)
    location: app.location
    tags: tags
    azdServiceName: app.azdServiceName
    identityId: identity.outputs.id
    packageUri: '${host.outputs.blobUri}/${names.deploymentContainer}'
    scale: scale
    subnetId: isPrivate ? network!.outputs.appSubnetId : ''
    settings: union(
      settings,
      {
        AzureWebJobsStorage__blobServiceUri: host.outputs.blobUri
        AzureWebJobsStorage__queueServiceUri: host.outputs.queueUri
        AzureWebJobsStorage__tableServiceUri: host.outputs.tableUri
        AzureWebJobsStorage__credential: byIdentity.credential
        AzureWebJobsStorage__clientId: byIdentity.clientId
        FixItStorage__blobServiceUri: addresses.blobUri
        FixItStorage__queueServiceUri: addresses.queueUri
        FixItStorage__tableServiceUri: addresses.tableUri
        FixItStorage__credential: byIdentity.credential
        FixItStorage__clientId: byIdentity.clientId
        FIXIT_LANES: app.lanes
        APPLICATIONINSIGHTS_CONNECTION_STRING: insights.properties.ConnectionString
        APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${byIdentity.clientId};Authorization=AAD'
      },
      empty(shared.standby)
        ? {}
        : {
            FixItStandby__queueServiceUri: addresses.standbyQueueUri
            FixItStandby__credential: byIdentity.credential
            FixItStandby__clientId: byIdentity.clientId
          },
      empty(signIn.clientId) ? {} : { OVERRIDE_USE_MI_FIC_ASSERTION_CLIENTID: byIdentity.clientId }
    )
  }
  // An app that starts before it may read its package, or before there is a way to it, fails its first deployment.
  dependsOn: [roles, endpoints]
}

module auth 'auth.bicep' = if (!empty(signIn.clientId)) {
  name: 'auth-${app.token}'
  params: { siteName: appName, clientId: signIn.clientId, tenantId: signIn.tenantId }
  dependsOn: [site]
}

output url string = 'https://${site.outputs.hostName}'
output identityClientId string = identity.outputs.clientId
