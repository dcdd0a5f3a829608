"""The progress bar, in a terminal, in a file and in a notebook."""

import io
import os
import pty
import subprocess
import sys

import pytest

import clade
from clade import _runtime

LONG_CALL = """
import clade
from clade import _core
from clade._runtime import settings
data = _core.synthetic_data({"samples": "400", "features": "40"}, settings(2))
recipe = _core.Recipe("top-down-svm", {}, None, None, "", "error", {})
import numpy as np
with clade.progress_bar():
    _core.train(data, recipe, np.zeros(0), "", False, settings(2))
"""


def test_a_task_is_drawn_over_itself_and_removed():
    stream = io.StringIO()
    with clade.progress_bar(file=stream) as bar:
        bar("reading a file", 0, 10)
        bar("reading a file", 5, 10)
        bar("reading a file", 10, 10)
        bar("training", 0, 3)
    first, *pictures, last, end = stream.getvalue().split("\r")
    assert first == end == ""
    assert last.strip() == "" and len(last) >= len(pictures[-1].rstrip())
    assert pictures[0].startswith("reading a file [" + "." * 30 + "]   0 %")
    assert any(picture.startswith("reading a file [" + "#" * 30 + "] 100 %") for picture in pictures)
    assert pictures[-1].startswith("training [")
    # A shorter line covers all of a longer one.
    assert len(pictures[-1]) >= len(pictures[-2].rstrip())


def test_the_former_report_comes_back():
    def report(task, done, total):
        pass

    clade.set_progress(report)
    with pytest.raises(KeyError):
        with clade.progress_bar(file=io.StringIO()) as bar:
            assert _runtime._progress is bar
            raise KeyError("x")
    assert clade.set_progress(None) is report


def test_calls_of_the_library_are_drawn_in_a_terminal_only():
    done = subprocess.run([sys.executable, "-B", "-c", LONG_CALL], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-B", "-c", LONG_CALL], stderr=theirs) as process:
        os.close(theirs)
        drawn = b""
        try:
            while part := os.read(ours, 4096):
                drawn += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    assert process.returncode == 0
    assert drawn.startswith(b"\r") and b"100 %" in drawn and drawn.rstrip(b" ").endswith(b"\r")


def test_in_a_notebook_one_output_is_updated():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    cells = [nbformat.v4.new_code_cell(source) for source in (LONG_CALL, SLOW_CALLS)]
    book = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    for cell in cells:
        assert [output["output_type"] for output in cell.outputs] == ["display_data"]
    assert cells[0].outputs[0]["data"]["text/html"] == ""  # emptied in the end
    assert "50 %" in cells[1].outputs[0]["data"]["text/html"]


SLOW_CALLS = """
bar = clade.progress_bar().__enter__()
bar("training", 0, 2)
import time; time.sleep(0.2)
bar("training", 1, 2)
clade.set_progress(None);
"""
