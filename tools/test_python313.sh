#!/usr/bin/env bash
# test_python313.sh: the package as `pip install .` makes it for Python 3.13, tested with the JAX of that Python (0.12,
# whose profiler has another Python side than 0.10's). PYTHON names the interpreter. What pip builds with is in the
# environment, checked by hashes. The first run compiles everything once more, into build/wheel.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
export PYTHON=${PYTHON:-python3.13}
"$here/venv.sh" build/venv313 tools/requirements/wheel.txt
"$here/step.sh" "the package in build/venv313" install-python313 \
  env PATH="$PWD/build/venv313/bin:$PATH" \
  build/venv313/bin/python -m pip install --disable-pip-version-check --no-input --no-deps --no-build-isolation .
"$here/step.sh" "Python tests, Python 3.13" test-python313 \
  build/venv313/bin/python -m pytest tests/python tests/capture -n auto --dist loadgroup
