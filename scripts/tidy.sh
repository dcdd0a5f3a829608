#!/bin/sh
# Runs clang-tidy on one file; says something only if it finds something. Usage: scripts/tidy.sh BUILD_TREE SOURCE STAMP
set -eu
log=$3.log
# g++ has warnings that clang does not know by name.
if ! clang-tidy-19 --quiet --extra-arg=-Wno-unknown-warning-option -p "$1" "$2" >"$log" 2>&1; then
  cat "$log"
  exit 1
fi
touch "$3"
