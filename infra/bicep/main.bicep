// Fix-It in Azure. What both templates share stands in ../common; how it is deployed, in docs/deploy.md; what it costs,
// in docs/cost.md; why the keys are made here, in docs/decisions/0017-keys-are-made-in-the-vault.md.

targetScope = 'subscription'

import { accountOf, isPrefix, nameOf, prefixRule, regionOf, tokenOf, vaultOf } from 'naming.bicep'
import { isMadeOf, isNumber, isOrigin, isQueue, originRule, ownQueueRule, queueRule, quoted } from 'rules.bicep'

var names = loadJsonContent('../common/names.json')
var fixed = loadJsonContent('../common/settings.json')

@description('What every name begins with: a letter, then letters, digits and single dashes, 2 to 12 characters.')
param prefix string

@description('The region of the app and its data.')
param location string

@description('Another region: an account there with a standby lane. Empty: none.')
param standbyLocation string = ''

@description('A second app in the standby region, with the lanes in the other order.')
param secondApp bool = false

// Each app then has up to eight endpoints, paid for by the hour whether tasks come or not.
@description('Virtual networks and private endpoints; storage and vault are closed to the public.')
param privateNetwork bool = false

// Standard_LRS makes every account so, for regions without zones; else the other accounts are Standard_ZRS, and both
// regions need zones. Choose at the first deployment: to gain or lose zones later is a conversion of the account, and
// no deployment does that.
@description('How the data account is kept: the SKU of a storage account.')
@allowed(['Standard_LRS', 'Standard_ZRS', 'Standard_GRS', 'Standard_RAGRS', 'Standard_GZRS', 'Standard_RAGZRS'])
param dataRedundancy string = 'Standard_ZRS'

@description('The most instances that each function group may grow to.')
@minValue(1)
@maxValue(1000)
param maximumInstanceCount int = 40

@description('The memory of an instance, in MB: 2048 or 4096.')
@allowed([2048, 4096])
param instanceMemoryMB int = 2048

@description('How many HTTP requests one instance takes at once.')
@minValue(1)
@maxValue(1000)
param perInstanceConcurrency int = 32

@description('HTTP instances that are always ready.')
@minValue(0)
@maxValue(1000)
param alwaysReady int = 0

@description('The object id of a developer who gets roles on data and vault. Empty: nobody.')
param developerPrincipalId string = ''

@description('The client id of an Entra app registration: people sign in, no key is asked for. Empty: keys are.')
param signInClientId string = ''

@description('The tenant whose people may sign in. Empty: that of the deployment.')
param signInTenantId string = ''

@description('Origins of pages that may upload photos, like https://app.example.com.')
param uploadOrigins string[] = []

@description('Queues that replyTo may name; they are made in the data account.')
param replyQueues string[] = []

@description('The address of the mail server is the secret smtp-url, which an operator writes.')
param smtpFromVault bool = false

@description('Values that differ from infra/common/settings.json, by name.')
param settings { *: string } = {}

@description('Who is told of alerts. Empty: nobody, and alerts are shown only.')
param alertEmail string = ''

@description('How long logs are kept.')
@minValue(30)
@maxValue(730)
param logRetentionDays int = 30

@description('Tags of every resource.')
param tags object = {}

@description('The first key that signs receipts. Leave it: it is made anew each time, and used once.')
@secure()
param receiptKey string = newGuid()

@description('The first key that signs callbacks. Leave it: it is made anew each time, and used once.')
@secure()
param callbackKey string = newGuid()

// What is refused. Everything below uses these, and not the parameters.
var root = isPrefix(prefix) ? prefix : fail('prefix ${prefixRule}')
var home = empty(location) ? fail('location must be given') : regionOf(location)
var standby = regionOf(standbyLocation) == home
  ? fail('standbyLocation must be another region than location')
  : regionOf(standbyLocation)
var hasStandby = !empty(standby)
var hasSecondApp = secondApp && !hasStandby
  ? fail('secondApp needs standbyLocation: it is the region of that app')
  : secondApp
