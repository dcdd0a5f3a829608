#!/bin/sh
# Everything that takes longer than `make test`: the static analyser on all files, both compilers, sanitizers (also
# under the Python module, tests/CMakeLists.txt), a build without BLAS, the Python package as a wheel, Debian packages and
# the source archive, every selector on real data, and fuzzing.
set -eu
cd "$(dirname "$0")/.."
jobs=$(nproc)
export CLADE_FULL=1  # tests that take longer, too
for preset in release clang noblas asan tsan; do
  printf '\n== %s ==\n' "$preset"
  # A precompiled header and batches of sources hide missing includes, so one build does without them.
  flags=
  [ $preset != clang ] || flags='-DCLADE_PCH=OFF -DCLADE_UNITY=OFF'
  cmake --preset $preset $flags >/dev/null
  ninja -C build/$preset -j "$jobs" all benchmarks
  (cd build/$preset && ctest --output-on-failure -j "$jobs")
done
printf '\n== Python wheel ==\n'
CLADE_LONG_TESTS=1 ctest --test-dir build/release --output-on-failure -R 'python\.python\.wheel'
printf '\n== Debian packages and source archive ==\n'
if [ "$(id -u)" = 0 ]; then
  make test-package
else
  echo 'skipped: needs root'
fi
printf '\n== static analysis ==\n'
ninja -C build/release -j "$jobs" lint
printf '\n== selectors on real data ==\n'
data=${CLADE_DATA:-../shared/data}
if [ -d "$data" ]; then
  /usr/bin/python3 -B tests/select/sweep.py build/release/clade "$data"
else
  echo "skipped: no data sets in $data; set CLADE_DATA"
fi
printf '\n== fuzz ==\n'
scripts/fuzz.sh
echo 'test-full: all passed'
