#!/usr/bin/env bash
# setup.sh [bench]: all that a build needs. The Python environments and the web app's packages come over the network,
# which mostly waits; the engine, which needs neither, compiles meanwhile.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
"$here/packages.sh" build

set -m  # each in a process group of its own, so that an interrupt ends all of what it started
jobs=()
trap 'kill -- "${jobs[@]/#/-}" 2>/dev/null || true' EXIT
"$here/venv.sh" build/venv tools/requirements.txt & jobs+=($!)
[[ ${1:-} != bench ]] || { "$here/venv.sh" build/bench-venv tools/requirements-bench.txt & jobs+=($!); }
"$here/web.sh" & jobs+=($!)
"$here/build.sh" release engine & jobs+=($!)
status=0
for job in "${jobs[@]}"; do wait "$job" || status=$?; done
exit $status
