// The private endpoints of one network: whatever its app uses gets an address there, and a name that leads to it.

@description('What is reached: an account or the vault by its name, and which of its services.')
param targets { name: string, service: 'blob' | 'queue' | 'table' | 'vault' }[]

param token string
param location string
param tags object
param subnetId string

@description('Ids of the zones by service.')
param zones object

resource endpoint 'Microsoft.Network/privateEndpoints@2025-05-01' = [
  for target in targets: {
    name: 'pe-${target.name}-${target.service}-${token}'
    location: location
    tags: tags
    properties: {
      subnet: { id: subnetId }
      privateLinkServiceConnections: [
        {
          name: target.service
          properties: {
            privateLinkServiceId: target.service == 'vault'
              ? resourceId('Microsoft.KeyVault/vaults', target.name)
              : resourceId('Microsoft.Storage/storageAccounts', target.name)
            groupIds: [target.service]
          }
        }
      ]
    }
  }
]

resource names 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2025-05-01' = [
  for (target, index) in targets: {
    parent: endpoint[index]
    name: 'default'
    properties: {
      privateDnsZoneConfigs: [{ name: target.service, properties: { privateDnsZoneId: zones[target.service] } }]
    }
  }
]
