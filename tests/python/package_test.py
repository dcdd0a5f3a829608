"""The Python package as a package: its version, its types, what importing it costs, and whose OpenBLAS it uses."""

import importlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from clade_tool import SOURCE, cached, run

import clade
from clade import _libraries


def python(program, *arguments, **variables):
    """Runs a program in another process of this Python, and returns the JSON that it prints."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")} | variables
    command = [sys.executable, "-B", "-c", program, *map(str, arguments)]
    process = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_the_package_has_the_version_of_the_tool():
    declared = re.search(r"^project\(clade VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    assert clade.__version__ == declared
    assert run("--version").stdout.split()[1] == declared
    command = [sys.executable, "-B", "setup.py", "--quiet", "--version"]
    packaged = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=True)
    assert packaged.stdout.split()[-1] == declared


def test_type_checkers_find_the_types():
    assert (Path(clade.__file__).parent / "py.typed").exists()
    description = tomllib.loads((SOURCE / "pyproject.toml").read_text())
    assert "py.typed" in description["tool"]["setuptools"]["package-data"]["clade"]


def test_every_folder_of_the_package_is_packaged():
    description = tomllib.loads((SOURCE / "pyproject.toml").read_text())
    folders = {file.parent.relative_to(SOURCE / "python") for file in (SOURCE / "python/clade").rglob("*.py")}
    assert {".".join(folder.parts) for folder in folders} == set(description["tool"]["setuptools"]["packages"])


def test_the_description_names_what_is_imported():
    """Packages beyond those that it depends on are imported where they are used, and never by `import clade`."""
    loaded = python(
        """
import json, sys
class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "matplotlib", "networkx", "IPython"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Refused())
import numpy, scipy.sparse, sklearn.base
before = set(sys.modules)
import clade
for name in clade.__all__:
    getattr(clade, name)
print(json.dumps(sorted({name.split(".")[0] for name in set(sys.modules) - before})))
"""
    )
    allowed = {"clade", "numpy", "scipy", "sklearn", "joblib", "threadpoolctl"} | set(sys.stdlib_module_names)
    assert set(loaded) <= allowed
    dependencies = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {re.match(r"[a-z-]+", one)[0] for one in dependencies} == {"numpy", "scipy", "scikit-learn"}


def test_importing_costs_less_than_what_it_depends_on():
    spent = python(
        """
import json, time
begin = time.process_time()
import numpy, scipy.sparse, sklearn.base
middle = time.process_time()
import clade
print(json.dumps([middle - begin, time.process_time() - middle]))
"""
    )
    assert spent[1] < spent[0]


# Selects with dense linear algebra, and says what became of the OpenBLAS that NumPy uses.
SELECTS = """
import json, os, sys
if sys.argv[2] == "global":
    sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
import numpy
from threadpoolctl import threadpool_info
def of_numpy():
    found = [one for one in threadpool_info() if one["internal_api"] == "openblas"]
    return [found[0]["num_threads"], found[0]["architecture"]] if found else [0, "none"]
from clade import _core
from clade._runtime import settings
if sys.argv[2] == "shared":
    _core.use_openblas("")
before = of_numpy()
data, _ = _core.read_data([sys.argv[1]], {}, None, settings())
request = {"method": "hirr-fam", "parameters": {}, "options": {}, "nodes": [], "top": ""}
ranking = json.loads(_core.select(data, request, settings(n_jobs=2)).json())
mapped = {line.split()[-1] for line in open("/proc/self/maps") if "openblas" in line}
print(json.dumps({"before": before, "after": of_numpy(), "ranking": ranking, "mapped": sorted(mapped)}))
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "synth.arff"
    run("synth", "-o", path, "--samples", 400)
    return path


needs_copy = pytest.mark.skipif(
    _libraries.private_openblas() is None,
    reason="this build has no OpenBLAS of its own: CLADE_BLAS is off, or there is no patchelf",
)


