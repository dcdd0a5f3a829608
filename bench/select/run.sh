#!/bin/sh
# How close does selection come to the cost of its linear algebra? The papers' largest shapes, and sparse text. Takes
# minutes.
set -eu
program="${1:-build/release}/bench/select/select_limit"
"$program" 951 26214 4 0.0033
"$program" 12346 4096 7 1
"$program" 50000 4096 20 1
# The papers ran out of memory here. "The limit" is no bound for it, because every iteration computes a Gram matrix.
"$program" 50000 4096 20 1 hier-fsnm
