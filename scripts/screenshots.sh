#!/bin/sh
# Makes the pictures of docs/tutorials, and those of docs/report.md: trains on 20 newsgroups and on the images of COIL-20,
# runs an experiment on three small data sets, writes their pages, and takes pictures of them in Chromium.
# Usage: scripts/screenshots.sh [CLADE]   (the tool; default: build/clade). Data: CLADE_DATA, default ../shared/data.
set -eu
cd "$(dirname "$0")/.."
clade=${1:-build/clade}
data=$(cd "${CLADE_DATA:-../shared/data}" && pwd)
archive=$data/newsgroups20/20news-bydate.tar.xz
coil=$data/COIL20/COIL20.mat
command -v chromium >/dev/null || { echo "screenshots: no chromium; expected Debian's package of that name" >&2; exit 1; }
CLADE=$clade CLADE_SOURCE=$PWD PYTHONPATH=tests /usr/bin/python3 -B scripts/tutorial_pictures.py docs/images
for file in "$archive" "$coil"; do
  [ -f "$file" ] || { echo "screenshots: no $file" >&2; exit 1; }
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
reading="--label-paths yes --path-separator ."
"$clade" train "$archive" --under 20news-bydate-train $reading --classifier top-down-logistic --calibrate sigmoid \
  -o "$folder/news.clade" --quiet
"$clade" report "$folder/news.clade" --data "$archive" --under 20news-bydate-test $reading -o "$folder/page.html" \
  --title "20 newsgroups by date" --quiet

"$clade" learn-taxonomy "$coil" -o "$folder/tree.csv" --dendrogram "$folder/dendrogram.json" --quiet
"$clade" split "$coil" --taxonomy "$folder/tree.csv" --test 40% -o "$folder/coil" --quiet
"$clade" train "$folder"/coil/train* --taxonomy "$folder/tree.csv" --classifier top-down-logistic -o "$folder/coil.clade" \
  --quiet
"$clade" report "$folder/coil.clade" --data "$folder"/coil/test* --taxonomy "$folder/tree.csv" --height 32 \
  --dendrogram "$folder/dendrogram.json" -o "$folder/coil.html" --title "COIL-20" --quiet

cat >"$folder/selection.toml" <<STUDY
measures = ["hierarchical_f1", "tie"]

[[data]]
name = "DD"
file = "$data/DD/DDTest.mat"
folds = 10

[[data]]
name = "CLEF"
file = "$data/CLEF/CLEFTest.mat"
folds = 10

[[data]]
name = "ImCLEF07A"
file = "$data/ImCLEF07A/ImCLEF07A_Test.arff"
folds = 10

[[recipe]]
name = "svm"
classifier = "top-down-svm"
select = ["fisher", "hier-fisher", "hirr-fam"]
top = [5, 10, 20, 40]

[[recipe]]
name = "logistic"
classifier = "top-down-logistic"
tune = { parameters = { c = [0.1, 1, 10] } }
STUDY
"$clade" experiment "$folder/selection.toml" -o "$folder/selection" --quiet >/dev/null
"$clade" report "$folder/selection" -o "$folder/selection.html" --title "Selecting features" --quiet
PYTHONPATH=tests /usr/bin/python3 -B scripts/screenshots.py "$folder/page.html" "$folder/coil.html" "$folder/selection.html" docs/images
