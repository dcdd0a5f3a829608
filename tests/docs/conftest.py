"""Pages that build a program against Clade find it as their readers do: installed, but here in a folder of the tests."""

import subprocess
from pathlib import Path

import pytest
from clade_tool import CLADE, SOURCE, cached


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    if cached("CLADE_SANITIZE") or cached("CLADE_COVERAGE") == "ON":
        pytest.skip("an instrumented library needs instrumented users")
    folder = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", Path(CLADE).parent, "--prefix", folder], check=True, capture_output=True)
    return folder


@pytest.fixture(autouse=True)
def installed(request, monkeypatch):
    """What `make install` is for a reader, wherever a test has a page (its parameter) that runs CMake."""
    page = getattr(request.node, "callspec", None) and request.node.callspec.params.get("page")
    if page and "\n    $ cmake --build " in (SOURCE / page).read_text():
        monkeypatch.setenv("CMAKE_PREFIX_PATH", str(request.getfixturevalue("prefix")))
        monkeypatch.setenv("CXX", cached("CMAKE_CXX_COMPILER"))
