// What a network's names resolve to. Two networks cannot share a zone: each has an endpoint of its own for the same
// account, and a zone holds one address of it.

param names string[]
param networkName string
param networkId string
param tags object

resource zone 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for name in names: {
    name: name
    location: 'global'
    tags: tags
  }
]

resource link 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (name, index) in names: {
    parent: zone[index]
    name: networkName
    location: 'global'
    tags: tags
    properties: {
      registrationEnabled: false
      virtualNetwork: { id: networkId }
    }
  }
]