@needs_copy
@pytest.mark.parametrize("numpy_is", ["local", "global"])
def test_the_openblas_of_numpy_is_left_alone(data, numpy_is):
    """Also if a program makes the functions of all its modules known to each other, as users of MPI do."""
    if cached("CLADE_SANITIZE") and numpy_is == "global":
        pytest.skip("sanitizers do not let Clade keep to its own copy")
    found = python(SELECTS, data, numpy_is, OPENBLAS_NUM_THREADS="2")
    if found["before"][0] != 2:
        pytest.skip("NumPy uses no OpenBLAS with two threads here")
    assert found["after"] == found["before"]
    assert any(Path(path) == Path(_libraries.private_openblas()) for path in found["mapped"])


@needs_copy
def test_a_shared_openblas_would_be_changed(data):
    """What the copy is for: without it, the first call sets the threads of NumPy's OpenBLAS to 1."""
    found = python(SELECTS, data, "shared", OPENBLAS_NUM_THREADS="2")
    if found["before"][0] != 2 or any("libclade" in path for path in found["mapped"]):
        pytest.skip("NumPy uses no OpenBLAS of the system with two threads here")
    assert found["after"][0] == 1


@needs_copy
def test_the_copy_is_unknown_under_the_name_of_the_original():
    """Another module that asks for libopenblas.so.0 after Clade must not be given Clade's."""
    found = python(
        """
import ctypes, json, sys
own = ctypes.CDLL(sys.argv[1])
own.openblas_set_num_threads(1)
systems = ctypes.CDLL("libopenblas.so.0")
print(json.dumps([own.openblas_get_num_threads(), systems.openblas_get_num_threads()]))
""",
        _libraries.private_openblas(),
        OPENBLAS_NUM_THREADS="2",
    )
    if os.cpu_count() == 1:
        pytest.skip("one processor")
    assert found == [1, 2]


def test_numbers_are_those_of_the_command_line(data, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)  # as python() does: another kernel rounds differently
    run("select", data, "--method", "hirr-fam", "-o", tmp_path / "ranking.json", "--threads", 1)
    expected = json.loads((tmp_path / "ranking.json").read_text())
    found = python(SELECTS, data, "local")["ranking"]
    for ranking in (expected, found):
        ranking.pop("seconds", None)
    assert found == expected


def test_a_build_with_openblas_has_a_copy_where_it_can_be_made():
    wanted = cached("CLADE_BLAS") == "ON" and not cached("CLADE_PATCHELF").endswith("NOTFOUND")
    assert (_libraries.private_openblas() is not None) == wanted


@pytest.mark.parametrize("name", ["methods", "formats"])
def test_catalogues_are_those_of_the_command_line(name):
    assert getattr(clade, name)() == json.loads(run(name, "--json").stdout)


def test_completion_offers_what_modules_are_for():
    import clade.hiclass

    for module in (clade.metrics, clade.plots, clade.statistics, clade.hiclass, clade.html):
        assert not {"Any", "np", "npt", "os", "json"} & set(dir(module)) and set(dir(module)) == set(module.__all__)
    for path in sorted((SOURCE / "python" / "clade").glob("[a-z]*.py")):
        if path.stem in ("generate", "__init__"):
            continue
        module = importlib.import_module(f"clade.{path.stem}")
        assert all(hasattr(module, name) for name in module.__all__), path


def test_every_public_member_of_a_taxonomy_has_a_docstring():
    names = [name for name in dir(clade.Taxonomy) if not name.startswith("_")]
    assert [name for name in names if not getattr(clade.Taxonomy, name).__doc__] == []


def test_versions_are_those_of_the_tool_and_of_packages(capsys):
    import numpy

    found = clade.versions()
    told = json.loads(run("--version", "--json").stdout)
    assert found["clade"] == told | {"blas": found["clade"]["blas"]}
    assert found["clade"]["blas"].keys() == told["blas"].keys()
    assert found["packages"]["numpy"] == numpy.__version__
    clade.show_versions()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"clade {clade.__version__}" and f"  numpy: {numpy.__version__}" in lines
