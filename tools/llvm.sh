#!/usr/bin/env bash
# llvm.sh NAME: prints which program is LLVM's NAME (clang++, clang-format, clang-tidy): version 19 where it is there,
# otherwise a newer one. Older ones do not find <expected>.
set -euo pipefail
for candidate in "$1-19" "$1" "$1"-{20..29}; do
  version=$("$candidate" --version 2>/dev/null | sed -nE 's/.*version ([0-9]+).*/\1/p' | head -n 1) || continue
  if [[ ${version:-0} -ge 19 ]]; then
    echo "$candidate"
    exit 0
  fi
done
echo "$1 of LLVM 19 or newer is not here, and the package lists of this system may not have it." >&2
exit 1
