#!/bin/sh
# The demonstration: writes a small collection of texts in a hierarchy of subjects and looks at it, selects words at
# every node, trains classifiers with and without the selection, measures both, explains predictions and compares
# classifiers on generated data. At the end it says how long each step took and where everything is.
set -eu
cd "$(dirname "$0")/.."
clade=${CLADE:-build/clade}
out=${DEMO_FOLDER:-build/demo}
rm -rf "$out"
mkdir -p "$out"

now() { date +%s%N; }
step() {
  end_step
  title=$1
  begin=$(now)
  printf '\n\033[1m%s\033[0m\n' "$title"
}
end_step() {
  [ -z "${title-}" ] || echo "$begin $(now) $title" >>$out/steps
}
run() { printf '$ %s\n' "$*"; "$@"; }
# value FILE KEY: a number of a flat JSON document
value() { sed -n 's/^  "'"$2"'": *\([0-9.e-]*\),*$/\1/p' "$1"; }

# texts COUNT SEED: texts of nine subjects in three groups, one JSON object per line. 18 % of the words belong to the
# subject, 12 % to its group and 15 % to any subject; the others carry no information.
texts() {
  awk -v count="$1" -v draw="$2" '
    function below(n) { draw = draw * 16807 % 2147483647; return draw % n }
    function word_of(name) { return word[name, below(size[name])] }
    function words(name, text, parts, k) {
      size[name] = split(text, parts, " ")
      for (k = 1; k <= size[name]; k++) word[name, k - 1] = parts[k]
    }
    BEGIN {
      words("science", "theory experiment laboratory measurement hypothesis researcher data evidence")
      words("science/astronomy", "star planet telescope orbit galaxy comet moon eclipse nebula satellite")
      words("science/biology", "cell protein gene species enzyme tissue organism evolution membrane bacteria")
      words("science/physics", "quantum particle energy magnet laser electron gravity momentum photon field")
      words("sport", "team player coach season victory training champion record")
      words("sport/football", "goal striker penalty defender pitch kick header keeper midfield league")
      words("sport/tennis", "serve racket volley baseline court backhand set umpire ace tournament")
      words("sport/cycling", "stage sprint mountain bicycle wheel breakaway peloton saddle rider gear")
      words("arts", "artist audience gallery style critic tradition masterpiece premiere")
      words("arts/music", "melody orchestra violin rhythm concert singer chord symphony piano choir")
      words("arts/film", "camera director actor scene screen script studio editing cinema plot")
      words("arts/painting", "canvas brush portrait landscape colour oil sketch pigment fresco stage")
      words("any", "the year people time new first last long day world place work part way city report story \
        question answer group begin end small large open often never always around between")
      n = split("science/astronomy science/biology science/physics sport/football sport/tennis sport/cycling " \
        "arts/music arts/film arts/painting", subject, " ")
      for (k = 0; k < 30; k++) below(2)
      for (d = 0; d < count; d++) {
        own = subject[below(n) + 1]
        group = own; sub("/.*", "", group)
        text = ""
        for (length_left = 6 + below(8); length_left > 0; length_left--) {
          luck = below(100)
          name = luck < 18 ? own : luck < 30 ? group : luck < 45 ? subject[below(n) + 1] : "any"
          text = text (text == "" ? "" : " ") word_of(name)
        }
        printf "{\"doc_label\": \"%s\", \"text\": \"%s\"}\n", own, text
      }
    }'
}

step '1. Write texts: nine subjects in three groups'
texts 3000 1 >$out/train.jsonl
texts 1000 2 >$out/test.jsonl
run head -3 $out/train.jsonl

step '2. Look at them'
run $clade info $out/train.jsonl

step '3. Select words: the best ones at every node'
run $clade select $out/train.jsonl --method hier-fs --top 30 -o $out/ranking.json

step '4. Train: with all words, and with the best 30 of every node'
run $clade train $out/train.jsonl --classifier top-down-logistic -o $out/all.clade
run $clade train $out/train.jsonl --classifier top-down-logistic --features $out/ranking.json -o $out/selected.clade

step '5. Measure both on new texts'
run $clade evaluate $out/all.clade $out/test.jsonl --confusions 3
$clade evaluate $out/all.clade $out/test.jsonl --json --quiet >$out/all.json
$clade evaluate $out/selected.clade $out/test.jsonl --json --quiet >$out/selected.json

step '6. Predict, and explain three predictions'
run $clade predict $out/all.clade $out/test.jsonl --explain 3 --reasons 4 -o $out/predictions.csv

step '7. Compare three classifiers by cross-validation on six generated data sets'
echo 'dataset,method,hierarchical_f1' >$out/results.csv
for seed in 1 2 3 4 5 6; do
  $clade synth -o $out/synth.npz --features 30 --samples 300 --single-label --seed $seed --force --quiet >$out/log
  for classifier in top-down-svm top-down-logistic path-svm; do
    $clade evaluate $out/synth.npz --classifier $classifier --folds 5 --json --quiet >$out/fold.json
    echo "synth$seed,$classifier,$(value $out/fold.json hierarchical_f1)" >>$out/results.csv
  done
done
run $clade compare $out/results.csv --metric hierarchical_f1 --diagram $out/ranks.svg

end_step
rm -f $out/log $out/fold.json $out/synth.npz*
printf '\n\033[1mSummary\033[0m\n'
awk 'BEGIN { print "  seconds  step" }
  { seconds = ($2 - $1) / 1e9; total += seconds; $1 = $2 = ""; printf "  %7.2f  %s\n", seconds, substr($0, 3) }
  END { printf "  %7.2f  altogether\n", total }' $out/steps
rm $out/steps
printf '\n  %-20s  %8s  %15s  %11s\n' 'new texts' accuracy hierarchical_f1 'model bytes'
for model in all selected; do
  printf '  %-20s  %8.4f  %15.4f  %11d\n' "$model words" "$(value $out/$model.json accuracy)" \
    "$(value $out/$model.json hierarchical_f1)" "$(wc -c <$out/$model.clade)"
done
printf '\n  files in %s\n' $out
ls -l $out | awk 'NR > 1 { printf "    %-16s %8d bytes\n", $9, $5 }'
printf '\nNext: %s --help, %s train --list, docs/README.md\n' $clade $clade
