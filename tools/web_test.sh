#!/usr/bin/env bash
# web_test.sh RESULTS: the web app's unit tests, and its pages in Chromium against the built command. JUnit files go to
# the directory RESULTS. Both run, also after a failure; the exit status is 1 if a test failed.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
results=$1
mkdir -p "$results"
[[ ! -d build/node/bin ]] || PATH=$PWD/build/node/bin:$PATH
status=0
"$here/step.sh" "unit tests of the web app" test-web \
  npm --prefix web test -- --reporter=junit --outputFile="$results/web.xml" || status=1
"$here/step.sh" "pages in Chromium" test-browser \
  node --test --test-concurrency=2 --test-reporter=spec --test-reporter-destination=stdout \
  --test-reporter=junit --test-reporter-destination="$results/browser.xml" tests/browser/*.test.mjs || status=1
exit $status
