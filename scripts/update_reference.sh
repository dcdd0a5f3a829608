#!/bin/sh
# Writes docs/reference.md from the parameters that the tool declares.
set -eu
cd "$(dirname "$0")/.."
build/clade --reference >docs/reference.md
