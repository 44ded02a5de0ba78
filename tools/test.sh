#!/usr/bin/env bash
# test.sh: runs every test of a built tree and closes with the number of tests passed and failed. All suites run, also
# after a failure; the exit status is 1 if any test failed.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
results=$PWD/build/log/tests
rm -rf "$results"
mkdir -p "$results"
status=0

ctest_suite() {  # TITLE PRESET CTEST-OPTION...
  local title=$1 preset=$2
  shift 2
  "$here/step.sh" "$title" "test-$preset" ctest --preset "$preset" --no-tests=error --parallel "$(nproc)" \
    --output-junit "$results/$preset.xml" --test-output-size-passed 1000000 --test-output-size-failed 1000000 "$@" ||
    status=1
}

# The sanitizers' build takes what the tests before it leave idle, and no more. It is in a process group of its own, so
# that an interrupt ends all that it started.
set -m
nice -n 19 "$here/build.sh" asan & building=$!
set +m
trap 'kill -- -$building 2>/dev/null || true' EXIT

# As it is shipped: what people see, and what an event costs. Unit tests run with the sanitizers only: compiling each of
# them twice costs more minutes than it finds.
ctest_suite "case files, memory of a trace" release -R '^(cases|trace/memory)$'
"$here/step.sh" "Python tests" test-python \
  build/venv/bin/python -m pytest tests -n auto --dist loadgroup --junitxml "$results/python.xml" || status=1
"$here/web_test.sh" "$results" || status=1
wait "$building" || exit 1
trap - EXIT
ctest_suite "unit tests, address and undefined behaviour sanitizers" asan
# The threads that share data: the pool and the reader. Analyses run side by side on what no one changes.
"$here/build.sh" tsan gait_base_test gait_read_xplane_test
GTEST_FILTER='ForEach.*:FileMap.*:Reader.*:*SameReading*' ctest_suite "threaded reader, thread sanitizer" tsan -R '^(base|read/xplane)$'

build/venv/bin/python "$here/count_tests.py" "$results" || status=1
exit $status
