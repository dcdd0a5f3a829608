#!/bin/sh
# Runs every benchmark: each bench/<question>/run.* answers one question and prints ratios measured in one run.
# Usage: scripts/bench.sh BUILD_TREE
set -eu
cd "$(dirname "$0")/.."
tree=${1:-build/release}
for script in bench/*/run.*; do
  printf '\n== %s ==\n' "$(dirname "$script")"
  case $script in
    *.py) /usr/bin/python3 "$script" "$tree" ;;
    *) "$script" "$tree" ;;
  esac
done
