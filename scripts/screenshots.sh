#!/bin/sh
# Makes the pictures in docs/images that are screenshots of pages, and those of the tutorials (docs/images/README.md has the
# list): trains on 20 newsgroups and on the images of COIL-20, runs an experiment on three small data sets and the commands
# of the tutorials, and takes pictures of the pages in Chromium.
#
# Usage: scripts/screenshots.sh [NAME...]    the pictures to make, without .png; without names, all of them
#
# The tool is CLADE, by default build/clade. Data sets are below CLADE_DATA, by default ../shared/data; without them, the
# pictures of real data stay as they are. So does that of the demonstration where `make demo` has not left its page.
set -eu
cd "$(dirname "$0")/.."
clade=$(realpath "${CLADE:-build/clade}")
data=$(realpath -m "${CLADE_DATA:-../shared/data}")
command -v chromium >/dev/null || { echo "screenshots: no chromium; expected Debian's package of that name" >&2; exit 1; }

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
work=$pages/work
mkdir "$work"

newsgroups() {
  archive=$data/newsgroups20/20news-bydate.tar.xz
  [ -f "$archive" ] || return 0
  reading="--label-paths yes --path-separator ."
  "$clade" train "$archive" --under 20news-bydate-train $reading --classifier top-down-logistic --calibrate sigmoid \
    -o "$work/news.clade" --quiet
  "$clade" report "$work/news.clade" --data "$archive" --under 20news-bydate-test $reading -o "$pages/newsgroups.html" \
    --title "20 newsgroups by date" --quiet
}

coil() {
  coil=$data/COIL20/COIL20.mat
  [ -f "$coil" ] || return 0
  "$clade" learn-taxonomy "$coil" -o "$work/tree.csv" --dendrogram "$work/dendrogram.json" --quiet
  "$clade" split "$coil" --taxonomy "$work/tree.csv" --test 40% -o "$work/coil" --quiet
  "$clade" train "$work"/coil/train* --taxonomy "$work/tree.csv" --classifier top-down-logistic -o "$work/coil.clade" --quiet
  "$clade" report "$work/coil.clade" --data "$work"/coil/test* --taxonomy "$work/tree.csv" --height 32 \
    --dendrogram "$work/dendrogram.json" -o "$pages/coil.html" --title "COIL-20" --quiet
}

selection() {
  [ -f "$data/DD/DDTest.mat" ] || return 0
  cat >"$work/selection.toml" <<STUDY
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
  "$clade" experiment "$work/selection.toml" -o "$work/selection" --quiet
  "$clade" report "$work/selection" -o "$pages/selection.html" --title "Selecting features" --quiet
}

# Runs the commands of a tutorial. What they have written is in $work/NAME.
tutorial() {
  mkdir "$work/$1"
  CLADE=$clade CLADE_SOURCE=$PWD PYTHONPATH=tests /usr/bin/python3 -B -c 'import sys, pathlib, page_examples
page_examples.run_examples(sys.argv[1], pathlib.Path(sys.argv[2]))' "docs/tutorials/$1.md" "$work/$1"
}

{
  newsgroups
  coil
  selection
} >"$work/log"
tutorial genes
tutorial images
tutorial no-taxonomy
tutorial spreadsheet
tutorial compare-and-publish
tutorial text-with-a-taxonomy
cp "$work"/*/*.html "$pages"
[ $# -gt 0 ] || cp "$work/images/shapes.svg" docs/images/tutorial-digits-dendrogram.svg
[ $# -gt 0 ] || cp "$work/no-taxonomy/dendrogram.svg" docs/images/tutorial-visitors-dendrogram.svg
[ $# -gt 0 ] || cp "$work/compare-and-publish/study-ranks.svg" docs/images
# The page of the demonstration becomes demo.html, whatever its name is there.
for page in build/demo/*.html; do
  [ ! -f "$page" ] || cp "$page" "$pages/demo.html"
done
PYTHONPATH=tests /usr/bin/python3 -B scripts/screenshots.py "$pages" docs/images "$@"
