"""Random taxonomies, true labels and predictions for the tests of clade evaluate, and their files."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

RANKING = ["average_precision", "ranking_loss", "maximal_loss", "summed_ranking_loss", "coverage_error"]
LOSSES = ["tie", "tie_normalized", "ranking_loss", "maximal_loss", "top_loss", "symmetric_loss", "weighted_loss",
          "summed_ranking_loss"]
FIRST = [f"{name}_at_{k}" for name in ("precision", "recall") for k in ("1", "3", "5", "k")]  # of lists that go so far
NODES = ["au_prc", "au_prc_clus", "au_prc_macro", "au_prc_weighted"]  # of models alone
# Those that say the same of every perfect prediction; MEASURES has all.
JUDGED = ["accuracy", "hierarchical_precision", "hierarchical_recall", "hierarchical_f1", "f_lca", "p_lca", "r_lca",
          "hierarchical_accuracy", "one_accuracy", "average_precision", "parent_accuracy", "decision_accuracy", *LOSSES]
MEASURES = [*JUDGED, "coverage_error", *FIRST, *NODES]
RELIABILITY = ["expected_calibration_error", "adaptive_calibration_error", "maximum_calibration_error", "brier_score",
               "accuracy_coverage_area"]
OF_NODES = ["node_calibration_error", "pair_calibration_error"]  # with the scores of a model at all nodes alone
PERFECT = {name: 0 if name in LOSSES else 1 for name in JUDGED}


class Graph:
    """A taxonomy by name, with everything computed in the plainest way. Node 0 is the root."""

    def __init__(self, parents):
        self.parents = {f"n{k}": [f"n{p}" for p in above] for k, above in enumerate(parents)}
        self.nodes = list(self.parents)
        self.above = {}  # ancestors, the node itself among them
        self.depth = {}
        for node in self.nodes:
            self.above[node] = {node}.union(*(self.above[p] for p in self.parents[node]))
            self.depth[node] = max((self.depth[p] + 1 for p in self.parents[node]), default=0)
        inner = {p for above in self.parents.values() for p in above}
        self.leaves = [node for node in self.nodes if node not in inner]
        edges = [(int(k[1:]), int(p[1:])) for k, above in self.parents.items() for p in above]
        rows, columns = zip(*edges)
        matrix = csr_matrix((np.ones(len(edges)), (rows, columns)), shape=(len(self.nodes),) * 2)
        self.matrix = shortest_path(matrix, directed=False, unweighted=True)

    def distance(self, a, b):
        return self.matrix[int(a[1:]), int(b[1:])]

    def expand(self, labels):
        return set().union(*(self.above[label] for label in labels))

    def most_specific(self, labels):
        return {a for a in labels if not any(a != b and a in self.above[b] for b in labels)}

    def loss(self, a, b):
        return len(self.above[a] ^ self.above[b]) / 2

    def write(self, path):
        edges = [f"{node},{p}\n" for node, above in self.parents.items() for p in above]
        path.write_text("child,parent\n" + "".join(edges))
        return path


def random_graph(generator, nodes, dag):
    parents = [[]]
    for k in range(1, nodes):
        count = min(k, int(generator.integers(1, 4))) if dag else 1
        window = max(0, k - int(generator.integers(2, 12)))
        choice = generator.choice(range(window, k), size=min(count, k - window), replace=False)
        parents.append(sorted(int(p) for p in choice))
    return Graph(parents)


class Case:
    """True label sets and ranked lists of (label, score) for the samples s0, s1, ..."""

    def __init__(self, graph, truth, lists):
        self.graph, self.truth, self.lists = graph, truth, lists
        self.names = [f"s{k}" for k in range(len(truth))]

    def write(self, folder, samples=None, shuffle=None):
        """Writes data, predictions and taxonomy; returns the arguments that evaluate them."""
        samples = range(len(self.truth)) if samples is None else samples
        data = [f"{self.names[s]},1,{';'.join(sorted(self.truth[s]))}\n" for s in samples]
        rows = [f"{self.names[s]},{rank},{label},{score!r}\n"
                for s in samples for rank, (label, score) in enumerate(self.lists[s], 1)]
        if shuffle is not None:
            shuffle.shuffle(data)
            shuffle.shuffle(rows)
        (folder / "data.csv").write_text("sample,x,label\n" + "".join(data))
        (folder / "predictions.csv").write_text("sample,rank,label,score\n" + "".join(rows))
        return ["evaluate", "--predictions", folder / "predictions.csv", folder / "data.csv",
                "--taxonomy", self.graph.write(folder / "tree.csv")]


def random_case(generator, dag, inner, multi, ranked, ties=False, samples=60, graph=None):
    graph = graph or random_graph(generator, int(generator.integers(3, 40)), dag)
    classes = graph.nodes[1:] if inner else graph.leaves
    truth, lists = [], []
    for _ in range(samples):
        count = int(generator.integers(1, 1 + min(len(classes), 4))) if multi else 1
        labels = graph.most_specific(set(generator.choice(classes, count, replace=False)))
        order = [str(label) for label in generator.permutation(classes)]
        if generator.random() < 0.6:  # right, or nearly
            order = [*labels, *(label for label in order if label not in labels)]
        if not ranked:
            order = order[:int(generator.integers(1, 1 + min(len(classes), 5)))] if multi else order[:1]
        scores = -np.sort(generator.integers(0, 4, len(order)) if ties else generator.random(len(order)))
        truth.append(labels)
        lists.append(list(zip(order, map(float, scores))))
    return Case(graph, truth, lists)


def close(found, expected, name=""):
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-12), name
