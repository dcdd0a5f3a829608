"""An installed Clade serves other builds: find_package(clade), pkg-config, and the tool."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from clade_tool import CLADE, SOURCE, run

TREE = Path(CLADE).parent
EXAMPLES = SOURCE / "examples"


def check(command, **options):
    process = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert process.returncode == 0, f"{command}\n{process.stdout}{process.stderr}"
    return process.stdout


def cached(variable):
    for line in (TREE / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(f"{variable}:"):
            return line.split("=", 1)[1]
    return ""


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    if cached("CLADE_SANITIZE") or cached("CLADE_COVERAGE") == "ON":
        pytest.skip("an instrumented library needs instrumented users")
    folder = tmp_path_factory.mktemp("prefix")
    check(["cmake", "--install", TREE, "--prefix", folder])
    return folder


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("x,label\n1,a/b\n2,a/c\n3,d\n")
    return path


@pytest.fixture
def predictions(tmp_path):
    path = tmp_path / "predictions.csv"
    path.write_text("sample,label\n0,a/b\n1,a\n2,d\n")
    return path


EXPECTED = "(root): 3 samples, 2 children\na: 2 samples, 2 children\n"
MEASURED = ["accuracy 0.6667", "hierarchical_precision 1.0000", "hierarchical_recall 0.8000", "hierarchical_f1 0.8889"]


def test_find_package(prefix, data, predictions, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    shutil.copytree(EXAMPLES, project, dirs_exist_ok=True)
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES CXX)\nfind_package(clade 0.1 REQUIRED)\n"
        "link_libraries(clade::clade)\nadd_executable(user read_data.cpp)\nadd_executable(evaluate evaluate_predictions.cpp)\n")
    build = tmp_path / "build"
    check(["cmake", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
           f"-DCMAKE_CXX_COMPILER={cached('CMAKE_CXX_COMPILER')}"])
    check(["cmake", "--build", build])
    assert check([build / "user", data]) == EXPECTED
    assert check([build / "evaluate", data, predictions]).splitlines()[:4] == MEASURED


def test_pkg_config(prefix, data, tmp_path):
    folder = next(prefix.rglob("pkgconfig"))
    # The file names the prefix given when configuring; a moved one is said so.
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder)}
    flags = check(["pkg-config", f"--define-variable=prefix={prefix}", "--cflags", "--libs", "clade"],
                  env=environment).split()
    program = tmp_path / "user"
    check([cached("CMAKE_CXX_COMPILER"), "-std=c++20", EXAMPLES / "read_data.cpp", *flags, "-o", program])
    assert check([program, data]) == EXPECTED
    assert check(["pkg-config", "--modversion", "clade"], env=environment).strip() == run("--version").stdout.split()[1]


def test_the_installed_tool_runs(prefix):
    assert check([prefix / "bin" / "clade", "--version"]) == run("--version").stdout


def test_public_headers_stand_alone(prefix, tmp_path):
    for header in sorted((prefix / "include" / "clade").glob("*.h")):
        source = tmp_path / "one.cpp"
        source.write_text(f"#include <clade/{header.name}>\n#include <clade/{header.name}>\n")
        check([cached("CMAKE_CXX_COMPILER"), "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
               f"-I{prefix / 'include'}", source])
