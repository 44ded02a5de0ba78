#!/usr/bin/env bash
# fuzz.sh SECONDS [FUZZER]: runs each fuzzer of build/fuzz this long, or one of them, one on each core at a time. New
# inputs are kept in build/fuzz/corpus, a crashing one is left in build/fuzz/crashes and its path printed. An input may take
# FUZZ_TIMEOUT=10 seconds: more for a fuzzer that other work keeps waiting.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
seconds=$1

if [[ $# -eq 1 ]]; then
  shopt -s nullglob
  fuzzers=(build/fuzz/bin/*_fuzzer)
  if [[ ${#fuzzers[@]} -eq 0 ]]; then
    echo "No fuzzer was built." >&2
    exit 1
  fi
  printf '%s\n' "${fuzzers[@]}" | xargs -P "$(nproc)" -n 1 "$0" "$seconds"
  exit
fi

fuzzer=$2
name=$(basename "$fuzzer" _fuzzer)
corpus=build/fuzz/corpus/$name
crashes=build/fuzz/crashes
mkdir -p "$corpus" "$crashes"
seeds=()
[[ ! -d fuzz/corpus/$name ]] || seeds+=("fuzz/corpus/$name")
case $name in xplane | answers | html) seeds+=(fuzz/corpus/captures) ;; esac
"$here/step.sh" "fuzz $name for $seconds s" "fuzz-$name" "$fuzzer" -max_total_time="$seconds" -rss_limit_mb=4096 \
  -timeout="${FUZZ_TIMEOUT:-10}" -artifact_prefix="$crashes/$name-" -print_final_stats=1 "$corpus" "${seeds[@]}"
