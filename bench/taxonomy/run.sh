#!/bin/sh
# How long does it take to build a taxonomy of 500,000 nodes, and how much memory does it need?
exec "$1/bench/taxonomy/build_taxonomy"
