#!/bin/sh
# How close does selection without labels come to the cost of its largest part? Takes a minute.
set -eu
program="${1:-build/release}/bench/unsupervised/unsupervised_limit"
"$program" hufs 737 4613 5 100
"$program" laplacian 20000 1000
