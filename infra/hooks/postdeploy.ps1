# After each deployment: waits until every app answers, and says where. The addresses are outputs of the template.
$ErrorActionPreference = 'Stop'

$patience = if ($env:FIXIT_HEALTH_SECONDS) { [int]$env:FIXIT_HEALTH_SECONDS } else { 300 }
$deadline = (Get-Date).AddSeconds($patience)

foreach ($url in @($env:appUrl, $env:standbyAppUrl)) {
    if (-not $url) { continue }
    while ($true) {
        try {
            # Nothing but 200: a redirect leads to signing in, which this page must not ask for.
            Invoke-WebRequest -Uri "$url/api/health" -TimeoutSec 10 -MaximumRedirection 0 | Out-Null
            break
        } catch {
            if ((Get-Date) -ge $deadline) {
                $advice = "look at the app's log stream, and deploy again."
                [Console]::Error.WriteLine("$url/api/health does not answer after $patience s: $advice")
                exit 1
            }
        }
        Start-Sleep -Seconds 5
    }
    Write-Output "Fix-It answers at $url"
}
Write-Output 'Roles that were just given take effect within minutes: until then a submit may answer 503, or 500.'
Write-Output 'What to do then: docs/deploy.md, The first minutes.'
