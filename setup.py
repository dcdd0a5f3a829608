"""Builds the extension module of the Python package with CMake; pyproject.toml says the rest.

Environment variables:

CLADE_NATIVE=1    compile for the processor of this machine (otherwise for every processor of its kind)
CLADE_TREE        a build tree that is configured already, such as build/release: its module is taken
CMAKE_ARGS        further options for CMake, such as -DCLADE_BLAS=OFF
CMAKE_BUILD_PARALLEL_LEVEL   how many compilers run at a time (otherwise one per processor)
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext

SOURCE = Path(__file__).resolve().parent


def version() -> str:
    found = re.search(r"^project\(clade VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit("setup.py: CMakeLists.txt has no line 'project(clade VERSION x.y.z ...'")
    return found[1]


def is_set(variable: str) -> bool:
    return os.environ.get(variable, "").upper() not in ("", "0", "OFF", "NO", "FALSE")


def call(command: list[str], task: str, advice: str) -> None:
    """Runs a program; its output is shown, and what failed is said in one line at the end."""
    sys.stdout.flush()
    status = subprocess.run(command, check=False).returncode
    if status != 0:
        raise SystemExit(f"setup.py: {task} failed with status {status}, see above; {advice}")


def pybind11_folder() -> list[str]:
    """Where the pybind11 of this Python has its CMake files, if it is a Python package and not the system's."""
    try:
        import pybind11
    except ImportError:
        return []
    return [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]


def configure(tree: Path) -> None:
    for program, package in (("cmake", "cmake"), ("ninja", "ninja-build")):
        if shutil.which(program) is None:
            raise SystemExit(f"setup.py: no program '{program}'; install it (Debian: {package}; pip: {program})")
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "CLADE_PYTHON": sys.executable,
        "CLADE_NATIVE": "ON" if is_set("CLADE_NATIVE") else "OFF",
        "CLADE_TESTS": "OFF",
        "CLADE_BENCH": "OFF",
        "CLADE_WERROR": "OFF",  # another compiler may warn of other things
    }
    call(
        ["cmake", "-S", str(SOURCE), "-B", str(tree), "-G", "Ninja", *pybind11_folder()]
        + [f"-D{name}={value}" for name, value in options.items()]
        + shlex.split(os.environ.get("CMAKE_ARGS", "")),
        "CMake",
        "libraries that it misses have Debian's names in scripts/setup.sh, which installs them: "
        "scripts/setup.sh build python",
    )


def compile_module(tree: Path) -> None:
    command = ["cmake", "--build", str(tree), "--target", "clade_python"]
    if "CMAKE_BUILD_PARALLEL_LEVEL" not in os.environ:
        command += ["--parallel", str(len(os.sched_getaffinity(0)))]
    call(
        command,
        "the build",
        "if there is no target clade_python, CMake found no headers of Python or no pybind11 (Debian: python3-dev, "
        "pybind11-dev); if compilers were killed, set CMAKE_BUILD_PARALLEL_LEVEL=1",
    )


class CMakeBuild(build_ext):
    """The module, and the copy of OpenBLAS that CMake puts beside it."""

    def build_extension(self, ext: Extension) -> None:
        tree = Path(os.environ.get("CLADE_TREE") or self.build_temp).resolve()
        if not os.environ.get("CLADE_TREE"):
            configure(tree)
        compile_module(tree)
        folder = Path(self.get_ext_fullpath(ext.name)).parent
        folder.mkdir(parents=True, exist_ok=True)
        built = sorted((tree / "python" / "clade").glob("*.so"))
        if not any(file.name == Path(self.get_ext_filename(ext.name)).name for file in built):
            raise SystemExit(f"setup.py: no module for {sys.executable} in {tree}; it was built for another Python")
        for file in built:
            if file.name.startswith("_core") and file.name != Path(self.get_ext_filename(ext.name)).name:
                continue  # of another Python
            shutil.copy2(file, folder / file.name)


class FreshBuild(build):
    """Does not carry over files that the package no longer has."""

    def run(self) -> None:
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


setup(
    version=version(),
    ext_modules=[Extension("clade._core", sources=[])],
    cmdclass={"build": FreshBuild, "build_ext": CMakeBuild},
)
