"""The package from a clean copy of its sources, and the wheel where the libraries that it needs are missing.

They compile the library for any processor, which takes minutes: CLADE_LONG_TESTS=1 runs them, as `make test-full` does.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from clade_tool import SOURCE, run

pytestmark = pytest.mark.skipif(
    "CLADE_LONG_TESTS" not in os.environ, reason="builds a wheel, which takes minutes: set CLADE_LONG_TESTS=1"
)

# What every Linux has (PEP 600).
EVERYWHERE = re.compile(r"(linux-vdso|ld-linux.*|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so.*")


def call(*command, **options):
    """Runs a program in an environment without the paths of the build tree, and returns what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= options.pop("variables", {})
    process = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, **options)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("wheel")


@pytest.fixture(scope="module")
def source_archive(folder):
    """The archive of sources, made from a copy of what is under version control."""
    copy = folder / "copy"
    if not shutil.which("git"):
        pytest.skip("no Git")
    files = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, capture_output=True, text=True)
    if files.returncode != 0:
        pytest.skip("the sources are not in a git repository")
    for name in files.stdout.split("\0"):
        if name and (SOURCE / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, copy / name)
    call(sys.executable, "-c", "from setuptools import build_meta as b; b.build_sdist('.')", cwd=copy)
    (archive,) = copy.glob("clade-*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def bare_wheel(folder, source_archive):
    """What pip makes of the archive, and would install."""
    with tarfile.open(source_archive) as archive:
        names = [name.split("/", 1)[1] for name in archive.getnames() if "/" in name]
    assert not [name for name in names if name.startswith(("tests/", "build/", "bench/"))]
    pip = [sys.executable, "-m", "pip", "wheel", "--disable-pip-version-check", "--no-build-isolation", "--no-deps"]
    call(*pip, "--wheel-dir", folder / "bare", source_archive)
    (wheel,) = (folder / "bare").glob("clade-*.whl")
    return wheel


@pytest.fixture(scope="module")
def full_wheel(folder, bare_wheel):
    call(sys.executable, "-B", SOURCE / "scripts/wheel.py", bare_wheel, folder / "full")
    (wheel,) = (folder / "full").glob("clade-*.whl")
    return wheel


def environment_with(wheel, path):
    """A virtual environment that has the wheel and sees the packages of the system; returns its Python."""
    call(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", path)
    python = path / "bin/python"
    call(python, "-m", "pip", "install", "--disable-pip-version-check", "--no-index", wheel)
    return python


@pytest.fixture(scope="module")
def data(folder):
    run("synth", "-o", folder / "synth.arff.gz", "--samples", 400)
    return folder / "synth.arff.gz"


# Reads a compressed file, selects and trains with dense linear algebra, and says which libraries that took.
WORKS = """
import json, sys
import clade
from clade import _core
from clade._runtime import settings
data, _ = _core.read_data([sys.argv[1]], {}, None, settings())
request = {"method": "hirr-fam", "parameters": {}, "options": {}, "nodes": [], "top": ""}
ranking = json.loads(_core.select(data, request, settings()).json())
mapped = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
print(json.dumps({"version": clade.__version__, "file": clade.__file__, "mapped": sorted(mapped),
                  "ranking": [[node["node"], node["ranking"]] for node in ranking["nodes"]],
                  "objective": ranking["objective"]}))
"""


def works(python, data, **variables):
    return json.loads(call(python, "-c", WORKS, data, cwd=data.parent, variables=variables))


def expected_of(data, folder):
    run("select", data, "--method", "hirr-fam", "-o", folder / "ranking.json", "--force")
    ranking = json.loads((folder / "ranking.json").read_text())
    return [[node["node"], node["ranking"]] for node in ranking["nodes"]], ranking["objective"]


def check(found, data, folder):
    """The ranking is that of the command line; a wheel is for any processor, so its numbers may differ in rounding."""
    ranking, objective = expected_of(data, folder)
    assert found["ranking"] == ranking
    assert found["objective"] == pytest.approx(objective, rel=1e-9)


def test_pip_installs_from_a_clean_copy(bare_wheel, folder, data):
    python = environment_with(bare_wheel, folder / "bare-environment")
    found = works(python, data)
    assert Path(found["file"]).is_relative_to(folder / "bare-environment")
    check(found, data, folder)
    shown = call(python, "-m", "pip", "show", "clade")
    assert f"Version: {found['version']}" in shown and "Requires: numpy, scikit-learn, scipy" in shown


def test_the_wheel_has_what_it_needs(full_wheel, folder):
    with zipfile.ZipFile(full_wheel) as wheel:
        wheel.extractall(folder / "unpacked")
    inside = {path.name: path for path in (folder / "unpacked").rglob("*.so*")}
    assert {"libclade_openblas.so"} < set(inside)
    for path in inside.values():
        for needed in call("patchelf", "--print-needed", path).split():
            assert needed in inside or EVERYWHERE.fullmatch(needed), f"{path.name} needs {needed}"
    # All under names that no other library in a process has.
    for name in inside:
        assert name.startswith("_core.") or "clade" in name or re.search(r"-[0-9a-f]{8}\.so", name), name
    assert re.search(r"-manylinux_2_\d+_\w+\.whl$", full_wheel.name)
    assert list((folder / "unpacked").glob("clade-*.dist-info/licenses/*.txt"))


def without_libraries(hidden, command):
    """The command in a name space of mounts where empty files lie over libraries."""
    mounts = " && ".join(f"mount --bind /dev/null '{path}'" for path in hidden)
    how = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    return [*how, "sh", "-c", f'mount --make-rprivate / && {mounts} && exec "$@"', "sh", *command]


def test_the_wheel_runs_where_its_libraries_are_missing(bare_wheel, full_wheel, folder, data):
    python = environment_with(full_wheel, folder / "full-environment")
    loose = environment_with(bare_wheel, folder / "loose-environment")
    package = next((folder / "loose-environment").rglob("clade/__init__.py")).parent
    needed = {}
    for file in package.glob("*.so"):
        for name, path in re.findall(r"(\S+) => (\S+) \(", call("ldd", file)):
            if not EVERYWHERE.fullmatch(name):
                needed[name] = Path(path).resolve()
    # Python itself is linked with zlib. NumPy and SciPy get copies of what they need.
    needed.pop("libz.so.1", None)
    for_numpy = folder / "for-numpy"
    for_numpy.mkdir()
    hidden = set(needed.values())
    for name in ("libblas.so.3", "liblapack.so.3", "libopenblas.so.0", "libgfortran.so.5", "libquadmath.so.0"):
        for place in Path("/usr/lib").glob(f"*/{name}"):
            shutil.copy(place.resolve(), for_numpy / name)
            if "blas" in name:
                hidden.add(place.resolve())
    if subprocess.run(without_libraries(hidden, ["true"]), capture_output=True).returncode != 0:
        pytest.skip("mounts are not allowed here")

    def attempt(interpreter):
        command = without_libraries(hidden, [str(interpreter), "-c", WORKS, str(data)])
        environment = os.environ | {"LD_LIBRARY_PATH": str(for_numpy)}
        environment.pop("PYTHONPATH", None)
        return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)

    refused = attempt(loose)  # so the libraries are really missing
    assert refused.returncode != 0 and "ImportError" in refused.stderr, refused.stderr
    process = attempt(python)
    assert process.returncode == 0, process.stderr
    found = json.loads(process.stdout)
    check(found, data, folder)
    openblas = [path for path in found["mapped"] if "clade_openblas" in path]
    assert openblas and all(Path(path).is_relative_to(folder / "full-environment") for path in openblas)
