#!/bin/sh
# Writes docs/reference.md from the parameters that the tool declares, and docs/bibliography.md from its sources.
set -eu
cd "$(dirname "$0")/.."
build/clade --reference >docs/reference.md
/usr/bin/python3 -B scripts/bibliography.py build/clade >docs/bibliography.md.new
mv docs/bibliography.md.new docs/bibliography.md
