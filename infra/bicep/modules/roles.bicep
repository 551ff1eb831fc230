// What somebody may do: the lines of common/roles.json that are theirs, each at the one resource that it names.

var shared = loadJsonContent('../../common/roles.json')

@description('Whose lines.')
param who 'app' | 'developer'

param principalId string
param principalType 'ServicePrincipal' | 'User'

@description('The identity\'s name or the developer\'s id: known beforehand, so that the names of assignments are too.')
param principalName string

@description('Where the lines apply, by the names of the resources; empty where there is none.')
param host string = ''
param data string
param standby string
param vault string
param insights string = ''

var mine = filter(shared.assignments, each => each.who == who)

resource hostAccount 'Microsoft.Storage/storageAccounts@2025-06-01' existing = if (!empty(host)) { name: host }
resource dataAccount 'Microsoft.Storage/storageAccounts@2025-06-01' existing = { name: data }
resource standbyAccount 'Microsoft.Storage/storageAccounts@2025-06-01' existing = if (!empty(standby)) { name: standby }
resource keyVault 'Microsoft.KeyVault/vaults@2024-11-01' existing = { name: vault }
resource component 'Microsoft.Insights/components@2020-02-02' existing = if (!empty(insights)) { name: insights }

resource onHost 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for each in filter(mine, line => line.where == 'host' && !empty(host)): {
    scope: hostAccount
    name: guid(host, principalName, shared.roles[each.role])
    properties: {
      principalId: principalId
      principalType: principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', shared.roles[each.role])
      description: each.why
    }
  }
]

resource onData 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for each in filter(mine, line => line.where == 'data'): {
    scope: dataAccount
    name: guid(data, principalName, shared.roles[each.role])
    properties: {
      principalId: principalId
      principalType: principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', shared.roles[each.role])
      description: each.why
    }
  }
]

resource onStandby 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for each in filter(mine, line => line.where == 'standby' && !empty(standby)): {
    scope: standbyAccount
    name: guid(standby, principalName, shared.roles[each.role])
    properties: {
      principalId: principalId
      principalType: principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', shared.roles[each.role])
      description: each.why
    }
  }
]

resource onVault 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for each in filter(mine, line => line.where == 'vault'): {
    scope: keyVault
    name: guid(vault, principalName, shared.roles[each.role])
    properties: {
      principalId: principalId
      principalType: principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', shared.roles[each.role])
      description: each.why
    }
  }
]

resource onInsights 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for each in filter(mine, line => line.where == 'insights' && !empty(insights)): {
    scope: component
    name: guid(insights, principalName, shared.roles[each.role])
    properties: {
      principalId: principalId
      principalType: principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', shared.roles[each.role])
      description: each.why
    }
  }
]
