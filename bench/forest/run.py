"""The classifier `forest` beside scikit-learn's ExtraTreesRegressor, on hierarchical multi-label sets.

    run.py BUILD_TREE [DATA_FOLDER [SET ...]]

DATA_FOLDER (by default shared/data beside the checkout) has SET/SET.train.arff, valid and test; train and valid
together are learnt. Both grow 100 extra trees with at least 5 samples in a leaf and a third of the features per split.
scikit-learn gets means for missing values, and label vectors closed upward, scaled by the square root of 0.75^depth, so
that it minimises the same sum of variances; Clade gets the file as it is. Processor seconds on one thread: of fit() alone for scikit-learn, of the whole
process for Clade, from reading the file to writing the model. AU(PRC) is the average precision of all pairs of a test
sample and a node, without the root and the three top terms of the gene ontology.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.metrics import average_precision_score

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from ratio import record  # noqa: E402

SETS = ["cellcycle_FUN", "eisen_GO"]
TOP_TERMS = ["GO0003674", "GO0005575", "GO0008150"]
TREES = 100


class Hierarchy:
    """Parents of every node. Paths such as 01/03/02 make a tree, pairs such as root/GO1 a graph."""

    def __init__(self, words):
        self.is_graph = any(word.startswith("root/") for word in words)
        self.parents = {}
        for word in words:
            above, _, below = word.rpartition("/")
            node = below if self.is_graph else word
            self.parents.setdefault(node, set())
            if above and above != "root":
                self.parents[node].add(above)
        self.depths = {}

    def depth(self, node):
        """1 at the top; in a graph the mean over the parents and 1 more."""
        if node not in self.depths:
            above = self.parents[node]
            self.depths[node] = 1 + (sum(map(self.depth, above)) / len(above) if above else 0)
        return self.depths[node]

    def closed(self, labels):
        found, open_nodes = set(), list(labels)
        while open_nodes:
            node = open_nodes.pop()
            if node not in found:
                found.add(node)
                open_nodes.extend(self.parents[node])
        return found


def read_arff(path):
    rows, labels, hierarchy, in_data = [], [], None, False
    for line in path.read_text().splitlines():
        if in_data and line.strip():
            *values, label = line.split(",")
            rows.append([float("nan") if value.strip() == "?" else float(value) for value in values])
            labels.append(label.strip().split("@"))
        elif line.lower().startswith("@attribute class"):
            hierarchy = Hierarchy(line.split("hierarchical", 1)[1].strip().split(","))
        in_data = in_data or line.lower().startswith("@data")
    return np.array(rows), labels, hierarchy


def scikit_learn(folder, name, trees, **settings):
    """Processor seconds of fit(), and AU(PRC)."""
    train = [read_arff(folder / name / f"{name}.{part}.arff") for part in ("train", "valid")]
    x, labels, hierarchy = np.vstack([t[0] for t in train]), train[0][1] + train[1][1], train[0][2]
    test_x, test_labels, _ = read_arff(folder / name / f"{name}.test.arff")
    means = np.nanmean(x, axis=0)
    x, test_x = (np.where(np.isnan(m), means, m).astype(np.float32) for m in (x, test_x))
    nodes = sorted(hierarchy.parents)
    column = {node: k for k, node in enumerate(nodes)}
    y, test_y = (np.zeros((len(all_labels), len(nodes)), dtype=np.float64) for all_labels in (labels, test_labels))
    for target, all_labels in ((y, labels), (test_y, test_labels)):
        for row, own in enumerate(all_labels):
            target[row, [column[node] for node in hierarchy.closed(own)]] = 1
    has_samples = y.any(axis=0)
    scale = np.sqrt([0.75 ** hierarchy.depth(node) for node in nodes])[has_samples]
    model = ExtraTreesRegressor(n_estimators=trees, min_samples_leaf=5, max_features=1 / 3, random_state=0, n_jobs=1,
                                **settings)
    start = time.process_time()
    model.fit(x, y[:, has_samples] * scale)
    seconds = time.process_time() - start
    scores = np.zeros_like(test_y)
    scores[:, has_samples] = model.predict(test_x) / scale
    kept = [k for k, node in enumerate(nodes) if node not in TOP_TERMS]
    return seconds, average_precision_score(test_y[:, kept], scores[:, kept], average="micro")


def clade(tool, folder, name, trees, *arguments):
    """Processor seconds of the process that trains, and AU(PRC)."""
    with tempfile.TemporaryDirectory() as scratch:
        data, model = Path(scratch) / "train.arff", Path(scratch) / "model.clade"
        train, valid = ((folder / name / f"{name}.{part}.arff").read_text() for part in ("train", "valid"))
        data.write_text(train.rstrip("\n") + "\n" + valid[valid.lower().index("@data") + len("@data"):].lstrip())
        command = [tool, "train", data, "--classifier", "forest", "--trees", trees, "-o", model, "--threads", 1,
                   "--quiet", *arguments]
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"clade train: status {status}")
        evaluate = [tool, "evaluate", model, folder / name / f"{name}.test.arff", "--json", "--quiet"]
        if name.endswith("_GO"):
            evaluate += ["--exclude-nodes", ",".join(TOP_TERMS)]
        done = subprocess.run([str(word) for word in evaluate], capture_output=True, text=True, check=True)
        return usage.ru_utime + usage.ru_stime, json.loads(done.stdout)["au_prc"]


def main():
    tool = Path(sys.argv[1]) / "clade"
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).resolve().parents[2].parent / "shared" / "data"
    for name in sys.argv[3:] or SETS:
        if not (folder / name).exists():
            print(f"{name}: not in {folder}")
            continue
        seconds, area = scikit_learn(folder, name, TREES)
        print(f"{name}: scikit-learn {seconds:.2f} s, AU(PRC) {area:.4f}", flush=True)
        for ensemble in ("extra-trees", "bagging"):
            own, own_area = clade(tool, folder, name, TREES, "--ensemble", ensemble)
            record("forest", f"forest, {ensemble}", "scikit-learn ExtraTreesRegressor", own / seconds, data=name)
            print(f"{name}: Clade, {ensemble}, {own:.2f} s, AU(PRC) {own_area:.4f}; {seconds / own:.1f} times faster",
                  flush=True)


if __name__ == "__main__":
    main()
