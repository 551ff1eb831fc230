#!/bin/sh
# Before anything is made: the name of the environment is the prefix of all names, and must fit each of them.
set -eu
LC_ALL=C
export LC_ALL

prefix=${AZURE_ENV_NAME:-}
if [ "${#prefix}" -le 12 ] && ! printf '%s\n' "$prefix" | grep -Eqvx '[a-z](-?[a-z0-9]){1,11}'; then
  exit 0
fi
cat >&2 <<END
'$prefix' cannot be the name of an environment, since all resources are named after it: 2 to 12 lower-case letters,
digits and single hyphens, a letter first and no hyphen last. Nothing was made. Make another one, for example:
  azd env new fixit-dev
END
exit 1
