// Where telemetry goes, what alerts on it, and a workbook to look at it.

var alerts = loadJsonContent('../../common/alerts.json')

param workspaceName string
param insightsName string
param actionGroupName string
param prefix string
param location string
param tags object

param logRetentionDays int

@description('Who is told; empty: alerts fire, and nobody is.')
param alertEmail string

@description('FIXIT_TARGET_SECONDS, as the apps have it.')
param targetSeconds string

@description('How many apps report.')
param apps int

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-02-01' = {
  name: workspaceName
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: logRetentionDays
    features: { disableLocalAuth: true }
  }
}

resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: insightsName
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspace.id
    // So its connection string is no credential: telemetry is sent by identity, with a role.
    DisableLocalAuth: true
  }
}

resource people 'Microsoft.Insights/actionGroups@2023-01-01' = if (!empty(alertEmail)) {
  name: actionGroupName
  location: 'global'
  tags: tags
  properties: {
    enabled: true
    groupShortName: prefix
    emailReceivers: [{ name: 'mail', emailAddress: alertEmail, useCommonAlertSchema: true }]
  }
}

resource rule 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = [
  for alert in alerts: {
    name: 'alert-${prefix}-${alert.name}'
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: alert.title
      description: alert.description
      severity: alert.severity
      enabled: true
      scopes: [insights.id]
      evaluationFrequency: alert.every
      windowSize: alert.window
      autoMitigate: alert.resolves
      criteria: {
        allOf: [
          {
            query: replace(replace(join(alert.query, '\n'), '{targetSeconds}', targetSeconds), '{apps}', string(apps))
            timeAggregation: 'Count'
            operator: alert.operator
            threshold: alert.threshold
            failingPeriods: {
              numberOfEvaluationPeriods: alert.failing.of
              minFailingPeriodsToAlert: alert.failing.min
            }
          }
        ]
      }
      actions: { actionGroups: empty(alertEmail) ? [] : [people.id] }
    }
  }
]

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  name: guid(insightsName, 'workbook')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: 'Fix-It (${prefix})'
    category: 'workbook'
    sourceId: insights.id
    serializedData: string(loadJsonContent('../../common/workbook.json'))
  }
}
