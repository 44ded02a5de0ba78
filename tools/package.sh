#!/usr/bin/env bash
# package.sh: makes build/venv find the package in build/python, beside whose modules it links the sources (what is
# edited is what is imported), and the command.
set -euo pipefail
package=build/python/gait
find "$package" -xtype l -delete
find "$PWD/python/gait" -mindepth 1 -maxdepth 1 ! -name __pycache__ -exec ln -sfn -t "$package" {} +
site=$(build/venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
[[ -f $site/gait.pth && $(cat "$site/gait.pth") == "$PWD/build/python" ]] || echo "$PWD/build/python" >"$site/gait.pth"
[[ -e build/venv/bin/gait ]] || ln -s ../../bin/gait build/venv/bin/gait
