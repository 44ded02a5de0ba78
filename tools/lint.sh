#!/usr/bin/env bash
# lint.sh [--fix]: checks the format of our own sources (clang-format, ruff) and looks for mistakes (clang-tidy,
# ruff). --fix rewrites what a formatter can.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
ruff=build/venv/bin/ruff
biome=web/node_modules/.bin/biome
mapfile -t sources < <(git ls-files --cached --others --exclude-standard -- '*.h' '*.cc')

if [[ ${1:-} == --fix ]]; then
  clang-format-19 -i "${sources[@]}"
  $ruff check --quiet --fix .
  $ruff format --quiet .
  [[ ! -x $biome ]] || $biome check --write --config-path web web tests/browser
  exit 0
fi

status=0
"$here/step.sh" "clang-format, ${#sources[@]} files" clang-format \
  clang-format-19 --dry-run -Werror "${sources[@]}" || status=1
"$here/step.sh" "ruff check" ruff-check $ruff check . || status=1
"$here/step.sh" "ruff format" ruff-format $ruff format --check . || status=1

"$here/step.sh" "biome" biome $biome check --config-path web web tests/browser || status=1

"$here/step.sh" "clang-tidy" clang-tidy build/venv/bin/python "$here/tidy.py" || status=1
exit $status
