#!/usr/bin/env python3
"""Runs the notebooks of examples/notebooks anew and keeps their outputs.

    scripts/notebooks.py                       runs all of them, writes them back, and the pictures that docs/ shows
    scripts/notebooks.py --check               runs them, writes nothing, and tells what differs
    scripts/notebooks.py NOTEBOOK...           only these

The package must be importable: PYTHONPATH=build/release/python. What is written depends on the code alone: no times of
execution, no names of machines, cells numbered in order.
"""

from __future__ import annotations

import argparse
import base64
import operator
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import nbformat
from jupyter_client import KernelManager
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "notebooks"
LARGEST = 300_000  # bytes of a notebook with its outputs

# Pictures that pages of the documentation show: the notebook, and which of its pictures.
IMAGES = FOLDER.parent.parent / "docs" / "images" / "notebooks"
PICTURES = {"diagnosis.png": ("4-taxonomy", 0), "ranks.png": ("5-comparison", -1)}

# Text that may differ between two runs of the same code: times, and addresses in memory.
VARYING = re.compile(r"\d[\d.,]* ?(?:µs|ms|s|seconds?|minutes?)\b|0x[0-9a-f]+")


def notebooks() -> list[Path]:
    return sorted(FOLDER.glob("*.ipynb"))


class Kernel:
    """One kernel for all notebooks: starting one and importing what they use takes longer than their own work."""

    def __init__(self) -> None:
        self._manager = KernelManager(kernel_name="python3")

    def __enter__(self) -> Kernel:
        # Frames and counts must not depend on how many cores or columns this machine has.
        self._manager.start_kernel(env={**os.environ, "COLUMNS": "120", "PYTHONHASHSEED": "0", "PYDEVD_DISABLE_FILE_VALIDATION": "1",
                                        "MPLBACKEND": "module://matplotlib_inline.backend_inline"})
        return self

    def __exit__(self, *_: object) -> None:
        self._manager.shutdown_kernel(now=True)

    def execute(self, path: Path, runs: int = 1, timeout: int = 300) -> nbformat.NotebookNode:
        """The notebook with the outputs of its last run, in a folder that is empty before the first; raises nbclient's
        error if a cell fails."""
        notebook = nbformat.read(path, as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            # No name, figure or file of an earlier notebook is left.
            fresh = f"__import__('os').chdir({folder!r})\n__import__('matplotlib.pyplot').pyplot.close('all')\n%reset -f"
            self._run(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(fresh)]), timeout)
            for _ in range(runs):
                self._run(notebook, timeout)
        return tidied(notebook)

    def _run(self, notebook: nbformat.NotebookNode, timeout: int) -> None:
        NotebookClient(notebook, km=self._manager, timeout=timeout).execute()


def tidied(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Without anything that a run leaves behind but its outputs."""
    notebook.metadata = nbformat.from_dict({
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    })
    count = 0
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number + 1}"
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = _joined_streams(cell.outputs)
            for output in cell.outputs:
                output.pop("metadata", None)
                if output.output_type == "execute_result":
                    output.execution_count = count
                if output.output_type in ("display_data", "execute_result"):
                    output.metadata = nbformat.from_dict({})
    return notebook


def _joined_streams(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """How print's pieces are bundled depends on timing; neighbours of one stream become one."""
    joined: list[nbformat.NotebookNode] = []
    for output in outputs:
        if joined and output.output_type == "stream" == joined[-1].output_type and output.name == joined[-1].name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def texts(cell: nbformat.NotebookNode) -> list[str]:
    """What a code cell shows, as text, with times masked."""
    shown = []
    for output in cell.get("outputs", []):
        text = output.text if output.output_type == "stream" else output.get("data", {}).get("text/plain", "")
        shown.append(VARYING.sub("#", "".join(text)).strip())
    return shown


def differences(
    kept: nbformat.NotebookNode, fresh: nbformat.NotebookNode, is_same: Callable[[str, str], bool] = operator.eq
) -> list[str]:
    """A line for each cell whose text is no longer what the notebook shows; `is_same(new, old)` may be lenient.

    What cells with the tag `varies` show depends on the processor: ranks and tests change where two scores change places.
    """
    return [
        f"cell {number + 1} shows\n{chr(10).join(texts(new))}\nand the notebook says\n{chr(10).join(texts(old))}"
        for number, (old, new) in enumerate(zip(kept.cells, fresh.cells))
        if len(texts(old)) != len(texts(new))
        or "varies" not in old.metadata.get("tags", [])
        and not all(map(is_same, texts(new), texts(old)))
    ]


def write_pictures(path: Path, notebook: nbformat.NotebookNode) -> None:
    """Those of the notebook that pages show."""
    found = [
        output.data["image/png"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    for name, (stem, number) in PICTURES.items():
        if path.stem == stem:
            IMAGES.mkdir(parents=True, exist_ok=True)
            (IMAGES / name).write_bytes(base64.b64decode(found[number]))


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs notebooks anew and keeps their outputs.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="NOTEBOOK")
    parser.add_argument("--check", action="store_true", help="write nothing; tell what differs")
    options = parser.parse_args()
    status = 0
    with Kernel() as kernel:
        for path in options.paths or notebooks():
            fresh = kernel.execute(path)
            if options.check:
                changed = differences(nbformat.read(path, as_version=4), fresh)
                for difference in changed:
                    print(f"{path}: {difference}")
                status = 1 if changed else status
                continue
            text = nbformat.writes(fresh)
            if len(text.encode()) > LARGEST:
                print(f"{path}: {len(text.encode())} bytes; expected at most {LARGEST}", file=sys.stderr)
                status = 1
                continue
            path.write_text(text + "\n")
            write_pictures(path, fresh)
            print(f"{path}: {len(text.encode()) / 1000:.0f} kB")
    return status


if __name__ == "__main__":
    sys.exit(main())
