#!/usr/bin/env bash
# compiler.sh: prints the C++ compiler to build with: CXX where it is set, else the first that has std::expected. Ubuntu
# 22.04's own, g++ 11, has not; g++ 12 lies beside it.
set -euo pipefail
candidates=(c++ g++ g++-{12..19} clang++-{19..29})
[[ -z ${CXX:-} ]] || candidates=("$CXX")
for candidate in "${candidates[@]}"; do
  # shellcheck disable=SC2086  # CXX may be several words: ccache g++
  if echo '#include <expected>
      std::expected<int, int> x;' | $candidate -std=c++23 -x c++ -fsyntax-only - 2>/dev/null; then
    for word in $candidate; do
      [[ $word == *ccache || $word == -* ]] || { command -v "$word" && exit 0; }
    done
  fi
done
echo "${CXX:-The C++ compiler here} has no std::expected: g++ 12 or newer has. Name another: make CXX=g++-12" >&2
exit 1
