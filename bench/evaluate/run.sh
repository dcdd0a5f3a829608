#!/bin/sh
# How long does evaluating a million predictions take, compared with reading them?
set -eu
"${1:-build/release}/bench/evaluate/evaluate_predictions"
