// As it is deployed with every option taken.
using '../main.bicep'

param prefix = 'fixit'
param location = 'westeurope'
param standbyLocation = 'northeurope'
param secondApp = true
param privateNetwork = true
param dataRedundancy = 'Standard_RAGZRS'
param maximumInstanceCount = 100
param instanceMemoryMB = 4096
param perInstanceConcurrency = 16
param alwaysReady = 2
param developerPrincipalId = '11111111-1111-4111-8111-111111111111'
param signInClientId = '22222222-2222-4222-8222-222222222222'
param signInTenantId = '33333333-3333-4333-8333-333333333333'
param uploadOrigins = ['https://app.example.com', 'https://www.example.com']
param replyQueues = ['answers', 'answers-of-others']
param smtpFromVault = true
param settings = { FIXIT_TARGET_SECONDS: '120', FIXIT_MAIL_FROM: 'fixit@example.com' }
param alertEmail = 'operators@example.com'
param logRetentionDays = 90
param tags = { owner: 'maintenance' }
