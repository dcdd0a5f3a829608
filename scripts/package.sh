#!/bin/sh
# Builds the Debian packages, build/dist/*.deb, and checks them with lintian. They are for every processor of their
# kind, so they have a build tree of their own, build/package/tree. Usage: scripts/package.sh [JOBS]
set -eu
cd "$(dirname "$0")/.."
source=$PWD
jobs=${1:-$(nproc)}
version=$(sed -n 's/^project(clade VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  # That of the commit, or that of a source archive, whose files all have the time of their commit.
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CMakeLists.txt)
fi
export SOURCE_DATE_EPOCH

folder=build/package
rm -rf $folder/debian
mkdir -p $folder build/dist
cp -r packaging/debian $folder/debian
cat >$folder/debian/changelog <<CHANGELOG
clade ($version) unstable; urgency=medium

  * Version $version; the changelog of Clade says what is new.

 -- The Clade project <maintainers@clade.invalid>  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
CHANGELOG

log=build/package.log
echo "package: compiling, which takes minutes the first time; $log has the details"
run_as_root=
[ "$(id -u)" = 0 ] || run_as_root=fakeroot
if ! (cd $folder && dpkg-checkbuilddeps && CLADE_SKIP_SETUP=1 $run_as_root debian/rules binary SOURCE="$source" \
  SITE="$source/build/docs/site" JOBS="$jobs") >$log 2>&1; then
  tail -n 40 $log >&2
  exit 1
fi
for package in clade clade-mpi libclade-dev python3-clade clade-doc; do
  rm -f build/dist/${package}_*.deb
  mv build/${package}_"$version"_*.deb build/dist/
done
lintian --allow-root --fail-on error --tag-display-limit 0 build/dist/*.deb
ls -1 build/dist/*.deb
