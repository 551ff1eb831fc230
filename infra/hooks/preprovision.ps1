# Before anything is made: the name of the environment is the prefix of all names, and must fit each of them.
$ErrorActionPreference = 'Stop'

$prefix = "$env:AZURE_ENV_NAME"
if ($prefix.Length -le 12 -and $prefix -cmatch '\A[a-z](-?[a-z0-9]){1,11}\z') {
    exit 0
}
[Console]::Error.WriteLine(@"
'$prefix' cannot be the name of an environment, since all resources are named after it: 2 to 12 lower-case letters,
digits and single hyphens, a letter first and no hyphen last. Nothing was made. Make another one, for example:
  azd env new fixit-dev
"@)
exit 1
