#!/bin/sh
# Runs every benchmark: each bench/<question>/run.* answers one question and prints ratios measured in one run. Every ratio
# also goes to build/bench/ratios.jsonl, as data; `bench/check.py --ratios FILE` compares it with the history, and with
# --record adds it. Usage: scripts/bench.sh BUILD_TREE
set -eu
cd "$(dirname "$0")/.."
tree=${1:-build/release}
mkdir -p build/bench
export CLADE_BENCH_RATIOS="$PWD/build/bench/ratios.jsonl"
: >"$CLADE_BENCH_RATIOS"
failed=
for script in bench/*/run.*; do
  case $script in
    bench/several_labels/*) continue ;;  # measures quality, and needs data sets
  esac
  printf '\n== %s ==\n' "$(dirname "$script")"
  case $script in
    *.py) /usr/bin/python3 -B "$script" "$tree" || failed="$failed $script" ;;
    *) "$script" "$tree" || failed="$failed $script" ;;
  esac
done
printf '\n%s ratios: %s\n' "$(wc -l <"$CLADE_BENCH_RATIOS")" "$CLADE_BENCH_RATIOS"
if [ -n "$failed" ]; then
  echo "failed:$failed" >&2
  exit 1
fi
