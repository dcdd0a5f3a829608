#!/bin/sh
# The demonstration: generates hierarchical data, looks at it, converts it, selects features, measures predictions, compares
# methods, and says where everything is.
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

# guess DATA.csv PERCENT SEED: predictions that repeat the true labels, but for PERCENT of them, which become a neighbour: mostly a
# sibling, sometimes a class on the other side of the tree. The last column of DATA has labels such as 1.3.2;2.1.1.
guess() {
  awk -F, -v percent="$2" -v draw="$3" 'BEGIN { print "sample,rank,label" }
    NR > 1 {
      count = split($NF, labels, ";"); rank = 0; split("", listed)
      for (k = 1; k <= count; k++) {
        split(labels[k], digit, ".")
        draw = draw * 16807 % 2147483647
        if (draw % 100 < percent) {
          at = draw % 3 ? 3 : 1
          digit[at] = digit[at] % 3 + 1
        }
        label = digit[1] "." digit[2] "." digit[3]
        if (!(label in listed)) print NR - 2 "," ++rank "," label
        listed[label] = 1
      }
    }' "$1"
}

say '4. Select features: the best ones at every node of the tree'
run $clade select $out/synth.arff --method hirr-fam --top 5 -o $out/ranking.json

say '5. Measure predictions: the true labels, one in four replaced by a neighbour'
run $clade convert $out/synth.arff -o $out/synth.csv
guess $out/synth.csv 25 7 >$out/predictions.csv
echo "wrote $out/predictions.csv: sample,rank,label"
run $clade evaluate --predictions $out/predictions.csv $out/synth.csv --bootstrap --confusions 3

say '6. Compare methods: three that err more and more often, on six data sets'
echo 'dataset,method,hierarchical_f1' >$out/results.csv
for seed in 1 2 3 4 5 6; do
  $clade synth -o $out/part.csv --depth 3 --fanout 3 --features 20 --samples 50 --seed $seed --force --quiet >$out/part.log
  for percent in 20 25 40; do
    guess $out/part.csv $percent $((100 * seed + percent)) >$out/part_predictions.csv
    f1=$($clade evaluate --predictions $out/part_predictions.csv $out/part.csv --json --quiet |
      sed -n 's/.*"hierarchical_f1": *\([0-9.e-]*\).*/\1/p')
    echo "synth$seed,errs $percent %,$f1" >>$out/results.csv
  done
done
rm -f $out/part*
echo "wrote $out/results.csv: dataset,method,hierarchical_f1"
run $clade compare $out/results.csv --metric hierarchical_f1 --diagram $out/ranks.svg
echo "The diagram is $out/ranks.svg"

say 'Done'
echo "The files are in $out:"
ls -l $out | awk 'NR > 1 { printf "  %-24s %10d bytes\n", $9, $5 }'
echo "Next: $clade --help, $clade formats, docs/README.md"
