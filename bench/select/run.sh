#!/bin/sh
# How close does selection come to the cost of its linear algebra? The papers' largest shapes; minutes.
set -eu
program="${1:-build/release}/bench/select/select_limit"
"$program" 12346 4096 7
"$program" 50000 4096 20