var signInClient = !empty(signInTenantId) && empty(signInClientId)
  ? fail('signInTenantId needs signInClientId: it is the tenant of that app registration')
  : signInClientId
var faultyOrigins = filter(uploadOrigins, each => !isOrigin(each))
var origins = empty(faultyOrigins)
  ? uploadOrigins
  : fail('uploadOrigins may not hold ${quoted(faultyOrigins)}: ${originRule}')
var faultyQueues = filter(replyQueues, each => !isQueue(each))
var takenQueues = filter(replyQueues, each => contains(names.queues, each) || endsWith(each, '-poison'))
var answerQueues = !empty(faultyQueues)
  ? fail('replyQueues may not hold ${quoted(faultyQueues)}: ${queueRule}')
  : !empty(takenQueues) ? fail('replyQueues may not hold ${quoted(takenQueues)}: ${ownQueueRule}') : replyQueues
var unknown = filter(objectKeys(settings), name => !contains(objectKeys(fixed), name))
var merged = union(fixed, settings)
var faultyNumbers = filter(objectKeys(fixed), name => isNumber(fixed[name]) && !isNumber(merged[name]))
var chosen = !empty(unknown)
  ? fail('settings may hold names of infra/common/settings.json only, and not ${join(unknown, ', ')}')
  : !empty(faultyNumbers)
      ? fail('settings must have a number, in digits, for ${join(faultyNumbers, ', ')}')
      : isMadeOf(merged.FIXIT_TARGET_SECONDS, '0.')
          ? fail('settings must have more than 0 for FIXIT_TARGET_SECONDS: alerts compare with it')
          : merged

var otherRedundancy = dataRedundancy == 'Standard_LRS' ? 'Standard_LRS' : 'Standard_ZRS'

var isSignedIn = !empty(signInClient)
var tenantId = empty(signInTenantId) ? tenant().tenantId : signInTenantId
var everywhere = union(tags, { 'azd-env-name': root })

var homeToken = tokenOf(subscription().subscriptionId, root, home)
var standbyToken = tokenOf(subscription().subscriptionId, root, standby)
var dataName = accountOf('d', root, homeToken)
var laneName = hasStandby ? accountOf('l', root, standbyToken) : ''
var vaultName = vaultOf(root, homeToken)
var insightsName = nameOf('appi', root, homeToken)

var groupName = 'rg-${root}'
// No prefix ends so: it is the name of no other deployment's group.
var zonesGroupName = 'rg-${root}_dns'
var homeLane = 'FixItStorage/${names.laneQueues[0]}'
var standbyLane = 'FixItStandby/${names.laneQueues[0]}'

var apps = concat(
  [
    {
      location: home
      token: homeToken
      azdServiceName: 'api'
      lanes: hasStandby ? '${homeLane},${standbyLane}:standby' : homeLane
      networkRange: '10.80.0'
      zonesGroup: groupName
    }
  ],
  hasSecondApp
    ? [
        {
          location: standby
          token: standbyToken
          azdServiceName: 'api-standby'
          lanes: '${standbyLane},${homeLane}:standby'
          networkRange: '10.80.1'
          zonesGroup: zonesGroupName
        }
      ]
    : []
)

resource group 'Microsoft.Resources/resourceGroups@2024-11-01' = {
  name: groupName
  location: home
  tags: everywhere
}

// Only for the second network's zones: two of one name cannot be in one group, and cannot be one (see zones.bicep).
resource zonesGroup 'Microsoft.Resources/resourceGroups@2024-11-01' = if (privateNetwork && hasSecondApp) {
  name: zonesGroupName
  location: home
  tags: everywhere
}

// Modules have names so that a snapshot can follow what one hands to another; else they hang on the deployment's.
module data 'modules/storage.bicep' = {
  name: 'data'
  scope: group
  params: {
    name: dataName
    location: home
    tags: everywhere
    sku: dataRedundancy
    isPrivate: privateNetwork
    queues: union(names.queues, answerQueues)
    tables: names.tables
    containers: names.containers
    origins: origins
    uploadPrefix: names.uploadPrefix
    uploadDays: names.uploadDays
  }
}

