#!/bin/sh
# Makes the pictures of docs/report.md: trains on 20 newsgroups, writes the page, and takes pictures of it in Chromium.
# Usage: scripts/screenshots.sh [CLADE]   (the tool; default: build/clade). Data: CLADE_DATA, default ../shared/data.
set -eu
cd "$(dirname "$0")/.."
clade=${1:-build/clade}
archive=${CLADE_DATA:-../shared/data}/newsgroups20/20news-bydate.tar.xz
command -v chromium >/dev/null || { echo "screenshots: no chromium; expected Debian's package of that name" >&2; exit 1; }
[ -f "$archive" ] || { echo "screenshots: no $archive" >&2; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
reading="--label-paths yes --path-separator ."
"$clade" train "$archive" --under 20news-bydate-train $reading --classifier top-down-logistic --calibrate sigmoid \
  -o "$folder/news.clade" --quiet
"$clade" report "$folder/news.clade" --data "$archive" --under 20news-bydate-test $reading -o "$folder/page.html" \
  --title "20 newsgroups by date" --quiet
PYTHONPATH=tests /usr/bin/python3 -B scripts/screenshots.py "$folder/page.html" docs/images
