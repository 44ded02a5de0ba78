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
    --output-junit "$results/$preset.xml" --test-output-size-passed 1000000 --test-output-size-failed 1000000 "$@"
}

# The sanitizers' builds take what the tests before them leave idle, and no more.
build_with_sanitizers() {
  renice -n 19 "$BASHPID" >/dev/null
  "$here/build.sh" asan && "$here/build.sh" tsan gait_base_test gait_read_xplane_test
}

# The threads that share data: the pool and the reader. Analyses run side by side on what no one changes.
test_threads() {
  GTEST_FILTER='ForEach.*:FileMap.*:Reader.*:*SameReading*-*BeyondTheirLimits*' \
    ctest_suite "threaded reader, thread sanitizer" tsan -R '^(base|read/xplane)$'
}

# beside FUNCTION: runs it in a process group of its own, so that an interrupt ends all that it started.
beside() {
  set -m
  "$1" & job=$!
  set +m
}
trap 'kill -- -$job 2>/dev/null || true' EXIT

beside build_with_sanitizers

# As it is shipped: what people see, and what an event costs. Unit tests run with the sanitizers only: compiling each of
# them twice costs more minutes than it finds.
ctest_suite "case files, memory of a trace" release -R '^(cases|trace/memory)$' || status=1
"$here/step.sh" "Python tests" test-python build/venv/bin/python -m pytest tests --ignore tests/labels \
  -n auto --dist loadgroup --junitxml "$results/python.xml" || status=1
"$here/web_test.sh" "$results" || status=1
wait "$job" || exit 1
# Loops that time themselves, with nothing of ours beside them.
"$here/step.sh" "labels" test-labels \
  build/venv/bin/python -m pytest tests/labels --junitxml "$results/labels.xml" || status=1
beside test_threads
ctest_suite "unit tests, address and undefined behaviour sanitizers" asan || status=1
wait "$job" || status=1
GAIT=$PWD/build/asan/bin/gait "$here/step.sh" "the server, address and undefined behaviour sanitizers" test-asan-server \
  build/venv/bin/python -m pytest tests/serve -n auto --junitxml "$results/server.xml" || status=1

build/venv/bin/python "$here/count_tests.py" "$results" || status=1
exit $status
