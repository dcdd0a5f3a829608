#!/usr/bin/python3
"""How fast does Clade select features by mrmr next to a vectorised NumPy version of the same computation?

Usage: run.py BUILD_TREE

Runs hier-mrmr with rounded values for the best tenth of the features at every node, on DD from the folder of data sets
that CLADE_DATA names, or else on generated data of the same shape. `clade select` is timed as a whole process,
including reading, and reports its own time without it; NumPy runs in this process, and only its computation is timed.
Both must give the same rankings.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.io

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from ratio import record  # noqa: E402

REPEATS = 5
SHARE = 10  # per cent


def generate(path):
    """A file of DD's shape: 3,020 x 473, 27 classes below 4 groups; a tenth of the features has several levels."""
    random = np.random.default_rng(1)
    groups = [3, 6, 9, 9]
    parents = [0, *[1] * len(groups), *(2 + g for g, size in enumerate(groups) for _ in range(size))]
    labels = random.integers(2 + len(groups), len(parents) + 1, 3020)
    centres = random.normal(size=(len(parents) + 1, 473))
    scales = np.where(np.arange(473) < 50, 4, 1e-4)
    x = (centres[labels] + random.normal(size=(3020, 473))) * scales
    depth = [[parent, 0 if parent == 0 else 1 if parent == 1 else 2] for parent in parents]
    scipy.io.savemat(path, {"data_array": np.column_stack([x, labels]), "tree": np.array(depth, dtype=float)})
    return path


def read(path):
    """Values, labels, and the parents of the nodes; nodes are numbered from 1, and 0 means none."""
    file = scipy.io.loadmat(path)
    table = file["data_array"]
    return table[:, :-1], table[:, -1].astype(int), file["tree"][:, 0].astype(int)


def class_columns(labels, parents):
    """For every internal node, its rows and the child that each belongs to."""
    nodes = {}
    for row, label in enumerate(labels):
        child = label
        while (parent := parents[child - 1]) != 0:
            rows, children = nodes.setdefault(parent, ([], []))
            rows.append(row)
            children.append(child)
            child = parent
    return {node: (np.array(rows), np.unique(children, return_inverse=True)[1]) for node, (rows, children) in nodes.items()}


def discretised(x):
    """Features x samples as levels 0, 1, ...: the nearest integers, halves away from zero. And the levels of each."""
    rounded = (np.sign(x) * np.floor(np.abs(x) + 0.5)).T
    levels, counts = np.empty(rounded.shape, dtype=np.int64), np.empty(len(rounded), dtype=np.int64)
    for feature, row in enumerate(rounded):
        values, levels[feature] = np.unique(row, return_inverse=True)
        counts[feature] = len(values)
    return levels, counts


class Information:
    """Mutual information of columns of n samples, from counts: (n log n - sum a log a - sum b log b + sum ab log ab)
    / n.

    The terms are integers, looked up by count, so that features that split the samples alike are tied.
    """

    def __init__(self, samples):
        scale = 61 - int(np.ceil(np.log2(samples * np.log2(samples) + 2)))
        counts = np.arange(samples + 1, dtype=float)
        self.terms = np.rint(np.ldexp(counts * np.log2(np.maximum(counts, 1)), scale)).astype(np.int64)
        self.unit = 2.0**-scale / samples

    def sum_of(self, column):
        return self.terms[np.bincount(column)].sum()

    def with_all(self, column, columns, levels, sums):
        """Of one column with each of many, by one histogram of all pairs."""
        ends = np.cumsum(levels)
        starts = ends - levels
        width = column.max() + 1
        keys = (columns + starts[:, None]) * width + column
        joint = np.bincount(keys.ravel(), minlength=ends[-1] * width)
        joint = np.add.reduceat(self.terms[joint], starts * width)
        return np.maximum(self.terms[-1] + joint - self.sum_of(column) - sums, 0) * self.unit


def mrmr(x, classes, wanted):
    columns, levels = discretised(x)
    information = Information(len(classes))
    sums = np.array([information.sum_of(column) for column in columns])
    relevance = information.with_all(classes, columns, levels, sums)
    # Candidates by relevance; the sort is stable, so that the first of equals wins.
    order = np.argsort(-relevance, kind="stable")
    columns, levels, sums, relevance = columns[order], levels[order], sums[order], relevance[order]
    redundancy = np.zeros(len(order))
    taken = []
    for step in range(wanted):
        best = np.argmax(relevance - redundancy / max(step, 1))
        taken.append(int(order[best]))
        column = columns[best]
        rest = np.arange(len(order)) != best
        order, columns, levels, sums = order[rest], columns[rest], levels[rest], sums[rest]
        relevance, redundancy = relevance[rest], redundancy[rest]
        if step + 1 < wanted:
            redundancy += information.with_all(column, columns, levels, sums)
    return taken


def with_numpy(x, labels, parents):
    wanted = round(x.shape[1] * SHARE / 100)
    return {str(node): mrmr(x[rows], classes, wanted) for node, (rows, classes) in class_columns(labels, parents).items()}


def with_clade(program, path, output):
    command = [program, "select", path, "--method", "hier-mrmr", "--discretise", "round", "--top", f"{SHARE}%", "--quiet",
               "--force", "--json", "-o", output]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def timed(work, repeats):
    """The least time, and all results."""
    seconds, results = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        results.append(work())
        seconds.append(time.perf_counter() - start)
    return min(seconds), results


def main():
    program = pathlib.Path(sys.argv[1]) / "clade"
    data = pathlib.Path(os.environ.get("CLADE_DATA", pathlib.Path(__file__).parents[2] / ".." / "shared" / "data"))
    with tempfile.TemporaryDirectory() as folder:
        path = data / "DD" / "DDTrain.mat"
        name = "DD"
        if not path.exists():
            path, name = generate(pathlib.Path(folder) / "generated.mat"), "generated data"
        output = pathlib.Path(folder) / "ranking.json"
        x, labels, parents = read(path)
        clade, rankings = timed(lambda: with_clade(program, path, output), REPEATS)
        numpy, (expected, _) = timed(lambda: with_numpy(x, labels, parents), 2)
    alone = min(ranking["seconds"] for ranking in rankings)
    found = {entry["node"]: entry["ranking"] for entry in rankings[0]["nodes"]}
    print(f"{name}, {x.shape[0]} x {x.shape[1]}, {len(expected)} nodes, the best {SHARE} %")
    record("mrmr", "hier-mrmr, the whole process", "NumPy", clade / numpy, data=name, measure="seconds")
    record("mrmr", "hier-mrmr, without reading", "NumPy", alone / numpy, data=name, measure="seconds")
    print(f"NumPy, computing alone       {numpy:7.3f} s")
    print(f"clade select, whole process  {clade:7.3f} s   {numpy / clade:.1f} times faster")
    print(f"clade select, without reading{alone:7.3f} s   {numpy / alone:.1f} times faster")
    if found != expected:
        sys.exit("the rankings differ")
    print("the rankings are the same")


main()
