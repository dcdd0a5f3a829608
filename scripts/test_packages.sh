#!/bin/sh
# Tries what `make package` has made: the Debian packages in a clean Debian 12, and the source archive without a
# network. Leaves nothing behind. Usage: scripts/test_packages.sh [packages] [tarball]   (default: both)
#
# Needs root, mmdebstrap and a mirror of Debian (MIRROR; else the one that mmdebstrap knows).
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(clade VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Runs inside the clean system. Every package is installed by itself, so that a dependency that is missing shows.
cat >"$folder/try.sh" <<'TRY'
set -eu
export DEBIAN_FRONTEND=noninteractive HOME=/tmp
version=$1
install() { apt-get install -y --no-install-recommends "$@" >/tmp/apt.log 2>&1 || { tail -n 20 /tmp/apt.log; exit 1; }; }
as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
apt-get update >/dev/null
mkdir -m 777 /tmp/work
cd /tmp/work

install /packages/clade_*.deb
test "$(clade --version | head -n 1)" = "clade $version"
clade --version
clade --version --json | grep -q '"processor": "portable"'
clade --version --json | grep -q '"name": "OpenBLAS '
as_user clade synth -o data.arff --samples 300 --quiet >/dev/null
as_user clade train data.arff -o model.clade --holdout 20% --quiet >/dev/null
as_user clade predict model.clade data.arff -o predictions.csv --quiet >/dev/null
as_user clade select data.arff --method hirr-fam -o ranking.json --quiet >/dev/null
test "$(wc -l <predictions.csv)" -ge 301
test -s /usr/share/man/man1/clade-train.1.gz && test -s /usr/share/bash-completion/completions/clade
echo 'packages: clade works'

install openmpi-bin
together() { as_user mpirun --oversubscribe --quiet -np 3 clade train data.arff --classifier top-down-svm --quiet "$@"; }
if together -o several.clade >/dev/null 2>said; then echo 'several processes without clade-mpi'; exit 1; fi
test "$(wc -l <said)" = 1 && grep -q 'clade_mpi.so is not there' said
apt-get purge -y openmpi-bin >/tmp/apt.log 2>&1
install /packages/clade-mpi_*.deb
as_user clade train data.arff --classifier top-down-svm -o one.clade --quiet >/dev/null
together -o several.clade >/dev/null
cmp one.clade several.clade
echo 'packages: clade-mpi works'

install g++ cmake make pkgconf /packages/libclade-dev_*.deb
cp /usr/share/doc/libclade-dev/examples/train_in_memory.cpp program.cpp
cat >CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(clade $version REQUIRED)
add_executable(program program.cpp)
target_link_libraries(program clade::clade)
CMAKE
cmake -S . -B tree >/dev/null
cmake --build tree >/dev/null
test "$(as_user tree/program)" = "$(printf 'mammal/cat\nbird/owl')"
g++ -std=c++20 program.cpp $(pkg-config --cflags --libs clade) -o by_pkg_config
test "$(as_user ./by_pkg_config)" = "$(printf 'mammal/cat\nbird/owl')"
echo 'packages: libclade-dev works'

install /packages/python3-clade_*.deb
as_user python3 -B - "$version" <<'PYTHON'
import importlib.metadata, sys
import numpy as np
import clade
assert clade.__version__ == importlib.metadata.version("clade") == sys.argv[1]
X = np.random.default_rng(1).normal(size=(80, 5))
y = np.where(X[:, 0] > 0, "animal/cat", np.where(X[:, 1] > 0, "animal/dog", "plant/oak"))
X[:, 2] = X[:, 0] * 5
assert clade.KernelRidgeClassifier().fit(X, y).score(X, y) > 0.8
model = clade.read_model("model.clade")
data = clade.read_data("data.arff")
assert len(model.predict(data)) == 300
blas = clade.versions()["clade"]["blas"]
assert blas["problem"] is None and "libclade_openblas.so" in open("/proc/self/maps").read(), blas
PYTHON
echo 'packages: python3-clade works'

install /packages/clade-doc_*.deb
test -s /usr/share/doc/clade/docs/commands.md && test -s /usr/share/doc/clade/README.md
apt-get purge -y clade clade-mpi libclade-dev python3-clade clade-doc >/tmp/apt.log 2>&1
for left in /usr/bin/clade /usr/lib/clade /usr/include/clade /usr/lib/python3/dist-packages/clade /usr/share/doc/clade; do
  ! test -e $left || { echo "left behind: $left"; exit 1; }
done
echo 'packages: clade-doc works, and all are removed without a trace'
TRY

# The new system lives in a folder that mmdebstrap removes, because it writes to nothing.
try_packages() {
  mkdir "$folder/packages"
  cp build/dist/*_"$version"_*.deb "$folder/packages"
  timeout 3600 mmdebstrap --quiet --variant=minbase --aptopt='Acquire::Languages "none"' \
    --customize-hook="copy-in '$folder/packages' '$folder/try.sh' /" \
    --customize-hook="chroot \"\$1\" sh /try.sh $version" \
    bookworm /dev/null ${MIRROR:+"$MIRROR"}
}

# CLADE_TARBALL_TARGET is for those who have no minutes to spend on compiling all.
try_tarball() {
  archive=build/dist/clade-$version.tar.gz
  scripts/tarball.sh
  mv "$archive" "$folder/first.tar.gz"
  scripts/tarball.sh >/dev/null
  cmp "$folder/first.tar.gz" "$archive"
  tar -xzf "$archive" -C "$folder"
  unshare --net sh -eu -c "
    cd '$folder/clade-$version'
    cmake --preset release -DCLADE_TESTS=OFF -DCLADE_BENCH=OFF >/dev/null
    ninja -C build/release -j $(nproc) ${CLADE_TARBALL_TARGET:-clade_tool} >'$folder/ninja.log' || { tail '$folder/ninja.log'; exit 1; }
    grep -q \"commit = \\\"\$(cat COMMIT)\\\"\" build/release/program_build.cpp"
  if [ -x "$folder/clade-$version/build/release/clade" ]; then
    "$folder/clade-$version/build/release/clade" --version
  fi
  echo 'tarball: same bytes twice, and it builds without a network'
}

for what in "${@:-packages tarball}"; do
  case $what in
    packages) try_packages ;;
    tarball) try_tarball ;;
    'packages tarball') try_packages; try_tarball ;;
    *) echo "test_packages: unknown '$what'; expected packages or tarball" >&2; exit 2 ;;
  esac
done
