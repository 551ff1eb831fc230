// A network for one app: it goes out by the first subnet, and what it uses has its addresses in the second.

param name string
param securityGroupName string
param location string
param tags object

@description('The first three numbers of its 256 addresses; those of two networks differ, so that they may be peered.')
param range string

resource securityGroup 'Microsoft.Network/networkSecurityGroups@2025-05-01' = {
  name: securityGroupName
  location: location
  tags: tags
  // The rules that every group has are what is wanted: in from this network, out to anywhere.
  properties: { securityRules: [] }
}

resource network 'Microsoft.Network/virtualNetworks@2025-05-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: ['${range}.0/24'] }
    subnets: [
      {
        // Flex Consumption takes no name with an underscore, and wants the subnet delegated to Microsoft.App.
        name: 'app'
        properties: {
          addressPrefix: '${range}.0/25'
          delegations: [{ name: 'flex', properties: { serviceName: 'Microsoft.App/environments' } }]
          networkSecurityGroup: { id: securityGroup.id }
        }
      }
      {
        name: 'endpoints'
        properties: {
          addressPrefix: '${range}.128/25'
          // Nothing there calls out.
          defaultOutboundAccess: false
          networkSecurityGroup: { id: securityGroup.id }
        }
      }
    ]
  }
}

output id string = network.id
output appSubnetId string = '${network.id}/subnets/app'
output endpointsSubnetId string = '${network.id}/subnets/endpoints'
