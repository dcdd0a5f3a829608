"""The notebooks run, and what they show is what the code gives today."""

import importlib.util
import os

import nbformat
import pytest

from clade_tool import SOURCE
from near_text import is_near

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

_spec = importlib.util.spec_from_file_location("notebooks", SOURCE / "scripts" / "notebooks.py")
notebooks = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(notebooks)


@pytest.fixture(scope="module")
def kernel():
    with notebooks.Kernel() as kernel:
        yield kernel


@pytest.mark.parametrize("path", notebooks.notebooks(), ids=lambda path: path.stem)
def test_runs_and_shows_what_it_says(path, kernel):
    kept = nbformat.read(path, as_version=4)
    # One that writes files must also run where they are already.
    writes = any(word in cell.source for cell in _code(kept) for word in ("overwrite=", "run_experiment"))
    changed = notebooks.differences(kept, kernel.execute(path, runs=2 if writes else 1), _is_near)
    assert not changed, "\n".join(changed) + "\nscripts/notebooks.py writes the notebooks anew"


def test_there_are_six_and_they_are_small():
    assert len(notebooks.notebooks()) == 6
    for path in notebooks.notebooks():
        assert os.path.getsize(path) <= notebooks.LARGEST, path
        kept = nbformat.read(path, as_version=4)
        nbformat.validate(kept)
        assert not any(output.output_type == "error" for cell in _code(kept) for output in cell.outputs), path


def _is_near(new, old):
    return is_near(new.splitlines(), old.splitlines())


def _code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]
