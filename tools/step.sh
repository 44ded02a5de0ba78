#!/usr/bin/env bash
# step.sh TITLE LOG COMMAND...: runs a command, its output in build/log/LOG.log, and prints one line with the time it
# took. On a terminal the title stands there from the beginning. When the command fails the end of the log follows, and
# the exit status is the command's.
set -euo pipefail
title=$1
log=$(dirname "$(readlink -f "$0")")/../build/log/$2.log
shift 2

mkdir -p "$(dirname "$log")"
if [[ -t 1 ]]; then printf '  %-58s ...\r' "$title"; fi
begin=$(date +%s%N)
status=0
"$@" >"$log" 2>&1 || status=$?
took=$((($(date +%s%N) - begin) / 100000000))
if [[ $status -eq 0 ]]; then
  printf '  %-58s %5d.%d s\n' "$title" $((took / 10)) $((took % 10))
else
  printf '  %-58s failed\n\n' "$title"
  tail -n 60 "$log"
  printf '\nThe whole output is in %s\n' "$(realpath --relative-to=. "$log")"
fi
exit $status
