#!/usr/bin/env bash
# capture.sh DIRECTORY OPTIONS [FRESH]: a profile of examples/gpt in DIRECTORY. The one that is there is kept unless
# the example, its options or the Python packages have changed since, or FRESH is not empty.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
directory=$1
options=$2
fresh=${3:-}

stamp=$directory/.made-from
made_from=$(echo "$options" | cat - examples/gpt/*.py build/venv/.made-from | sha256sum)
if [[ -z $fresh && -f $stamp && $(cat "$stamp") == "$made_from" ]]; then
  exit 0
fi
# shellcheck disable=SC2086  # several options in one argument
"$here/step.sh" "capture of examples/gpt in $directory" capture \
  build/venv/bin/python examples/gpt/train.py $options --profile "$directory"
echo "$made_from" >"$stamp"
