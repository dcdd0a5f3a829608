#!/bin/sh
# Builds the documentation as a site, build/docs/site: the pages of docs/ by mkdocs, and in it the reference of the C++
# headers by Doxygen. Opened as files it works like on a server, search included.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/docs
/usr/bin/python3 -B scripts/site.py build/docs/source
doxygen docs/Doxyfile
mkdocs build --strict --clean --config-file docs/mkdocs.yml >build/docs/mkdocs.log 2>&1 || { cat build/docs/mkdocs.log >&2; exit 1; }
# The index of the search as a script, for pages that are opened as files: docs/theme/assets/offline.js.
{ printf 'window.__index = '; cat build/docs/site/search/search_index.json; } >build/docs/site/search/search_index.js
# Doxygen's pages have a search of their own; the map of the site needs an address that it does not have.
rm -f build/docs/site/sitemap.xml build/docs/site/sitemap.xml.gz build/docs/site/404.html
/usr/bin/python3 -B scripts/check_site.py build/docs/site
echo 'docs: build/docs/site/index.html (open it in a browser)'
