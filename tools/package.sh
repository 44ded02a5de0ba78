#!/usr/bin/env bash
# package.sh: makes build/venv find the package that was built in build/python, and the command beside it. Sources
# of the package are links there: what is edited is what is imported.
set -euo pipefail
site=$(build/venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
[[ -f $site/gait.pth && $(cat "$site/gait.pth") == "$PWD/build/python" ]] || echo "$PWD/build/python" >"$site/gait.pth"
[[ -e build/venv/bin/gait ]] || ln -s ../../bin/gait build/venv/bin/gait
