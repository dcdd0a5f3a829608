#!/bin/sh
# The demonstration: makes a corpus out of WordNet, shows its hierarchy, selects words at every node, trains three
# classifiers, compares them, writes a page about one of them and asks it about three sentences. At the end it says what
# was learned. Without WordNet it takes generated text, in the same steps.
#
# DEMO_FOLDER  where the files go (build/demo)      DEMO_WORDNET  folder of WordNet (/usr/share/wordnet)
# DEMO_SIZE    small: few documents, for the tests   CLADE         the tool (build/clade)
set -eu
# Paths are those of the folder in which this is called.
from_here() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }
clade=${CLADE:-build/clade}
out=build/demo
wordnet=/usr/share/wordnet
case ${CLADE-} in */*) clade=$(from_here "$CLADE") ;; esac
[ -z "${DEMO_FOLDER-}" ] || out=$(from_here "$DEMO_FOLDER")
[ -z "${DEMO_WORDNET-}" ] || wordnet=$(from_here "$DEMO_WORDNET")
cd "$(dirname "$0")/.."
size=${DEMO_SIZE:-full}
log=$out/log.txt
# Only what an earlier run made is removed.
if [ -n "${DEMO_FOLDER-}" ] && [ -e "$out" ] && [ -n "$(ls -A "$out")" ] && ! grep -qs '^# scripts/demo.sh$' "$log"; then
  echo "demo: $out is not empty and not of an earlier run; expected another DEMO_FOLDER" >&2
  exit 1
fi
rm -rf "$out"
mkdir -p "$out"
echo '# scripts/demo.sh' >"$log"

bold() { if [ -t 1 ]; then printf '\n\033[1m%s\033[0m\n' "$1"; else printf '\n%s\n' "$1"; fi; }
now() { date +%s%N; }
step() {
  end_step
  title=$1
  begin=$(now)
  bold "$title"
}
end_step() { [ -z "${title-}" ] || echo "$begin $(now) $title" >>"$out/steps"; }

# do_quietly COMMAND...: standard output goes to $out/shown, everything else to the log.
do_quietly() {
  echo "\$ $*" >>"$log"
  "$@" >"$out/shown" 2>>"$log" || { echo "demo: this failed: $*" >&2; tail -n 3 "$log" >&2; exit 1; }
  cat "$out/shown" >>"$log"
}
# run COMMAND...: the same, and shows the command.
run() {
  printf '$ %s\n' "$*"
  do_quietly "$@"
}
# value FILE KEY: a number of a flat JSON document
value() { sed -n 's/^  "'"$2"'": *\([0-9.e-]*\),*$/\1/p' "$1"; }

train=$out/corpus/train.jsonl
test=$out/corpus/test.jsonl
if [ -f "$wordnet/data.noun" ]; then
  step '1. Make a corpus out of WordNet: each document explains a noun, and its class says what that noun is a kind of'
  if [ "$size" = full ]; then smallest=100; else smallest=2000; fi
  if [ "$wordnet" = /usr/share/wordnet ]; then set --; else set -- --wordnet "$wordnet"; fi
  run "$clade" wordnet -o "$out/corpus" --tree --min-size $smallest "$@"
  head -n 1 "$out/shown"
  if [ "$size" = small ]; then
    do_quietly "$clade" split "$train" -o "$out/train" --per-class 30
    do_quietly "$clade" split "$test" -o "$out/test" --per-class 10
    train=$out/train/train.jsonl test=$out/test/train.jsonl
  else
    echo 'With --min-size 50, the default, there are 913 classes; without --tree, a class may have several parents.'
  fi
  cat >"$out/sentences.txt" <<'TEXTS'
a small dog with long ears kept for hunting
a stringed instrument played with a bow
someone who writes plays for the theatre
TEXTS
else
  step '1. Generate a corpus'
  echo "No WordNet in $wordnet (package wordnet-base), so the texts are generated: topics of made-up words."
  if [ "$size" = full ]; then shape='--levels 8,40,200'; else shape='--levels 3,12 --words 2000'; fi
  if [ "$size" = full ]; then documents=20000; else documents=600; fi
  mkdir -p "$out/corpus"
  run "$clade" synth --text -o "$train" --documents $documents $shape --taxonomy-out "$out/corpus/taxonomy.csv"
  cat "$out/shown"
  run "$clade" synth --text -o "$test" --documents $((documents / 4)) --first $documents --noise 0 $shape
  cat "$out/shown"
  sed -n '1,3s/.*"text": "\(.*\)"}$/\1/p' "$test" >"$out/sentences.txt"
fi

step '2. Look at its hierarchy'
run "$clade" info "$train"
awk 'NR > 1 && /^nodes per level/ {exit} NR > 1 {if (waiting) print ""; waiting = !NF; if (NF) print}' "$out/shown"
[ ! -f "$wordnet/data.noun" ] || printf '\nA number tells meanings apart: matter#3 is the third meaning of the word matter.\n'

step '3. Select the words that tell the children of every node apart'
run "$clade" select "$train" --method hier-fisher --top 30 -o "$out/ranking.json"
: >"$out/words"
awk -v file="$out/words" 'NF == 0 && on {exit}
  /^  node /{on = 1; at = index($0, "best features"); width = index($0, " samples"); print; next}
  on && !/more nodes$/ && ++nodes <= 11 {
    name = substr($0, 3, width - 3); sub(/ +$/, "", name)
    words = substr($0, at); while (length(words) > 80) sub(/,[^,]*$/, "", words)
    print substr($0, 1, at - 1) words
    if (nodes > 1) print name "\t" words >file
  }' "$out/shown"
grep '^parent, siblings: ' "$out/shown"

step '4. Train three classifiers: the default, a flat one, and one that learns the whole hierarchy at once (a minute or less)'
run "$clade" train "$train" -o "$out/default.clade"
grep -E '^  (classifier|trained on) ' "$out/shown"
run "$clade" train "$train" --classifier flat-svm -o "$out/flat.clade"
grep '^  trained on ' "$out/shown"
run "$clade" train "$train" --classifier hierarchical-svm -o "$out/hierarchical.clade"
grep '^  trained on ' "$out/shown"

step '5. Compare them on the test part: do they differ, and by more than chance?'
for model in default flat hierarchical; do
  do_quietly "$clade" evaluate "$out/$model.clade" "$test" --json --quiet
  mv "$out/shown" "$out/$model.json"
done
run "$clade" compare "$out/flat.clade" "$out/hierarchical.clade" --data "$test"
cat "$out/shown"
run "$clade" compare "$out/default.clade" "$out/hierarchical.clade" --data "$test"
sed -n '1,2p; 4,9p' "$out/shown"

step '6. Write a page about the hierarchical one: its measures, its mistakes, and the hierarchy to walk through'
run "$clade" report "$out/hierarchical.clade" --data "$test" -o "$out/report.html"
cat "$out/shown"

step '7. Ask it about three texts'
run "$clade" predict "$out/hierarchical.clade" "$out/sentences.txt" -o "$out/answers.csv"
awk -F, 'FILENAME == ARGV[1] {if (FNR > 1 && NF == 2) parent[$1] = $2; next}
  FILENAME == ARGV[2] {text[FNR] = length($0) > 100 ? substr($0, 1, 97) "..." : $0; next}
  FNR > 1 && $2 == 1 {
    label = $3; way = label
    if (label !~ /\//) for (node = parent[label]; node in parent; node = parent[node]) way = node " > " way
    printf "  %s\n    -> %s\n", text[$1 + 1], way
  }' "$out/corpus/taxonomy.csv" "$out/sentences.txt" "$out/answers.csv"

end_step
bold 'Summary'
echo '  the words that tell the children of the top nodes apart'
awk -F '\t' '{printf "    %-22s  %s\n", $1, $2}' "$out/words"
samples=$(value "$out/flat.json" samples)
printf '\n  %-34s  %8s  %15s  %20s\n' "on $samples test documents" accuracy hierarchical_f1 'distance of mistakes'
for model in default flat hierarchical; do
  case $model in
    default) name="default ($(sed -n 's/^  classifier *//p' "$log" | head -n 1))" ;;
    *) name="$model ($model-svm)" ;;
  esac
  echo "$name;$(value "$out/$model.json" accuracy);$(value "$out/$model.json" hierarchical_f1);$(value "$out/$model.json" tie)"
done | awk -F ';' '{
    distance = $2 < 1 ? $4 / (1 - $2) : 0
    printf "  %-34s  %8.4f  %15.4f  %14.2f edges\n", $1, $2, $3, distance
    split($1, name, " ")
    if ($2 > right) {right = $2; most_right = name[1]}
    if (NR == 1 || distance < nearest) {nearest = distance; most_near = name[1]}
  }
  END {printf "  most often right: %s; nearest where it is wrong: %s\n", most_right, most_near}'
echo '  (distance: how many edges lie between a wrong answer and the truth, on average)'
printf '\n  seconds  step\n'
awk '{seconds = ($2 - $1) / 1e9; total += seconds; $1 = $2 = ""; sub(/:.*/, ""); printf "  %7.1f  %s\n", seconds, substr($0, 3)}
  END {printf "  %7.1f  altogether\n", total}' "$out/steps"
rm -f "$out/steps" "$out/shown" "$out/words"
cat <<NEXT

  the page:  $out/report.html
  all files: $out (log.txt has what every command said)

  With your own data, a table with a column of labels such as Toys > Games:
    $clade info yours.csv
    $clade train yours.csv --holdout 20% -o yours.clade
    $clade predict yours.clade new.csv -o answers.csv
NEXT
