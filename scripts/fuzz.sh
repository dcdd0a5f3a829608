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
  longest=4096
  [ "$name" = model ] && longest=16384
  printf 'fuzz %-24s ' "$name"
  # Inputs are at most 4 KiB, or 16 KiB for model files: joint and kernel models do not fit in less. Readers may take fixed buffers and up to 16 MiB where few bytes rightly stand for many
  # (a sparse row, a compressed member), so a single allocation is stopped at 20 MiB: what a length field claims does not
  # get that far.
  if build/fuzz/fuzz/$target "$runs" $seeds -max_total_time="$seconds" -max_len="$longest" -timeout=10 -rss_limit_mb=2048 \
    -malloc_limit_mb=20 -artifact_prefix="$runs/" -print_final_stats=1 >"$runs.log" 2>&1; then
    grep 'number_of_executed_units' "$runs.log" | awk '{ print $2 " inputs, nothing found" }'
  else
    echo 'FAILED'
    tail -n 40 "$runs.log"
    exit 1
  fi
done
