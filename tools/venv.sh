#!/usr/bin/env bash
# venv.sh DIRECTORY REQUIREMENTS: a Python environment with exactly this list, checked by the hashes in it (lock.sh). Made
# anew when the list or the interpreter has changed, otherwise nothing is done. PYTHON names the interpreter; 3.11 or newer.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
directory=$1
requirements=$2

new_enough() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# The interpreter that the environment has stays, whatever comes first in PATH now, unless PYTHON asks for another.
python=
candidates=("$directory/bin/python" python3 /usr/bin/python3 python3.{11..19})
[[ -z ${PYTHON:-} ]] || candidates=("$PYTHON")
for candidate in "${candidates[@]}"; do
  if new_enough "$candidate"; then
    python=$candidate
    break
  fi
done
if [[ -z $python ]]; then
  echo "gait needs Python 3.11 or newer with venv; ${PYTHON:-python3} is not. Name another: make PYTHON=/path/python3" >&2
  exit 1
fi

# In the environment itself: an interrupted installation has no stamp and is done again.
stamp=$directory/.made-from
made_from=$("$python" -VV; cat "$requirements")
if [[ -f $stamp && $(cat "$stamp") == "$made_from" ]]; then
  exit 0
fi

# Not one that lies in the directory which is about to go.
python=$("$python" -c 'import os, sys; print(os.path.realpath(sys.executable))')

make_environment() {
  rm -rf "$directory"
  "$python" -m venv "$directory"
  "$directory/bin/python" -m pip install --disable-pip-version-check --no-input --require-hashes -r "$requirements"
}
export -f make_environment
export directory python requirements
"$here/step.sh" "Python environment $directory" "$(basename "$directory")" bash -euc make_environment
printf '%s\n' "$made_from" >"$stamp"
