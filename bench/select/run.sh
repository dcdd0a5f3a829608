#!/bin/sh
# How close does selection come to the cost of its linear algebra? The papers' largest shapes, and sparse text; minutes.
set -eu
program="${1:-build/release}/bench/select/select_limit"
"$program" 951 26214 4 0.0033
"$program" 12346 4096 7 1
"$program" 50000 4096 20 1
# Out of memory in the papers; "the limit" does not bound it: every iteration makes a Gram of its own.
"$program" 50000 4096 20 1 hier-fsnm
