#!/usr/bin/env bash
# lint.sh [--fix]: checks the format of our own sources (clang-format, ruff, biome) and looks for mistakes (clang-tidy,
# ruff, biome, tsc) and for what is too large (sizes.py). --fix rewrites what a formatter can.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
ruff=build/venv/bin/ruff
clang_format=$("$here/llvm.sh" clang-format)
[[ ! -d build/node/bin ]] || PATH=$PWD/build/node/bin:$PATH
mapfile -t sources < <(git ls-files --cached --others --exclude-standard -- '*.h' '*.cc')

if [[ ${1:-} == --fix ]]; then
  "$clang_format" -i "${sources[@]}"
  $ruff check --quiet --fix .
  $ruff format --quiet .
  [[ ! -d web/node_modules ]] || npm --prefix web run --silent format
  exit 0
fi

status=0
"$here/step.sh" "clang-format, ${#sources[@]} files" clang-format \
  "$clang_format" --dry-run -Werror "${sources[@]}" || status=1
"$here/step.sh" "sizes of functions and files" sizes build/venv/bin/python "$here/sizes.py" || status=1
"$here/step.sh" "ruff check" ruff-check $ruff check . || status=1
"$here/step.sh" "ruff format" ruff-format $ruff format --check . || status=1

"$here/step.sh" "the web app: biome, tsc" biome npm --prefix web run --silent check || status=1

"$here/build.sh" asan generated  # configured, with the sources that it makes, is enough
"$here/step.sh" "clang-tidy" clang-tidy build/venv/bin/python "$here/tidy.py" || status=1
exit $status
