#!/bin/sh
# Builds the image of Containerfile and uses it, without a registry: a Debian 12 made by mmdebstrap stands for debian:12.
# Leaves nothing behind. Usage: scripts/test_container.sh [packages]
#
#   packages  takes the packages in build/dist instead of compiling them again
#
# Needs root, buildah, mmdebstrap and a mirror of Debian (MIRROR; else the one that mmdebstrap knows).
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Works inside another container, too: no overlays, no namespaces.
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
in_store() { buildah --root "$folder/store" --runroot "$folder/run" "$@"; }

mmdebstrap --quiet --variant=minbase --aptopt='Acquire::Languages "none"' bookworm "$folder/debian.tar" \
  ${MIRROR:+"$MIRROR"}
base=$(in_store from scratch)
in_store add -q "$base" "$folder/debian.tar" / >/dev/null
in_store commit -q "$base" docker.io/library/debian:12 >/dev/null
in_store tag docker.io/library/debian:12 docker.io/library/debian:12-slim
in_store rm "$base" >/dev/null
rm "$folder/debian.tar"

mkdir "$folder/context"
git archive HEAD | tar -x -C "$folder/context"
if [ "${1:-}" = packages ]; then
  mkdir "$folder/context/made"
  cp build/dist/*.deb "$folder/context/made"
  sed -i 's|^RUN scripts/package.sh|RUN mkdir -p build \&\& mv made build/dist|' "$folder/context/Containerfile"
fi
in_store build -q --pull=never -t clade --build-arg COMMIT=tested -f "$folder/context/Containerfile" "$folder/context"

image=$(in_store from --pull=never clade)
# ENTRYPOINT is for `podman run`; `buildah run` is told the whole command.
in_store inspect --format '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.User}} {{.OCIv1.Config.WorkingDir}}' "$image" |
  grep -x '\[clade\] clade /data'
in_store run "$image" -- clade --version
in_store run "$image" -- sh -euc '
  test "$(id -un)" = clade && test "$PWD" = /data
  clade synth -o data.arff --samples 100 --quiet >/dev/null
  clade train data.arff -o model.clade --quiet >/dev/null
  test "$(python3 -c "import clade; print(len(clade.read_model(\"model.clade\").predict(clade.read_data(\"data.arff\"))))")" = 100
  ! test -e /source'
in_store images --format '{{.Name}} {{.Size}}'
echo 'container: the image works'
