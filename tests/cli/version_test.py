"""`clade --version`: what it says of the build, against the build tree, OpenBLAS itself and Git."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from clade_tool import CLADE, SOURCE, cached, error_line, run

TREE = Path(CLADE).parent
HAS_BLAS = cached("CLADE_BLAS") == "ON"
# The user's settings of OpenBLAS would change what it says.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}


def told(**variables):
    return json.loads(run("--version", "--json", env=ENVIRONMENT | variables).stdout)


def test_the_first_line_is_for_scripts():
    declared = re.search(r"^project\(clade VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    lines = run("--version").stdout.splitlines()
    assert lines[0] == f"clade {declared}" and told()["version"] == declared
    assert [line.split(":")[0] for line in lines[1:]] == ["commit", "BLAS", "threads", "compiler", "processor"]


def test_both_forms_say_the_same():
    document = told()
    said = dict(re.split(r":\s+", line, maxsplit=1) for line in run("--version", env=ENVIRONMENT).stdout.splitlines()[1:])
    assert said["commit"] == document["commit"] and said["compiler"] == document["compiler"]
    assert said["threads"] == str(document["threads"]) == str(len(os.sched_getaffinity(0)))
    assert said["BLAS"].startswith(document["blas"]["name"]) and (document["blas"]["kernel"] or "") in said["BLAS"]
    assert said["processor"] == ", with ".join([document["processor"], ", ".join(document["instructions"])]).removesuffix(", with ")


def test_it_knows_how_it_was_built():
    document = told()
    assert document["processor"] == ("native" if cached("CLADE_NATIVE") == "ON" else "portable")
    compiler = subprocess.run([cached("CMAKE_CXX_COMPILER"), "-dumpfullversion"], capture_output=True, text=True)
    name = "clang" if "clang" in cached("CMAKE_CXX_COMPILER") else "GCC"
    assert document["compiler"].split()[0] == name
    if name == "GCC":
        assert document["compiler"].split()[1] == compiler.stdout.strip()
    if document["processor"] == "native":
        flags = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), "").split()
        names = {"AVX": "avx", "AVX2": "avx2", "FMA": "fma", "AVX-512": "avx512f"}
        assert document["instructions"] == [name for name, flag in names.items() if flag in flags]


def test_the_commit_is_one_of_git():
    if not (SOURCE / ".git").exists() or not shutil.which("git"):
        pytest.skip("no checkout of Git, or no Git")
    commit = told()["commit"].removesuffix("-dirty").split("-g")[-1]
    if commit == "unknown":
        pytest.skip("the tool was built without Git")
    process = subprocess.run(["git", "-C", SOURCE, "cat-file", "-t", commit], capture_output=True, text=True)
    assert process.stdout.strip() in ("commit", "tag")


def test_another_commit_compiles_one_small_file():
    if not (TREE / "build.ninja").exists():
        pytest.skip("not built by Ninja")
    query = subprocess.run(["ninja", "-C", TREE, "-t", "query", TREE / "program_build.cpp"], capture_output=True, text=True,
                           check=True)
    outputs = query.stdout.split("outputs:")[1].split()
    assert len([name for name in outputs if name.endswith(".o")]) == 1
    assert len((TREE / "program_build.cpp").read_text().splitlines()) < 20


@pytest.mark.skipif(not HAS_BLAS, reason="a build without a BLAS")
@pytest.mark.parametrize("kernel", ["Haswell", "Prescott"])
def test_the_kernel_is_the_one_in_use(kernel):
    """As OpenBLAS names it itself, in another process."""
    environment = {"OPENBLAS_CORETYPE": kernel}
    program = (
        "import ctypes; blas = ctypes.CDLL('libopenblas.so.0'); blas.openblas_get_config.restype = ctypes.c_char_p; "
        "blas.openblas_get_corename.restype = ctypes.c_char_p; "
        "print(blas.openblas_get_config().decode().split()[1], blas.openblas_get_corename().decode())"
    )
    process = subprocess.run(["/usr/bin/python3", "-c", program], capture_output=True, text=True, env=ENVIRONMENT | environment)
    if process.returncode != 0:
        pytest.skip("Python finds no OpenBLAS")
    version, core = process.stdout.split()
    blas = told(**environment)["blas"]
    assert blas == {"name": f"OpenBLAS {version}", "kernel": core, "own_kernel": core, "problem": None}


@pytest.mark.skipif(not HAS_BLAS, reason="a build without a BLAS")
def test_a_library_that_cannot_be_loaded_is_said(tmp_path):
    for name in ("libopenblas.so.0", "libopenblas.so", "libopenblasp.so.0"):
        (tmp_path / name).write_bytes(b"no library")
    blas = told(LD_LIBRARY_PATH=str(tmp_path))["blas"]
    assert blas["kernel"] is None and "libopenblas.so.0" in blas["problem"]
    lines = run("--version", env=ENVIRONMENT | {"LD_LIBRARY_PATH": str(tmp_path)}).stdout.splitlines()
    assert lines[0].startswith("clade ") and "cannot be loaded" in lines[2]


@pytest.mark.skipif(HAS_BLAS, reason="a build with a BLAS")
def test_without_a_blas():
    assert told()["blas"] == {"name": "none (Eigen)", "kernel": None, "own_kernel": None, "problem": None}


def test_other_words_are_refused():
    assert "--jsn" in error_line("--version", "--jsn")
    assert "more" in error_line("--version", "--json", "more")
