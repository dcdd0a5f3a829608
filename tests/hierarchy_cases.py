"""Random data over hierarchies, and its files, for tests of selection and classification."""

import copy
import csv

import numpy as np
from clade_tool import run_json

DEEP = [[], [0], [0], [1], [1], [2], [2], [2], [3], [3], [4], [4]]  # four levels: n3 and n4 are inner below n1
DAG = [[], [0], [0], [0], [1, 2], [2, 3], [1], [4], [4, 5], [5], [3, 6], [6]]


class Problem:
    """Random data over a hierarchy: parents[k] lists the nodes above node k, by number; node 0 is the root."""

    def __init__(self, seed, parents, samples, features, multi=False, inner=False, density=1.0):
        generator = np.random.default_rng(seed)
        self.parents = {f"n{k}": [f"n{p}" for p in above] for k, above in enumerate(parents)}
        self.names = list(self.parents)
        self.internal = [n for n in self.names if any(n in above for above in self.parents.values())]
        classes = self.names[1:] if inner else [n for n in self.names if n not in self.internal]
        self.centre = {n: generator.normal(size=features) for n in self.names}
        self.x = np.zeros((samples, features))
        self.labels = []
        for s in range(samples):
            labels = [classes[s % len(classes)]]
            if multi and s % 3 == 0:
                labels += [n for n in generator.choice(classes, 1) if not self.related(n, labels[0])]
            self.labels.append(labels)
            mean = np.mean([sum(self.centre[a] for a in self.above(label)) for label in labels], axis=0)
            self.x[s] = (mean + generator.normal(size=features)) * (generator.random(features) < density)

    def above(self, node):
        return {node}.union(*(self.above(p) for p in self.parents[node]))

    def related(self, a, b):
        return a in self.above(b) or b in self.above(a)

    def part(self, rows):
        """The same problem with some of its samples."""
        part = copy.copy(self)
        part.x = self.x[rows]
        part.labels = [self.labels[s] for s in rows]
        return part

    def write(self, folder, sparse=False):
        """Writes data and hierarchy; returns the arguments that name them."""
        (folder / "tree.csv").write_text("child,parent\n" + "".join(f"{n},{p}\n" for n in self.names for p in self.parents[n]))
        if sparse:
            rows = [",".join(labels) + "".join(f" {j + 1}:{float(v)!r}" for j, v in enumerate(row) if v != 0)
                    for labels, row in zip(self.labels, self.x)]
            (folder / "data.svm").write_text("\n".join(rows) + "\n")
            return [folder / "data.svm", "--taxonomy", folder / "tree.csv", "--feature-count", self.x.shape[1]]
        header = ",".join(["sample", *(f"x{j}" for j in range(self.x.shape[1])), "label"])
        rows = [",".join([f"s{k}", *(repr(float(v)) for v in row), ";".join(labels)])
                for k, (labels, row) in enumerate(zip(self.labels, self.x))]
        (folder / "data.csv").write_text("\n".join([header, *rows]) + "\n")
        return [folder / "data.csv", "--taxonomy", folder / "tree.csv"]

    def in_id_order(self, folder):
        """The nodes as the tool numbers them, which `clade evaluate` tells."""
        (folder / "p.csv").write_text("sample,label\n" + "".join(f"s{k},{v[0]}\n" for k, v in enumerate(self.labels)))
        found = run_json("evaluate", "--predictions", folder / "p.csv", *self.write(folder), "--breakdown")
        return [entry["node"] for entry in found["nodes"]]


def predictions(path):
    """Per sample the labels and the scores, in the order of the file."""
    found = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            labels, scores = found.setdefault(row["sample"], ([], []))
            labels.append(row["label"])
            scores.append(float(row["score"]))
    return found
