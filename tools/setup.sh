#!/usr/bin/env bash
# setup.sh [bench]: all that a build needs. The Python environments and the web app's packages come over the network,
# which mostly waits; the engine, which needs neither, compiles meanwhile the first time.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
"$here/packages.sh" build

set -m  # each in a process group of its own, so that an interrupt ends all of what it started
jobs=()
trap 'kill -- "${jobs[@]/#/-}" 2>/dev/null || true' EXIT
"$here/venv.sh" build/venv tools/requirements/dev.txt & jobs+=($!)
[[ ${1:-} != bench ]] || { "$here/venv.sh" build/bench-venv tools/requirements/bench.txt & jobs+=($!); }
"$here/web.sh" & jobs+=($!)
# In a new tree. One that was configured before asks for the Python environment whenever CMake runs again.
[[ -f build/build.ninja ]] || { "$here/build.sh" release engine & jobs+=($!); }
status=0
for job in "${jobs[@]}"; do wait "$job" || status=$?; done
exit $status
