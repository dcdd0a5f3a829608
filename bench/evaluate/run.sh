#!/bin/sh
# How long does evaluating a million predictions take, compared with reading them? And the areas under precision-recall
# curves of all nodes, compared with sorting?
set -eu
"${1:-build/release}/bench/evaluate/node_areas"
"${1:-build/release}/bench/evaluate/evaluate_predictions"
