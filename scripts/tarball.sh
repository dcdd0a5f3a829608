#!/bin/sh
# Writes the source archive of the last commit, build/dist/clade-VERSION.tar.gz: the files that Git knows, and a file
# COMMIT that says which commit they are. The same commit gives the same bytes.
set -eu
cd "$(dirname "$0")/.."
if ! [ -e .git ] || ! command -v git >/dev/null; then
  echo 'tarball: this is no checkout of Git, or Git is not installed, so there is nothing to make an archive of' >&2
  exit 1
fi
version=$(git show HEAD:CMakeLists.txt | sed -n 's/^project(clade VERSION \([0-9.]*\).*/\1/p')
commit=$(git describe --always --abbrev=10 HEAD)
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo 'tarball: changes that are not committed are left out' >&2
mkdir -p build/dist
name=clade-$version
new=build/dist/$name.tar.new
trap 'rm -f "$new" "$new.gz"' EXIT
git -c tar.umask=0022 archive --format=tar --prefix="$name/" --output="$new" --add-virtual-file="$name/COMMIT:$commit
" HEAD
gzip -9 -n "$new"
mv "$new.gz" "build/dist/$name.tar.gz"
echo "tarball: build/dist/$name.tar.gz, commit $commit"
