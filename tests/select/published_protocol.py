"""The protocol of the published feature-selection tables, on DD: what is a ranking worth?

    published_protocol.py DATA RANKING.json [FEATURES]

DATA is the folder of data sets (with DD/DDTest.mat and folds/DD_test.csv); RANKING.json is what `clade select DDTrain.mat`
has written, or maps the name of every internal node (its 1-based row in the file's tree) to its features, best first.
Prints hierarchical F1 and normalised TIE.

Per fold one linear SVM (C = 1, one against one, no scaling) per internal node on the node's own best features, greedy
from the root down. Tied votes go to the class that stands first in the training rows: scikit-learn decides by the order
of the class values, so classes are numbered by first appearance. F1 per sample with the root counted, mean over the fold,
mean over folds; TIE summed over a fold, mean over folds, divided by the number of samples.
"""

import json
import sys
from pathlib import Path

import numpy as np
import scipy.io
from sklearn.svm import SVC


def way_up(parents, node):
    way = [node]
    while parents[way[-1] - 1] != 0:
        way.append(parents[way[-1] - 1])
    return way


def child_below(parents, node, label):
    """The child of `node` through which `label` hangs below it, or None."""
    way = way_up(parents, label)
    return way[way.index(node) - 1] if node in way[1:] else None


class NodeClassifier:
    def __init__(self, parents, node, features, x, labels):
        children = [child_below(parents, node, label) for label in labels]
        rows = [i for i, child in enumerate(children) if child is not None]
        self.features = features
        self.classes = list(dict.fromkeys(children[i] for i in rows))
        number = {child: k for k, child in enumerate(self.classes)}
        self.svm = None
        if len(self.classes) > 1:
            self.svm = SVC(kernel="linear", C=1.0)
            self.svm.fit(x[np.ix_(rows, features)], [number[children[i]] for i in rows])

    def choose(self, sample):
        if self.svm is None:
            return self.classes[0]
        return self.classes[self.svm.predict(sample[self.features].reshape(1, -1))[0]]


def features_by_node(document, nodes):
    """The rankings of the nodes, from what `clade select` writes; a ranking for the whole data set serves all nodes."""
    if "nodes" not in document:
        return document
    found = {entry["node"]: entry["ranking"] for entry in document["nodes"]}
    return {str(node): found.get("*", found.get(str(node))) for node in nodes}


def evaluate(data, ranking, count):
    """Hierarchical F1 and normalised TIE of `count` features per node; `ranking` as RANKING.json, read."""
    file = scipy.io.loadmat(data / "DD" / "DDTest.mat")
    x, labels = file["data_array"][:, :-1], file["data_array"][:, -1].astype(int)
    parents = file["tree"][:, 0].astype(int)
    folds = np.loadtxt(data / "folds" / "DD_test.csv", dtype=int)
    root = int(np.flatnonzero(parents == 0)[0]) + 1
    nodes = sorted(set(parents.tolist()) - {0})
    ranking = features_by_node(ranking, nodes)
    f1, tie = [], []
    for fold in np.unique(folds):
        train = folds != fold
        classifiers = {
            node: NodeClassifier(parents, node, ranking[str(node)][:count], x[train], labels[train])
            for node in nodes
        }
        scores, distances = [], []
        for i in np.flatnonzero(~train):
            node = root
            while node in classifiers:
                node = classifiers[node].choose(x[i])
            true, found = set(way_up(parents, labels[i])), set(way_up(parents, node))
            scores.append(2 * len(true & found) / (len(true) + len(found)))
            distances.append(len(true ^ found))
        f1.append(np.mean(scores))
        tie.append(np.sum(distances))
    return np.mean(f1), np.mean(tie) / len(labels)


if __name__ == "__main__":
    selected = json.loads(Path(sys.argv[2]).read_text())
    number = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    print("hierarchical F1 %.6f, normalised TIE %.4f" % evaluate(Path(sys.argv[1]), selected, number))
