// What modules are told together.

@export()
@description('How far an app scales.')
type scaleOf = {
  maximumInstanceCount: int
  instanceMemoryMB: int
  perInstanceConcurrency: int
  alwaysReady: int
}

@export()
@description('What both apps use, by name; standby is empty where there is no such account.')
type sharedOf = {
  data: string
  standby: string
  vault: string
  insights: string
}

@export()
@description('Where that is: known only once it is made, so apart from the names.')
type addressesOf = {
  blobUri: string
  queueUri: string
  tableUri: string
  standbyQueueUri: string
}

@export()
@description('Who signs people in; clientId is empty where nobody does.')
type signInOf = {
  clientId: string
  tenantId: string
}

@export()
@description('One app: where it is, what azd calls it, its lanes, and what its network is made of.')
type appOf = {
  location: string
  token: string
  azdServiceName: string
  lanes: string
  networkRange: string
  zonesGroup: string
}
