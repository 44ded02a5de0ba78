#!/usr/bin/env bash
# view.sh GAIT DIRECTORY: ends `make run` with the viewer. At a terminal it serves until Ctrl-C; without one it checks
# that the page and the list of runs answer, and ends.
set -euo pipefail
gait=$1
directory=$2

if [[ -t 0 && -t 1 ]]; then
  printf '\n$ %s view %s\n' "$gait" "$directory"
  exec "$gait" view "$directory"
fi

log=build/log/view.log
mkdir -p "$(dirname "$log")"
"$gait" view "$directory" --port 0 --no-browser >"$log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 100); do
  grep -q '^http' "$log" && break
  if ! kill -0 "$server" 2>/dev/null; then
    cat "$log" >&2
    exit 1
  fi
  sleep 0.1
done
url=$(sed -n 's/#.*//; /^http/p' "$log")
# Not as an argument: everyone on this machine sees those, and the token is in it.
GAIT_VIEW_URL=$url build/venv/bin/python - <<'PYTHON'
import json
import os
import urllib.request

origin, token = os.environ["GAIT_VIEW_URL"].split("?token=")


def get(path):
    request = urllib.request.Request(origin + path, headers={"Authorization": f"Bearer {token}"})
    return urllib.request.urlopen(request, timeout=60).read()


page = get("")
runs = json.loads(get("api/runs"))["runs"]
overview = json.loads(get(f"api/runs/{runs[0]['id']}/overview"))
assert b"<html" in page, "the page is no page"
print(f"\nThe viewer answers: {len(runs)} {'run' if len(runs) == 1 else 'runs'}; the newest: {overview['answer']}")
print("Look at it with: build/bin/gait view runs")
PYTHON
