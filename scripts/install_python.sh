#!/bin/sh
# Installs the Python package out of a build tree into build/venv, a virtual environment that also sees the packages of
# the system. Does nothing if nothing has changed. Usage: scripts/install_python.sh TREE
set -eu
cd "$(dirname "$0")/.."
tree=$1
venv=build/venv
stamp=$venv/clade-installed

# One that a newer Python or another folder has left behind is made again.
if ! "$venv/bin/python" -c '' 2>/dev/null; then
  rm -rf "$venv"
  # Debian's pip serves the environment, too, and copying another into it takes seconds.
  /usr/bin/python3 -m venv --system-site-packages --without-pip "$venv"
fi
sources="python/clade $(echo "$tree"/python/clade/*.so) setup.py pyproject.toml CMakeLists.txt"
if [ ! -e "$stamp" ] || [ -n "$(find $sources -newer "$stamp" -print -quit)" ]; then
  touch "$stamp.new"  # an edit from now on counts as newer
  CLADE_TREE=$tree "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-build-isolation .
  mv "$stamp.new" "$stamp"
fi
version=$("$venv/bin/python" -c 'import clade; print(clade.__version__)')
echo "python: clade $version is in $venv; run $venv/bin/python, or first: . $venv/bin/activate"
