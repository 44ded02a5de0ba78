#!/usr/bin/env bash
# lock.sh: writes tools/requirements/NAME.txt from NAME.in: every package with what it brings in, for all Pythons and
# systems, with the hashes of its files. To be run after a change of a list.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
[[ -x build/lock/bin/uv ]] || { python3 -m venv build/lock && build/lock/bin/pip install --quiet uv==0.13.8; }
for list in tools/requirements/*.in; do
  build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
    --upgrade "$list" -o "${list%.in}.txt"
done
