#!/bin/sh
# The demonstration: generates hierarchical data, looks at it, converts it, and says where everything is.
set -eu
cd "$(dirname "$0")/.."
clade=build/clade
out=build/demo
rm -rf "$out"
mkdir -p "$out"

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
run() { printf '$ %s\n' "$*"; "$@"; }

say '1. Generate data: 27 classes in a tree of three levels, several labels per sample'
run $clade synth -o $out/synth.arff --depth 3 --fanout 3 --features 20 --samples 1000 --seed 1
say '2. Look at it'
run $clade info $out/synth.arff
say '3. Convert it, with its hierarchy'
run $clade convert $out/synth.arff -o $out/synth.npz
run $clade convert $out/synth.arff -o $out/synth.svm.gz --taxonomy-out $out/tree.csv
run $clade convert $out/synth.arff -o $out/synth.mat
say 'Done'
echo "The files are in $out:"
ls -l $out | awk 'NR > 1 { printf "  %-24s %10d bytes\n", $9, $5 }'
echo "Next: $clade --help, $clade formats, docs/README.md"
