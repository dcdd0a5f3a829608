"""Types of the package: the stub of the extension module, the strict checker, and the examples in docstrings."""

import ast
import doctest
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import clade
from clade import _core

PACKAGE = Path(clade.__file__).parent  # in the build folder
SOURCES = Path(inspect.getsourcefile(importlib.import_module("clade._runtime"))).resolve().parents[1]

# A program as users write them: what it names must be there, with types that the checker accepts.
USER_PROGRAM = """
import numpy as np
import numpy.typing as npt

import clade


def report(task: str, done: int, total: int) -> None:
    print(task, done, total)


def offsets(data: clade._core.Dataset) -> npt.NDArray[np.int64]:
    return data.labels()[0]


clade.set_progress(report)
with clade.progress_bar():
    pass
try:
    taxonomy = clade._core.Taxonomy.flat(["a", "b"])
except clade.InputError as error:
    reason: str = str(error)
names: list[str] = taxonomy.names()
"""

WRONG_PROGRAM = """
import clade

clade.set_progress(3)
clade._core.Taxonomy.flat("a", 2)
clade._core.read_model(1)
"""


def arguments_of_stub(function):
    """Names of arguments, None where they can only be given by position."""
    given = function.args
    assert not given.vararg and not given.kwarg and not given.kwonlyargs
    by_position = [None] * len(given.posonlyargs)
    if by_position and given.posonlyargs[0].arg == "self":
        by_position[0] = "self"
    return by_position + [argument.arg for argument in given.args]


def defaults_of_stub(function):
    return len(function.args.defaults)


def arguments_of_module(function):
    """Names of arguments, and how many have defaults, from the first line of the docstring, that pybind11 writes."""
    first = next(line for line in function.__doc__.splitlines() if "(" in line and "*args" not in line)
    inside = re.search(r"\((.*)\)\s*->", first).group(1)
    depth, parts = 0, [""]
    for character in inside:
        depth += (character in "[(") - (character in "])")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    parts = [part.strip() for part in parts if part.strip()]
    names = [part.split(":")[0].strip() for part in parts]
    return [None if re.fullmatch(r"arg\d+", name) else name for name in names], sum("=" in part for part in parts)


def stub_tree():
    return ast.parse((SOURCES / "clade" / "_core.pyi").read_text())


def members(nodes):
    found = {}
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
    return found


def check_function(name, stub, actual):
    assert (arguments_of_stub(stub), defaults_of_stub(stub)) == arguments_of_module(actual), name


def test_the_stub_has_the_names_of_the_module():
    private = {"__doc__", "__file__", "__loader__", "__name__", "__package__", "__spec__"}
    assert set(members(stub_tree().body)) == set(dir(_core)) - private


@pytest.mark.parametrize("name", sorted(name for name in dir(_core) if not name.startswith("_")))
def test_the_stub_has_the_signatures_of_the_module(name):
    stub, actual = members(stub_tree().body)[name], getattr(_core, name)
    if not isinstance(actual, type):
        check_function(name, stub, actual)
        return
    own = members(stub.body)
    plain = {"__doc__", "__module__", "__weakref__"}
    given = {key for key, value in vars(actual).items() if key not in plain}
    if isinstance(vars(actual).get("__init__"), type(object.__init__)):
        given.discard("__init__")  # no constructor
    assert set(own) == given
    for key, value in own.items():
        if isinstance(value, ast.AnnAssign):
            continue
        decorators = {decorator.id for decorator in value.decorator_list}
        assert ("property" in decorators) == isinstance(vars(actual)[key], property), key
        assert ("staticmethod" in decorators) == isinstance(vars(actual)[key], staticmethod), key
        if "property" not in decorators:
            check_function(f"{name}.{key}", value, getattr(actual, key))


def check_types(*arguments):
    pytest.importorskip("mypy")
    command = [sys.executable, "-B", "-m", "mypy", "--config-file", SOURCES / "mypy.ini", *arguments]
    # The cache is in the build folder, so that a second run takes a second.
    command += ["--cache-dir", PACKAGE.parents[1] / "mypy"]
    return subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True)


def test_the_package_passes_the_strict_checker():
    done = check_types("-p", "clade")
    assert done.returncode == 0, done.stdout + done.stderr


def test_programs_of_users_are_checked_by_the_types_of_the_package(tmp_path):
    (tmp_path / "right.py").write_text(USER_PROGRAM)
    (tmp_path / "wrong.py").write_text(WRONG_PROGRAM)
    done = check_types(tmp_path / "right.py")
    assert done.returncode == 0, done.stdout + done.stderr
    done = check_types(tmp_path / "wrong.py")
    assert sorted(int(number) for number in re.findall(r"wrong.py:(\d+): error", done.stdout)) == [4, 5, 6]


MODULES = ["clade", *sorted(f"clade.{file.stem}" for file in PACKAGE.glob("*.py") if file.stem != "__init__")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_are_true(name):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.testmod(importlib.import_module(name), optionflags=flags).failed == 0
