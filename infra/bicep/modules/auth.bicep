// The platform signs people in, and tells the app who they are. See docs/decisions/0012-who-a-caller-is.md.
//
// The app registration is made beforehand, since a template cannot: docs/deploy.md says how. It has the redirect
// https://<app>/.auth/login/aad/callback, a federated credential for the app's identity, and an app role with the
// value `fixit.operator` for users: who is assigned it is an operator, as the platform hands the claim on.
//
// Nothing here is undone by leaving signInClientId out again: a deployment takes no settings of this kind away. Until
// `az webapp auth update --enabled false` the app then answers nobody, which is the safe way to be wrong. That command
// refuses a site with settings of version 2, as these are, without its extension: `az extension add --name authV2`.

param siteName string
param clientId string
param tenantId string

resource site 'Microsoft.Web/sites@2024-11-01' existing = { name: siteName }

resource settings 'Microsoft.Web/sites/config@2024-11-01' = {
  parent: site
  name: 'authsettingsV2'
  // checkov:skip=CKV_AZURE_13: this is it; the rule knows the version before
  // checkov:skip=CKV_AZURE_63: a rule on another of the site's configurations, as are those below
  // checkov:skip=CKV_AZURE_65: the same
  // checkov:skip=CKV_AZURE_66: the same
  // checkov:skip=CKV_AZURE_80: the same
  // checkov:skip=CKV_AZURE_88: the same
  // checkov:skip=CKV_AZURE_222: the same
  properties: {
    platform: { enabled: true }
    globalValidation: {
      // Who is not signed in is sent to sign in before the app is asked; a program brings a token.
      requireAuthentication: true
      unauthenticatedClientAction: 'RedirectToLoginPage'
      redirectToProvider: 'azureactivedirectory'
      // What is open to everybody. A `*` at the end of a path is taken: the reference of this feature has
      // "/path3/subpath/*" (https://learn.microsoft.com/azure/app-service/configure-authentication-file-based), and the
      // product's team said so (https://github.com/MicrosoftDocs/azure-docs/issues/86514). Were more let through than
      // is listed, the app would still answer 401: it asks itself on every other route who somebody is.
      excludedPaths: ['/api/receipts/*', '/api/health', '/api/openapi.json', '/api/docs']
    }
    httpSettings: { requireHttps: true }
    identityProviders: {
      azureActiveDirectory: {
        enabled: true
        registration: {
          clientId: clientId
          openIdIssuer: '${environment().authentication.loginEndpoint}${tenantId}/v2.0'
          // No secret: this name tells the platform to prove itself by the identity whose client id the setting holds
          // (https://learn.microsoft.com/azure/app-service/configure-authentication-provider-aad).
          clientSecretSettingName: 'OVERRIDE_USE_MI_FIC_ASSERTION_CLIENTID'
        }
        // Programs that bring a token of their own: one of version 2 names the client id, one of version 1 the URI.
        validation: { allowedAudiences: [clientId, 'api://${clientId}'] }
      }
    }
    login: {
      // The app calls nobody in a person's name, so no token is kept.
      tokenStore: { enabled: false }
      // A working day, whatever the person does meanwhile; then the platform asks Entra ID again.
      cookieExpiration: { convention: 'FixedTime', timeToExpiration: '08:00:00' }
    }
  }
}
