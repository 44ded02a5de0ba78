#!/usr/bin/env bash
# packages.sh GROUP...: installs the Debian packages of these groups of debian-packages.txt that are missing.
# Does nothing when all are there. Needs root or sudo without a password; otherwise prints the command and stops.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

wanted=()
group=
while read -r word _; do
  case $word in
    '' | '#'*) ;;
    @*) group=${word#@} ;;
    *) if [[ " $* " == *" $group "* ]]; then wanted+=("$word"); fi ;;
  esac
done <"$here/debian-packages.txt"

if ! command -v dpkg-query >/dev/null; then
  echo "This is not a Debian system: the packages ${wanted[*]} are assumed to be there under their own names."
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    echo "These Debian packages are missing, and installing them needs root. Please run:" >&2
    echo "  sudo apt-get update && sudo apt-get install --no-install-recommends -y ${missing[*]}" >&2
    exit 1
  fi
fi

"$here/step.sh" "package lists" apt-update "${as_root[@]}" apt-get update
"$here/step.sh" "${#missing[@]} Debian packages" apt-install \
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --no-install-recommends -y "${missing[@]}"
