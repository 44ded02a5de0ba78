#!/usr/bin/env bash
# web.sh: builds the web app into web/dist when its sources or docs/ have changed, and writes what it holds into
# build/web/manifest, which the build of the command depends on. Takes the Node.js that is there if it is new enough,
# else one from PyPI in build/node. Does nothing when there is nothing to do.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
[[ -f web/package-lock.json ]] || exit 0

new_enough() { "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number);
  process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null; }

sources=(web) # and the documentation, which becomes pages of the app
[[ ! -d docs ]] || sources+=(docs)
digest() { find "${sources[@]}" \( -name node_modules -o -name dist \) -prune -o -type f -print0 | sort -z | xargs -0 sha256sum; }

mkdir -p build/web
made_from=$(digest)
if [[ -d web/dist && -f build/web/made-from && $(cat build/web/made-from) == "$made_from" ]]; then
  exit 0
fi

if ! command -v npm >/dev/null || ! new_enough node; then
  "$here/venv.sh" build/node "$here/requirements/node.txt"
  PATH=$PWD/build/node/bin:$PATH
fi

# In the folder itself: an interrupted installation has no stamp and is done again.
stamp=web/node_modules/.made-from
packages=$(node --version; cat web/package.json web/package-lock.json)
if [[ ! -f $stamp || $(cat "$stamp") != "$packages" ]]; then
  rm -f "$stamp"
  # Exactly the lock file's, by their hashes; no program of a package runs.
  "$here/step.sh" "packages of the web app" npm-install npm --prefix web ci --ignore-scripts --no-audit --no-fund
  printf '%s\n' "$packages" >"$stamp"
fi
"$here/step.sh" "web app" web npm --prefix web run build
(cd web/dist && find . -type f -print0 | sort -z | xargs -0 sha256sum) >build/web/manifest
printf '%s\n' "$made_from" >build/web/made-from
