#!/usr/bin/env bash
# lock.sh: writes tools/requirements/NAME.txt from NAME.in: every package with what it brings in, for all Pythons and
# systems, with the hashes of its files. To be run after a change of a list.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
tools/venv.sh build/lock tools/requirements/lock.txt
for list in tools/requirements/*.in; do
  build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
    --upgrade "$list" -o "${list%.in}.txt"
done
