#!/bin/sh
# Fuzzes every reader for FUZZ_SECONDS (60) each: no crash, no leak, no hang, no large allocation.
# Usage: scripts/fuzz.sh [TARGET...]     (default: all)
set -eu
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-60}
cmake --preset fuzz >/dev/null
ninja -C build/fuzz

targets="$*"
[ -n "$targets" ] || targets=$(cd build/fuzz/fuzz && ls *_fuzz)
for target in $targets; do
  name=${target%_fuzz}
  work=build/fuzz/work/$name
  mkdir -p "$work"
  seeds=
  [ -d "fuzz/corpus/$name" ] && seeds="fuzz/corpus/$name"
  printf 'fuzz %-24s ' "$name"
  # 4 KiB inputs: 1 MiB in one allocation is far beyond ten times the input.
  if build/fuzz/fuzz/$target "$work" $seeds -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
    -malloc_limit_mb=64 -artifact_prefix="$work/" -print_final_stats=1 >"$work.log" 2>&1; then
    grep 'number_of_executed_units' "$work.log" | awk '{ print $2 " inputs, nothing found" }'
  else
    echo 'FAILED'
    tail -n 40 "$work.log"
    exit 1
  fi
done