module lane 'modules/storage.bicep' = if (hasStandby) {
  name: 'lane'
  scope: group
  params: {
    name: laneName
    location: standby
    tags: everywhere
    sku: otherRedundancy
    isPrivate: privateNetwork
    queues: names.laneQueues
  }
}

module vault 'modules/vault.bicep' = {
  name: 'vault'
  scope: group
  params: {
    name: vaultName
    location: home
    tags: everywhere
    isPrivate: privateNetwork
    receiptKey: receiptKey
    callbackKey: callbackKey
  }
}

var sameForAll = union(chosen, {
  FIXIT_RECEIPT_KEYS: '@Microsoft.KeyVault(SecretUri=${vault.outputs.secretsUri}/receipt-keys)'
  FIXIT_CALLBACK_KEYS: '@Microsoft.KeyVault(SecretUri=${vault.outputs.secretsUri}/callback-keys)'
  FIXIT_SMTP_URL: smtpFromVault ? '@Microsoft.KeyVault(SecretUri=${vault.outputs.secretsUri}/smtp-url)' : ''
  FIXIT_AUTH: isSignedIn ? 'easyauth' : 'key'
  FIXIT_PLATFORM_AUTH: isSignedIn ? 'true' : 'false'
  FIXIT_TENANTS: isSignedIn ? tenantId : ''
  FIXIT_REPLY_QUEUES: join(answerQueues, ',')
  FIXIT_UPLOAD_ORIGINS: join(origins, ',')
  // Whatever the exporter's version, it keeps every line: alerts count them (docs/decisions/0019).
  OTEL_TRACES_SAMPLER: 'microsoft.fixed_percentage'
  OTEL_TRACES_SAMPLER_ARG: '1'
  AzureMonitorExporter__EnableTraceBasedLogsSampler: 'false'
})

module monitoring 'modules/monitoring.bicep' = {
  name: 'monitoring'
  scope: group
  params: {
    workspaceName: nameOf('log', root, homeToken)
    insightsName: insightsName
    actionGroupName: nameOf('ag', root, homeToken)
    prefix: root
    location: home
    tags: everywhere
    logRetentionDays: logRetentionDays
    alertEmail: alertEmail
    targetSeconds: chosen.FIXIT_TARGET_SECONDS
    apps: length(apps)
  }
}

module developer 'modules/roles.bicep' = if (!empty(developerPrincipalId)) {
  name: 'developer'
  scope: group
  params: {
    who: 'developer'
    principalId: developerPrincipalId
    principalType: 'User'
    principalName: developerPrincipalId
    data: dataName
    standby: laneName
    vault: vaultName
  }
  dependsOn: [data, lane, vault]
}

module regions 'modules/region.bicep' = [
  for app in apps: {
    name: 'region-${app.token}'
    scope: group
    params: {
      prefix: root
      tags: everywhere
      app: app
      isPrivate: privateNetwork
      hostRedundancy: otherRedundancy
      settings: sameForAll
      signIn: { clientId: signInClient, tenantId: tenantId }
      scale: {
        maximumInstanceCount: maximumInstanceCount
        instanceMemoryMB: instanceMemoryMB
        perInstanceConcurrency: perInstanceConcurrency
        alwaysReady: alwaysReady
      }
      shared: { data: dataName, standby: laneName, vault: vaultName, insights: insightsName }
      addresses: {
        blobUri: data.outputs.blobUri
        queueUri: data.outputs.queueUri
        tableUri: data.outputs.tableUri
        standbyQueueUri: hasStandby ? lane!.outputs.queueUri : ''
      }
    }
    dependsOn: [monitoring, zonesGroup]
  }
]

output resourceGroup string = groupName
output appName string = nameOf('func', root, homeToken)
output appUrl string = regions[0].outputs.url
output standbyAppName string = hasSecondApp ? nameOf('func', root, standbyToken) : ''
output standbyAppUrl string = hasSecondApp ? regions[1].outputs.url : ''
output dataAccountName string = dataName
output queueServiceUri string = data.outputs.queueUri
output vaultName string = vaultName
output identityClientId string = regions[0].outputs.identityClientId
