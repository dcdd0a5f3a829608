#!/bin/sh
# Makes the pictures of docs/report.md: trains on 20 newsgroups and on the images of COIL-20, writes their pages, and
# takes pictures of them in Chromium.
# Usage: scripts/screenshots.sh [CLADE]   (the tool; default: build/clade). Data: CLADE_DATA, default ../shared/data.
set -eu
cd "$(dirname "$0")/.."
clade=${1:-build/clade}
data=${CLADE_DATA:-../shared/data}
archive=$data/newsgroups20/20news-bydate.tar.xz
coil=$data/COIL20/COIL20.mat
command -v chromium >/dev/null || { echo "screenshots: no chromium; expected Debian's package of that name" >&2; exit 1; }
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
PYTHONPATH=tests /usr/bin/python3 -B scripts/screenshots.py "$folder/page.html" "$folder/coil.html" docs/images
