#!/bin/sh
# After each deployment: waits until every app answers, and says where. The addresses are outputs of the template.
set -eu

command -v curl >/dev/null || { echo "curl is not installed, which asks whether the apps answer." >&2; exit 1; }

patience=${FIXIT_HEALTH_SECONDS:-300}
deadline=$(($(date +%s) + patience))

for url in "${appUrl:-}" "${standbyAppUrl:-}"; do
  [ -n "$url" ] || continue
  # Nothing but 200: a redirect leads to signing in, which this page must not ask for.
  until [ "$(curl --silent --output /dev/null --write-out '%{http_code}' --max-time 10 "$url/api/health")" = 200 ]; do
    if [ "$(date +%s)" -ge "$deadline" ]; then
      echo "$url/api/health does not answer after $patience s: look at the app's log stream, and deploy again." >&2
      exit 1
    fi
    sleep 5
  done
  echo "Fix-It answers at $url"
done
echo "Roles that were just given take effect within minutes: until then a submit may answer 503, or 500."
echo "What to do then: docs/deploy.md, The first minutes."
