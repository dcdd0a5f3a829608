#!/bin/sh
# Everything that takes longer than `make test`: both compilers, sanitizers, a build without BLAS, and fuzzing.
set -eu
cd "$(dirname "$0")/.."
jobs=$(nproc)
for preset in release clang noblas asan tsan; do
  printf '\n== %s ==\n' "$preset"
  cmake --preset $preset >/dev/null
  ninja -C build/$preset -j "$jobs"
  (cd build/$preset && ctest --output-on-failure -j "$jobs")
done
printf '\n== fuzz ==\n'
scripts/fuzz.sh
echo 'test-full: all passed'
