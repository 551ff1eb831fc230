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

var accounts = { host: host, data: data, standby: standby }
var mineOnAccounts = filter(mine, line => !empty(accounts[?line.where] ?? ''))

resource account 'Microsoft.Storage/storageAccounts@2025-06-01' existing = [
  for each in mineOnAccounts: { name: accounts[each.where] }
]
resource keyVault 'Microsoft.KeyVault/vaults@2024-11-01' existing = { name: vault }
resource component 'Microsoft.Insights/components@2020-02-02' existing = if (!empty(insights)) { name: insights }

resource onAccount 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (each, at) in mineOnAccounts: {
    scope: account[at]
    name: guid(accounts[each.where], principalName, shared.roles[each.role])
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
