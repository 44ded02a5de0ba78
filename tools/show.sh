#!/usr/bin/env bash
# show.sh COMMAND...: prints a command as a person would type it, then runs it.
set -euo pipefail
printf '\n$ %s\n' "$*"
exec "$@"
