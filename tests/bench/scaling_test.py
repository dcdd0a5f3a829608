"""The measurement of threads: the same bytes or an error, and a row in every table."""

import json
import os
import subprocess
import sys

from clade_tool import CLADE, SOURCE

# Writes what its arguments are, or at least those that do not differ by thread.
TOOL = """#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in -o) out=$2 ;; --threads) threads=$2 ;; esac
  shift
done
echo "a result $%s" >"$out"
"""


def scaling(tree, *arguments, **variables):
    return subprocess.run([sys.executable, "-B", SOURCE / "bench" / "scaling" / "run.py", tree, *map(str, arguments)], capture_output=True,
                          text=True, env={**os.environ, **variables})


def tree_with(folder, text):
    folder.mkdir()
    (folder / "clade").write_text(text)
    (folder / "clade").chmod(0o755)
    return folder


def test_other_bytes_are_an_error(tmp_path):
    for variable, status in (("threads", 1), ("nothing", 0)):
        done = scaling(tree_with(tmp_path / variable, TOOL % variable), "--threads", "1,3", "--rounds", 1, "--modelled", "",
                       "--only", "train top-down-svm")
        assert done.returncode == status, done.stderr
        assert ("train top-down-svm: 3 threads write other bytes" in done.stderr) == (status == 1)


def test_rows_of_a_small_problem(tmp_path):
    page, ratios, found = (tmp_path / name for name in ("page.md", "ratios.jsonl", "found.json"))
    page.write_text("<!-- scaling -->\n<!-- end -->\n<!-- modelled -->\n<!-- end -->\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "clade").symlink_to(CLADE)
    done = scaling(tree, "--threads", "2,1", "--documents", 60, "--samples", 30, "--features", 5, "--rounds", 1, "--only", "top-down-svm",
                   "--page", page, "--json", found, CLADE_BENCH_RATIOS=str(ratios))
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads(found.read_text())["rows"]
    assert [row["name"] for row in rows] == ["train top-down-svm", "predict top-down-svm"]
    assert all(set(row["wall"]) == {"1", "2"} and min(row["wall"].values()) > 0 for row in rows)
    assert "| `train top-down-svm` |" in page.read_text()
    recorded = [json.loads(line) for line in ratios.read_text().splitlines()]
    assert [(line["contender"], line["baseline"], line["threads"]) for line in recorded] == [
        ("train top-down-svm", "1 thread", 2), ("predict top-down-svm", "1 thread", 2)]
