#!/usr/bin/env bash
# build.sh PRESET [TARGET...]: configures the preset when it is new or its definition has changed, then builds.
# CMAKE_OPTIONS are passed on to CMake. Nothing is printed when there was nothing to do.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# Large pages, asked for many at a time and kept: clang takes a tenth less time.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:glibc.malloc.trim_threshold=1073741824
preset=$1
shift
directory=build
[[ $preset == release ]] || directory=build/$preset

options=${CMAKE_OPTIONS:-}
case $preset in
  release | debug) options+=" -DCMAKE_CXX_COMPILER=$("$here/compiler.sh")" ;;
  *) options+=" -DCMAKE_CXX_COMPILER=$("$here/llvm.sh" clang++)" ;;
esac
if [[ $preset == release && -f build/venv/.made-from ]]; then  # the whole environment: setup.sh makes it meanwhile
  # The Python package, for the interpreter of build/venv; another one is another configuration.
  version=$(build/venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  options+=" -DGAIT_PYTHON=$version -DPython_EXECUTABLE=$PWD/build/venv/bin/python"
fi
configured=$directory/.configured-with
if [[ ! -f $directory/build.ninja || CMakePresets.json -nt $configured || $(cat "$configured") != *"$options"* ]]; then
  # shellcheck disable=SC2086  # several options in one variable
  "$here/step.sh" "configure $preset" "configure-$preset" cmake --preset "$preset" -U 'Python_*' -U '_Python_*' $options
  echo "$options" >"$configured"
fi
if ! ninja -C "$directory" -n "$@" | grep -q 'no work to do'; then
  "$here/step.sh" "build $preset${*:+: $*}" "build-$preset" ninja -C "$directory" "$@"
fi
