#!/usr/bin/env python3
"""Clade's Python package beside HiClass: the same data, the same local classifiers, in turns.

    HICLASS=FOLDER bench/hiclass.py CLADE [DATA] [--rounds 3] [--sets text,ImCLEF07A] [--slow]

FOLDER is where `import hiclass` finds HiClass; without it the script says so and ends. CLADE is the tool, which
generates the texts (`clade synth --text`: 20,000 documents to train on, 5,000 to test, 500 classes below 80 and 10 inner
nodes); DATA is a folder of public data sets with ImCLEF07A in it. --slow adds HiClass with logistic regression on the
texts, which takes minutes.

Every contender has one thread and one process, and takes its turn in every round; a row shows the fastest round.
Processor seconds count. All get the same arrays and are measured by the same lines below.
"""

import argparse
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

sys.path.insert(0, str(Path(__file__).resolve().parent))
from hierarchical_text import TextOptions, documents, weighted  # noqa: E402


def levels_of(leaves, parents):
    """The nodes on the way down to each leaf, as texts, one row per sample."""
    paths = {}
    for leaf in set(leaves):
        path = [leaf]
        while path[-1] in parents and parents[path[-1]] in parents:
            path.append(parents[path[-1]])
        paths[leaf] = [f"n{node}" for node in reversed(path)]
    return np.array([paths[leaf] for leaf in leaves])


def generated_text(tool, folder):
    o = TextOptions()
    counts, leaves, edges = documents(tool, folder / "train.npz", o, 0, o.train)
    idf = np.log(o.train / np.maximum(1, np.asarray((counts > 0).sum(axis=0)).ravel())).clip(0)
    test_counts, right, _ = documents(tool, folder / "test.npz", o, o.train, o.test, "--noise", 0)
    parents = {child: parent for parent, child in edges}
    return weighted(counts, idf), levels_of(leaves.tolist(), parents), weighted(test_counts, idf), levels_of(right.tolist(), parents)


def public_images(data):
    parts = []
    for part in ("Train", "Test"):
        rows, labels = [], []
        lines = iter((data / "ImCLEF07A" / f"ImCLEF07A_{part}.arff").read_text().splitlines())
        for line in lines:
            if line.strip().lower() == "@data":
                break
        for line in lines:
            if line.strip():
                *values, label = line.split(",")
                rows.append([float(value) for value in values])
                labels.append(label.strip().split("@")[-1].split("/"))  # 2@2/1@2/1/3: every node on the way, the last the deepest
        parts += [np.array(rows), np.array(labels)]
    scaler = MinMaxScaler().fit(parts[0])  # liblinear is quickest so; all contenders get the same
    return [scaler.transform(parts[0]), parts[1], scaler.transform(parts[2]), parts[3]]


def measured(right, found):
    """Accuracy of whole paths, and hierarchical F1 over the nodes on them."""
    right_nodes = [{tuple(row[: k + 1]) for k in range(len(row)) if row[k] != ""} for row in right.tolist()]
    found_nodes = [{tuple(row[: k + 1]) for k in range(len(row)) if row[k] != ""} for row in found.tolist()]
    common = sum(len(a & b) for a, b in zip(right_nodes, found_nodes))
    total = sum(map(len, right_nodes)) + sum(map(len, found_nodes))
    return float(np.mean([a == b for a, b in zip(right_nodes, found_nodes)])), 2 * common / total


def timed(call):
    wall, processor = time.perf_counter(), time.process_time()
    result = call()
    return result, time.process_time() - processor, time.perf_counter() - wall


class Contender:
    def __init__(self, name, make, rounds):
        self.name, self.make, self.rounds = name, make, rounds
        self.train, self.predict, self.wall, self.scores, self.found = [], [], [], None, None

    def turn(self, X, y, X_test, y_test):
        model, train, wall = timed(lambda: self.make().fit(X, y))
        found, predict, _ = timed(lambda: model.predict(X_test))
        self.train.append(train)
        self.wall.append(wall)
        self.predict.append(predict / len(y_test) * 1e6)
        self.found = np.asarray(found)
        self.scores = measured(y_test, self.found)


def contenders(theirs, rounds, has_slow):
    import clade
    import clade.hiclass as ours

    found = [
        Contender("HiClass, per parent node, LinearSVC", lambda: theirs.LocalClassifierPerParentNode(LinearSVC()), rounds),
        Contender("clade.hiclass, the same", lambda: ours.LocalClassifierPerParentNode(LinearSVC()), rounds),
    ]
    if has_slow:
        found.append(Contender("HiClass, per parent node, LogisticRegression",
                               lambda: theirs.LocalClassifierPerParentNode(LogisticRegression()), 1))
    found += [
        Contender("clade.hiclass, per parent node, LogisticRegression",
                  lambda: ours.LocalClassifierPerParentNode(LogisticRegression()), rounds),
        Contender("clade.DefaultClassifier", lambda: clade.DefaultClassifier(n_jobs=1), rounds),
    ]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clade")
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sets", default="text,ImCLEF07A")
    parser.add_argument("--slow", action="store_true")
    options = parser.parse_args()
    folder = os.environ.get("HICLASS")
    if not folder or not (Path(folder) / "hiclass").is_dir():
        print("hiclass: skipped; HICLASS names no folder with the package hiclass in it")
        return
    sys.path.insert(0, folder)
    import hiclass
    from clade.statistics import mcnemar

    warnings.filterwarnings("ignore")  # lbfgs that stops after 100 iterations says so at every node
    for name in options.sets.split(","):
        if name != "text" and options.data is None:
            print(f"{name}: skipped; no folder of data was named")
            continue
        with tempfile.TemporaryDirectory() as work:
            arrays = generated_text(options.clade, Path(work)) if name == "text" else public_images(options.data)
        rivals = contenders(hiclass, options.rounds, options.slow or name != "text")
        for turn in range(options.rounds):
            for rival in rivals:
                if turn < rival.rounds:
                    rival.turn(*arrays)
        print(f"\n**{name}**: {arrays[0].shape[0]:,} + {arrays[2].shape[0]:,} samples, {arrays[0].shape[1]:,} features\n")
        print("| | training, processor s | by the clock | prediction, µs per sample | accuracy | hierarchical F1 |")
        print("|---|---|---|---|---|---|")
        for r in rivals:
            print(f"| {r.name} | {min(r.train):.2f} | {min(r.wall):.2f} | {min(r.predict):.0f} | {r.scores[0]:.3f} | {r.scores[1]:.3f} |")
        for theirs, ours in zip(rivals, rivals[1:]):
            if theirs.name.startswith("HiClass"):
                same = np.mean((theirs.found == ours.found).all(axis=1))
                print(f"\n{theirs.name}, and Clade: the same path for {same:.2%} of the test samples")
        first, last = ((r.found == arrays[3]).all(axis=1) for r in (rivals[0], rivals[-1]))
        print(f"\n{rivals[-1].name} alone is right for {np.sum(last & ~first)} of them, {rivals[0].name} alone for "
              f"{np.sum(first & ~last)}: p = {mcnemar(np.sum(last & ~first), np.sum(first & ~last)):.2g} (McNemar)")


if __name__ == "__main__":
    main()
