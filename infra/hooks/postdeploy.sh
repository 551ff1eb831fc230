#!/bin/sh
# After each deployment: waits until every app answers, and says where. The addresses are outputs of the template.
set -eu

patience=${FIXIT_HEALTH_SECONDS:-300}
deadline=$(($(date +%s) + patience))

for url in "${appUrl:-}" "${standbyAppUrl:-}"; do
  [ -n "$url" ] || continue
  until curl --silent --fail --output /dev/null --max-time 10 "$url/api/health"; do
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
