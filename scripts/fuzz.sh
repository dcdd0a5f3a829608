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
  runs=build/fuzz/runs/$name
  mkdir -p "$runs"
  seeds=
  [ -d "fuzz/corpus/$name" ] && seeds="fuzz/corpus/$name"
  printf 'fuzz %-24s ' "$name"
  # Inputs are at most 16 KiB, enough for a model of every kind. Readers may take fixed buffers, and up to 16 MiB where
  # few bytes legitimately stand for many (a sparse row, a compressed member). A single allocation above 20 MiB is
  # therefore an error: memory was taken because a length field said so.
  if build/fuzz/fuzz/$target "$runs" $seeds -max_total_time="$seconds" -max_len=16384 -timeout=10 -rss_limit_mb=2048 \
    -malloc_limit_mb=20 -artifact_prefix="$runs/" -print_final_stats=1 >"$runs.log" 2>&1; then
    grep 'number_of_executed_units' "$runs.log" | awk '{ print $2 " inputs, nothing found" }'
  else
    echo 'FAILED'
    tail -n 40 "$runs.log"
    exit 1
  fi
done
