#!/bin/sh
# Installs what Clade needs for building and testing and this machine lacks. Safe to run again: a second run installs
# nothing. Usage: scripts/setup.sh [build|mpi|python|test|docs|full|package]...   (default: build)
#
#   build   compiler, build tools and libraries, and WordNet, which the demonstration reads
#   mpi     also Open MPI, with which several processes work together: docs/cluster-computing.md
#   python  also what the Python package is built with and needs
#   test    also what `make test` needs: the same, test libraries, the programs Clade is checked against, formatting
#           and lint
#   docs    what `make docs` needs
#   full    also what `make test-full` and `make bench` need: the same, clang, sanitizer runtimes, coverage, the programs
#           that benchmarks compare with, and the browser in which pages are tried
#   package also what `make package` and `make test-package` need: the tools that make and try Debian packages
#
# CLADE_SKIP_SETUP=1 skips everything (for machines prepared by other means).
set -eu

build_packages="g++ make cmake ninja-build pkgconf libeigen3-dev libopenblas0 libarchive-dev zlib1g-dev liblzma-dev libzstd-dev
  libcli11-dev nlohmann-json3-dev libfmt-dev libstemmer-dev libutf8proc-dev libboost-math-dev libxxhash-dev
  libspectra-dev libsqlite3-dev libtomlplusplus-dev wordnet-base"
mpi_packages="libopenmpi-dev openmpi-bin"
python_packages="python3 python3-dev pybind11-dev python3-pip python3-venv python3-setuptools python3-wheel patchelf
  python3-numpy python3-scipy python3-sklearn python3-pandas"
test_packages="libgtest-dev libgmock-dev python3-h5py python3-pytest python3-jsonschema
  python3-matplotlib python3-networkx mypy python3-nbclient python3-nbconvert python3-ipykernel
  liblinear-tools clang-format-19 clang-tidy-19 $mpi_packages"
docs_packages="doxygen mkdocs mkdocs-material python3-pymdownx"
full_packages="clang-19 libclang-rt-19-dev gcovr libopenblas-dev chromium fonts-dejavu-core python3-pil"
package_packages="debhelper dh-python dpkg-dev fakeroot git lintian mmdebstrap $mpi_packages"

if [ "${CLADE_SKIP_SETUP:-0}" = 1 ]; then
  exit 0
fi

packages=
for group in "${@:-build}"; do
  case $group in
    build) packages="$packages $build_packages" ;;
    mpi) packages="$packages $mpi_packages" ;;
    python) packages="$packages $python_packages" ;;
    test) packages="$packages $python_packages $test_packages" ;;
    docs) packages="$packages $docs_packages" ;;
    full) packages="$packages $docs_packages $full_packages" ;;
    package) packages="$packages $package_packages" ;;
    *) echo "setup: unknown group '$group'; expected build, mpi, python, test, docs, full or package" >&2; exit 2 ;;
  esac
done

is_debian() {
  command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1 &&
    grep -Eq '^(ID|ID_LIKE)=.*debian' /etc/os-release 2>/dev/null
}

if ! is_debian; then
  cat >&2 <<MESSAGE
setup: this is not a Debian system, so nothing is installed here. Clade needs, under the names that Debian gives them:
$(echo "$packages" | tr -s ' \n' '\n\n' | sed '/^$/d; s/^/  /')
Install their equivalents with your package manager; the build tells what it does not find.
MESSAGE
  exit 0
fi

missing=
for package in $packages; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

# Nothing else needs WordNet: the demonstration then generates its texts, and tests are skipped.
give_up() {
  if [ "$missing" = " wordnet-base" ]; then
    echo "setup: WordNet (package wordnet-base) could not be installed; going on without it" >&2
    exit 0
  fi
  echo "setup: $1:$missing" >&2
  exit 1
}

run_as_root=
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    give_up 'these packages are missing, and installing them needs root or sudo'
  fi
  run_as_root=sudo
fi

echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { $run_as_root apt-get update && $run_as_root apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  give_up 'apt-get could not install'
fi
echo "setup: done"
