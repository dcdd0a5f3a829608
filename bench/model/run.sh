#!/bin/sh
# How long does opening a model of 100 MB take, compared with reading its bytes?
set -eu
"${1:-build/release}/bench/model/open_model"
