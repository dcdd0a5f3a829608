"""clade evaluate: every measure against scikit-learn, scipy or its definition, the intervals and folds, and bad input."""

import csv
import io
import itertools
import math
import re
import statistics
from fractions import Fraction

import numpy as np
import pytest
from clade_tool import DATA, SOURCE, error_line, run, run_json
from pages import run_page
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path
from scipy.stats import norm
from sklearn.metrics import (accuracy_score, brier_score_loss, label_ranking_average_precision_score,
                             label_ranking_loss, precision_recall_fscore_support)

RANKING = ["average_precision", "ranking_loss", "maximal_loss"]
LOSSES = ["tie", "tie_normalized", "ranking_loss", "maximal_loss", "top_loss", "symmetric_loss"]
MEASURES = ["accuracy", "hierarchical_precision", "hierarchical_recall", "hierarchical_f1", "f_lca", "p_lca", "r_lca",
            "hierarchical_accuracy", "one_accuracy", "average_precision", "parent_accuracy", *LOSSES]
PERFECT = {name: 0 if name in LOSSES else 1 for name in MEASURES}


# ---- taxonomies, cases and their files


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


# ---- the measures, by definition


def lca_graphs(graph, order, truth, predicted):
    """P, R and F over the smallest graphs, trying every set of connectors. `order` gives the ids of nodes."""
    up = {}  # up[a][c]: edges on the shortest way up from a to c

    def ways_up(a):
        if a not in up:
            steps, front = {a: 0}, [a]
            while front:
                front = [p for node in front for p in graph.parents[node] if steps.setdefault(p, steps[node] + 1) > steps[node]]
            up[a] = steps
        return up[a]

    def joins(a, b):
        common = graph.above[a] & graph.above[b]
        lowest = [c for c in common if not any(c != d and c in graph.above[d] for d in common)]
        length = {c: ways_up(a)[c] + ways_up(b)[c] for c in lowest}
        return min(length.values()), {c for c in lowest if length[c] == min(length.values())}

    def way(label, connector):
        if label == connector:
            return [label]
        steps = ways_up(label)
        return [connector, *min((way(label, node) for node in graph.nodes
                                 if connector in graph.parents[node] and steps.get(node, -2) == steps[connector] - 1),
                                key=lambda nodes: [order[node] for node in nodes])]

    sides = [(label, predicted) for label in truth], [(label, truth) for label in predicted]
    connections = {}
    for k, (label, others) in enumerate(itertools.chain(*sides)):
        found = [joins(label, other) for other in others]
        nearest = min(length for length, _ in found)
        connections[k] = label, k < len(truth), set().union(*(c for length, c in found if length == nearest))
    candidates = sorted(set().union(*(c for _, _, c in connections.values())), key=order.get)
    if len(candidates) > 10:
        return None
    best = None
    for size in range(1, len(candidates) + 1):
        for chosen in itertools.combinations(candidates, size):
            if not all(c & set(chosen) for _, _, c in connections.values()):
                continue
            graphs = {True: set(chosen), False: set(chosen)}
            for label, is_true, own in connections.values():
                steps = ways_up(label)
                nearest = min(own & set(chosen), key=lambda c: (steps[c], -order[c]))
                graphs[is_true].update(way(label, nearest))
            key = len(graphs[True]) + len(graphs[False]), size, [-order[c] for c in chosen]
            if best is None or key < best[0]:
                best = key, graphs
    common = len(best[1][True] & best[1][False])
    p, r = common / len(best[1][False]), common / len(best[1][True])
    return p, r, 2 * p * r / (p + r)


def rankings_by_definition(graph, truth, scored, classes):
    score = {c: -math.inf for c in classes} | dict(scored)
    wrong = [c for c in classes if c not in truth]
    precision = [sum(score[r] >= score[y] for r in truth) / sum(s >= score[y] for s in score.values()) for y in truth]
    misordered = [(y, n) for y in truth for n in wrong if score[y] <= score[n]]
    return (statistics.fmean(precision), len(misordered) / (len(truth) * len(wrong)) if wrong else 0,
            max((graph.loss(y, n) for y, n in misordered), default=0))


def by_definition(case, sets, order, ranked):
    """The values per sample of all measures that are means over samples."""
    graph = case.graph
    classes = set(graph.leaves).union(*case.truth, *({label for label, _ in scored} for scored in case.lists))
    rows = {name: [] for name in MEASURES if not name.startswith("hierarchical_") and name not in ("accuracy", *RANKING)}
    rows["hierarchical_accuracy"] = []
    if ranked:
        rows.update({name: [] for name in RANKING})
    for truth, labels, scored in zip(case.truth, sets, case.lists, strict=True):
        above, below = graph.expand(truth), graph.expand(labels)
        first = scored[0][0]
        forth = statistics.fmean(min(graph.distance(a, b) for b in labels) for a in truth)
        back = statistics.fmean(min(graph.distance(a, b) for a in truth) for b in labels)
        rows["tie"].append((forth + back) / 2)
        rows["tie_normalized"].append(rows["tie"][-1] / graph.matrix.max())
        lca = lca_graphs(graph, order, truth, labels)
        for name, value in zip(("p_lca", "r_lca", "f_lca"), lca or ()):
            rows[name].append(value)
        deepest = max(graph.depth[node] for node in above | below)
        agree = [{n for n in above if graph.depth[n] == level} == {n for n in below if graph.depth[n] == level}
                 for level in range(1, deepest + 1)]
        rows["hierarchical_accuracy"].append(statistics.fmean(agree) if agree else 1)
        rows["one_accuracy"].append(first in truth)
        rows["top_loss"].append(0 if first in truth else max(graph.loss(first, y) for y in truth))
        rows["parent_accuracy"].append(first in truth or
                                       any(set(graph.parents[first]) & set(graph.parents[y]) for y in truth))
        rows["symmetric_loss"].append(len(above ^ below))
        if ranked:
            for name, value in zip(RANKING, rankings_by_definition(graph, truth, scored, classes)):
                rows[name].append(value)
    return rows


def indicators(graph, sets, nodes):
    return np.array([[node in expanded for node in nodes] for expanded in map(graph.expand, sets)], dtype=int)


def close(found, expected, name=""):
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-12), name


# ---- measures


LABEL_SETS = [["--label-set", "all"], ["--label-set", "top-1"], ["--label-set", "top-k", "--top-k", 2],
              ["--label-set", "threshold", "--threshold", -0.5], []]


def chosen_sets(case, rule):
    """The predicted label sets under the rule, most specific nodes only."""
    classes = set(case.graph.leaves).union(*case.truth, *({label for label, _ in scored} for scored in case.lists))
    is_multi = any(len(truth) > 1 for truth in case.truth)
    full = all(len(scored) == len(classes) for scored in case.lists)
    word = rule[1] if rule else "all" if is_multi and not full else "top-1"
    cut = {"all": lambda scored: scored, "top-1": lambda scored: scored[:1], "top-k": lambda scored: scored[:2],
           "threshold": lambda scored: [pair for pair in scored if pair[1] >= -0.5] or scored[:1]}[word]
    return [case.graph.most_specific({label for label, _ in cut(scored)}) for scored in case.lists]


def node_order(document):
    return {entry["node"]: k for k, entry in enumerate(document["nodes"])}


CASES = list(itertools.product((False, True), (False, True), (False, True), (False, True), range(16)))


@pytest.mark.parametrize("dag, inner, multi, ranked, seed", CASES)
def test_every_measure_and_the_breakdown(tmp_path, dag, inner, multi, ranked, seed):
    generator = np.random.default_rng([seed, dag, inner, multi, ranked])
    case = random_case(generator, dag, inner, multi, ranked, ties=seed % 4 == 3, samples=30)
    rule = LABEL_SETS[seed % 5] if multi else LABEL_SETS[(1, 4)[seed % 2]]
    average = ("micro", "macro", "samples")[seed % 3]
    root = ["--count-root"] if seed % 4 == 1 else []
    found = run_json(*case.write(tmp_path), *rule, "--average", average, *root, "--breakdown", "--confusions", 1000)
    sets = chosen_sets(case, rule)
    graph = case.graph
    assert found["samples"] == len(case.truth)

    # Precision, recall and F1 are those of the label sets with their ancestors.
    nodes = graph.nodes if root else graph.nodes[1:]
    truth, predicted = indicators(graph, case.truth, nodes), indicators(graph, sets, nodes)
    occurs = truth.any(axis=0) | predicted.any(axis=0) if average == "macro" else np.ones(len(nodes), dtype=bool)
    reference = precision_recall_fscore_support(truth[:, occurs], predicted[:, occurs], average=average, zero_division=0)
    close([found[f"hierarchical_{name}"] for name in ("precision", "recall", "f1")], list(reference[:3]), average)
    close(found["accuracy"], accuracy_score(truth, predicted))

    listed = all(y in dict(scored) for truth, scored in zip(case.truth, case.lists) for y in truth)
    rows = by_definition(case, sets, node_order(found), listed)
    for name, values in rows.items():
        if len(values) == len(sets):  # F_LCA is not tried with more than ten connectors
            close(found[name], statistics.fmean(values), name)
    if not listed:
        assert all(found[name] is None for name in RANKING)
    check_nodes(found, graph, indicators(graph, case.truth, graph.nodes), indicators(graph, sets, graph.nodes))
    check_levels(found, graph, case.truth, sets)
    check_confusions(found, graph, case.truth, sets)


def check_scores(entry, support, predicted, correct):
    assert (entry["support"], entry["predicted"], entry["correct"]) == (support, predicted, correct)
    assert entry["precision"] == (pytest.approx(correct / predicted) if predicted else None)
    assert entry["recall"] == (pytest.approx(correct / support) if support else None)
    assert entry["f1"] == (pytest.approx(2 * correct / (support + predicted)) if support + predicted else None)


def check_nodes(found, graph, truth, predicted):
    assert sorted(entry["node"] for entry in found["nodes"]) == sorted(graph.nodes)
    for entry in found["nodes"]:
        k = graph.nodes.index(entry["node"])
        assert entry["level"] == graph.depth[entry["node"]]
        check_scores(entry, truth[:, k].sum(), predicted[:, k].sum(), (truth[:, k] & predicted[:, k]).sum())


def check_levels(found, graph, true_sets, predicted_sets):
    assert [entry["level"] for entry in found["levels"]] == list(range(1, max(graph.depth.values()) + 1))
    truth, predicted = ([graph.expand(labels) for labels in sets] for sets in (true_sets, predicted_sets))
    for entry in found["levels"]:
        on = {node for node in graph.nodes if graph.depth[node] == entry["level"]}
        pairs = [(t & on, p & on) for t, p in zip(truth, predicted)]
        check_scores(entry, sum(len(t) for t, _ in pairs), sum(len(p) for _, p in pairs), sum(len(t & p) for t, p in pairs))
        assert entry["samples"] == sum(bool(t) for t, _ in pairs)
        assert entry["right"] == sum(bool(t) and t == p for t, p in pairs)


def check_confusions(found, graph, true_sets, predicted_sets):
    order = node_order(found)
    counts = {}
    for truth, predicted in zip(true_sets, predicted_sets):
        for label in predicted - truth:
            nearest = min(truth, key=lambda y: (graph.distance(label, y), order[y]))
            counts[nearest, label] = counts.get((nearest, label), 0) + 1
    expected = [{"true": t, "predicted": p, "count": n, "distance": graph.distance(t, p), "cost": n * graph.distance(t, p)}
                for (t, p), n in counts.items()]
    for list_name, first, second in (("most_frequent", "count", "cost"), ("most_costly", "cost", "count")):
        expected.sort(key=lambda e: (-e[first], -e[second], order[e["true"]], order[e["predicted"]]))
        assert found[f"{list_name}_confusions"] == expected


@pytest.mark.parametrize("dag", [False, True])
def test_more_labels_than_one_search_serves(tmp_path, dag):
    generator = np.random.default_rng([8, dag])
    graph = random_graph(generator, 700, dag)
    truth, predicted = generator.choice(graph.nodes, (2, 2000))
    case = Case(graph, [{str(label)} for label in truth], [[(str(label), 1.0)] for label in predicted])
    found = run_json(*case.write(tmp_path))
    distances = np.array([graph.distance(a, b) for a, b in zip(truth, predicted)])
    close(found["tie"], distances.mean())
    close(found["tie_normalized"], distances.mean() / graph.matrix.max())


@pytest.mark.parametrize("dag", [False, True])
def test_a_deep_taxonomy(tmp_path, dag):
    chain = [[], *([k] for k in range(99))]
    leaves = [[k] for k in range(0, 100, 9)]
    graph = Graph([*chain, *leaves, [3, 50] if dag else [50]])
    generator = np.random.default_rng([9, dag])
    truth, predicted = generator.choice(graph.nodes, (2, 200))
    case = Case(graph, [{str(label)} for label in truth], [[(str(label), 1.0)] for label in predicted])
    found = run_json(*case.write(tmp_path), "--breakdown")
    sets = [{str(label)} for label in predicted]
    for name, values in by_definition(case, sets, node_order(found), False).items():
        close(found[name], statistics.fmean(values), name)
    check_levels(found, graph, case.truth, sets)


def test_a_taxonomy_of_the_root_alone(tmp_path):
    (tmp_path / "tree.json").write_text('["all"]')
    (tmp_path / "data.csv").write_text("x,label\n1,all\n2,all\n")
    (tmp_path / "predictions.csv").write_text("sample,label\n0,all\n1,all\n")
    found = run_json("evaluate", "--predictions", tmp_path / "predictions.csv", tmp_path / "data.csv",
                     "--taxonomy", tmp_path / "tree.json", "--breakdown", "--bootstrap", "--resamples", 10)
    assert {name: found[name] for name in MEASURES} == PERFECT
    assert found["levels"] == [] and len(found["nodes"]) == 1


def flat_graph(leaves):
    return Graph([[], *([0] for _ in range(leaves))])


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_rankings_are_those_of_scikit_learn(tmp_path, flat, inner, seed):
    generator = np.random.default_rng([seed, flat, inner])
    graph = flat_graph(int(generator.integers(2, 30))) if flat else None
    case = random_case(generator, dag=seed % 2 == 1, inner=inner, multi=True, ranked=True, samples=200, graph=graph)
    classes = case.graph.nodes[1:] if inner else case.graph.leaves
    truth = np.array([[c in labels for c in classes] for labels in case.truth], dtype=int)
    scores = np.array([[dict(scored)[c] for c in classes] for scored in case.lists])
    found = run_json(*case.write(tmp_path))
    close(found["average_precision"], label_ranking_average_precision_score(truth, scores))
    close(found["ranking_loss"], label_ranking_loss(truth, scores))
    close(found["one_accuracy"], truth[np.arange(len(truth)), scores.argmax(axis=1)].mean())


def test_equal_scores_count_against_the_ranking(tmp_path):
    graph = Graph([[], [0], [0], [1], [1], [2]])
    # All equal: every pair is in the wrong order, and the precision is that of predicting every class.
    case = Case(graph, [{"n3"}, {"n3", "n5"}], [[("n3", 1.0), ("n4", 1.0), ("n5", 1.0)]] * 2)
    found = run_json(*case.write(tmp_path))
    close(found["average_precision"], (1 / 3 + 2 / 3) / 2)
    assert found["ranking_loss"] == 1
    close(found["maximal_loss"], (2 + 2) / 2)  # n3 or n5 against the class on the other side
    # The first label of the file is still the first.
    assert found["one_accuracy"] == 1


def test_classes_that_are_not_listed_rank_last(tmp_path):
    graph = Graph([[], [0], [0], [1], [1], [2], [2]])
    case = Case(graph, [{"n3"}, {"n5"}], [[("n4", 2.0), ("n3", 1.0)], [("n5", 1.0)]])
    found = run_json(*case.write(tmp_path))
    close(found["average_precision"], (1 / 2 + 1) / 2)
    close(found["ranking_loss"], (1 / 3 + 0) / 2)
    close(found["maximal_loss"], (1 + 0) / 2)


def test_the_root_as_a_label(tmp_path):
    graph = Graph([[], [0], [0], [1]])
    case = Case(graph, [{"n0"}, {"n3"}, {"n0"}], [[("n0", 1.0)], [("n0", 1.0)], [("n2", 1.0)]])
    found = run_json(*case.write(tmp_path), "--average", "samples")
    close(found["accuracy"], 1 / 3)
    # Nothing predicted where nothing was asked for is right; nothing where something was asked for has precision 0.
    close([found[f"hierarchical_{m}"] for m in ("precision", "recall", "f1")], [1 / 3, 1 / 3, 1 / 3])
    close(found["tie"], (0 + 2 + 1) / 3)
    close(found["hierarchical_accuracy"], 1 / 3)
    counted = run_json(*case.write(tmp_path), "--average", "samples", "--count-root")
    close([counted[f"hierarchical_{m}"] for m in ("precision", "recall", "f1")],
          [(1 + 1 + 1 / 2) / 3, (1 + 1 / 3 + 1) / 3, (1 + 1 / 2 + 2 / 3) / 3])


def test_labels_above_others_are_implied(tmp_path):
    graph = Graph([[], [0], [1], [1], [0]])
    plain = Case(graph, [{"n2"}, {"n2", "n4"}], [[("n2", 3.0)], [("n4", 3.0), ("n3", 2.0)]])
    paths = Case(graph, [{"n2", "n1", "n0"}, {"n2", "n1", "n4"}],
                 [[("n2", 3.0), ("n1", 2.0), ("n0", 1.0)], [("n4", 3.0), ("n3", 2.0), ("n1", 1.5), ("n0", 1.0)]])
    expected = run_json(*plain.write(tmp_path), "--label-set", "all")
    found = run_json(*paths.write(tmp_path), "--label-set", "all")
    assert {k: v for k, v in found.items() if k not in RANKING} == {k: v for k, v in expected.items() if k not in RANKING}


def test_samples_without_a_label_are_left_out_and_counted(tmp_path):
    graph = Graph([[], [0], [0], [1]])
    case = Case(graph, [{"n3"}, set(), {"n2"}], [[("n3", 1.0)], [("n3", 1.0)], [("n3", 1.0)]])
    process = run(*case.write(tmp_path), "--json")
    assert "samples without a label, left out: 1" in process.stderr
    found = run_json(*case.write(tmp_path), "--breakdown")
    assert found["samples"] == 2 and found["accuracy"] == 0.5
    assert found["notes"] == ["samples without a label, left out: 1"]
    none = Case(graph, [set(), set()], [[("n3", 1.0)]] * 2)
    line = error_line(*none.write(tmp_path), "--quiet")
    assert "the data has no labelled sample" in line


# ---- probabilities


RELIABILITY = ["expected_calibration_error", "adaptive_calibration_error", "maximum_calibration_error", "brier_score",
               "accuracy_coverage_area"]


def probability_case(seed):
    generator = np.random.default_rng(seed)
    case = random_case(generator, dag=True, inner=False, multi=False, ranked=False, samples=200)
    case.lists = [[(label, float(score))] for [(label, _)], score in zip(case.lists, generator.random(200))]
    return case


def test_reliability_against_numpy_and_scikit_learn(tmp_path):
    for seed in range(5):
        case = probability_case(seed)
        found = run_json(*case.write(tmp_path), "--breakdown")
        p = np.array([scored[0][1] for scored in case.lists])
        r = np.array([scored[0][0] in truth for scored, truth in zip(case.lists, case.truth)])
        close(found["brier_score"], brier_score_loss(r, p))
        bins = np.minimum((p * 15).astype(int), 14)
        gaps = {b: abs(r[bins == b].mean() - p[bins == b].mean()) for b in set(bins)}
        close(found["expected_calibration_error"], sum(gaps[b] for b in bins) / len(p))
        close(found["maximum_calibration_error"], max(gaps.values()))
        sizes = np.bincount(np.arange(len(p)) * 15 // len(p))
        cut = np.split(np.argsort(p), np.cumsum(sizes)[:-1])
        close(found["adaptive_calibration_error"], sum(len(b) * abs(r[b].mean() - p[b].mean()) for b in cut) / len(p))
        sure = r[np.argsort(-p)]
        close(found["accuracy_coverage_area"], np.mean(np.cumsum(sure) / np.arange(1, len(p) + 1)))
        assert len(found["coverage"]) == 20
        for k, point in enumerate(found["coverage"], 1):
            assert point["answered"] == 10 * k and point["threshold"] == np.sort(p)[-10 * k]
            close(point["coverage"], k / 20)
            close(point["accuracy"], sure[:10 * k].mean())
        close(found["coverage"][-1]["hierarchical_f1"], found["hierarchical_f1"])


def test_whether_scores_are_probabilities(tmp_path):
    case = probability_case(1)
    command = case.write(tmp_path)
    assert all(run_json(*command)[name] is not None for name in RELIABILITY)
    none = run_json(*command, "--probabilities", "no", "--breakdown")
    assert all(none[name] is None for name in RELIABILITY) and none["coverage"] == []
    assert "as probabilities" in run(*command).stdout
    assert "as probabilities" not in run(*command, "--probabilities", "no").stdout
    case.lists[3] = [(case.lists[3][0][0], 1.25)]
    command = case.write(tmp_path)
    assert run_json(*command)["brier_score"] is None
    line = error_line(*command, "--probabilities", "yes", "--quiet")
    assert line == ("the first score of sample s3 is 1.25, not a probability; "
                    "expected scores from 0 to 1 with --probabilities yes")


# ---- contract


def test_json_is_one_flat_object_with_every_measure(tmp_path):
    generator = np.random.default_rng(1)
    case = random_case(generator, dag=True, inner=True, multi=True, ranked=True)
    found = run_json(*case.write(tmp_path))
    assert sorted(found) == sorted(["samples", *MEASURES, *RELIABILITY]) and len(MEASURES) == 17
    assert all(isinstance(value, (int, float)) for name, value in found.items() if name not in RELIABILITY)
    assert all(found[name] is None for name in RELIABILITY)  # these scores are negative
    case.lists[7] = [pair for pair in case.lists[7] if pair[0] not in case.truth[7]]
    found = run_json(*case.write(tmp_path))
    assert [name for name in MEASURES if found[name] is None] == RANKING
    process = run(*case.write(tmp_path), "--json")
    assert "need every true label in its sample's list; samples that lack one: 1" in process.stderr


def test_intervals_and_deviations_join_the_object(tmp_path):
    case = random_case(np.random.default_rng(2), dag=False, inner=False, multi=False, ranked=False)
    arguments = case.write(tmp_path)
    (tmp_path / "folds.csv").write_text("fold\n" + "".join(f"{s % 3}\n" for s in range(60)))
    found = run_json(*arguments, "--bootstrap", "--resamples", 50, "--fold-file", tmp_path / "folds.csv")
    expected = [name + end for name in MEASURES for end in ("", "_low", "_high", "_deviation")]
    assert sorted(found) == sorted(["samples", *expected, *RELIABILITY])
    for name in MEASURES:
        missing = name in RANKING
        assert all((found[name + end] is None) == missing for end in ("", "_low", "_high", "_deviation")), name
    found = run_json(*arguments, "--breakdown")
    assert sorted(found) == sorted(["samples", *MEASURES, *RELIABILITY, "levels", "nodes", "most_frequent_confusions",
                                    "most_costly_confusions", "coverage", "notes"])


@pytest.mark.parametrize("multi, ranked", [(False, False), (False, True), (True, False), (True, True)])
def test_perfect_predictions(tmp_path, multi, ranked):
    case = random_case(np.random.default_rng([3, multi, ranked]), dag=True, inner=True, multi=multi, ranked=ranked)
    for labels, scored in zip(case.truth, case.lists):
        rest = [label for label, _ in scored if label not in labels] if ranked else []
        scored[:] = [(label, float(-rank)) for rank, label in enumerate([*labels, *rest])]
    rule = ["--label-set", "threshold", "--threshold", 0] if ranked else []
    if ranked:
        for labels, scored in zip(case.truth, case.lists):
            scored[:] = [(label, score + len(labels) - 1) for label, score in scored]
    for average in ("micro", "macro", "samples"):
        found = run_json(*case.write(tmp_path), *rule, "--average", average, "--bootstrap", "--resamples", 20)
        for name, value in PERFECT.items():
            close([found[name], found[name + "_low"], found[name + "_high"]], [value] * 3, name)


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("dag", [False, True])
def test_the_order_of_the_samples_changes_nothing(tmp_path, dag, multi):
    generator = np.random.default_rng([4, dag, multi])
    case = random_case(generator, dag, True, multi, ranked=multi, samples=500)
    expected = run_json(*case.write(tmp_path), "--breakdown")
    found = run_json(*case.write(tmp_path, shuffle=generator), "--breakdown")
    for name in MEASURES:
        assert found[name] == (None if expected[name] is None else pytest.approx(expected[name], rel=1e-12, abs=1e-12))
    for name in ("nodes", "levels", "most_frequent_confusions", "most_costly_confusions"):
        assert found[name] == expected[name]


def many_sets(generator):
    case = random_case(generator, dag=True, inner=True, multi=True, ranked=False, samples=300)
    return Case(case.graph, case.truth * 240, case.lists * 240)


def many_pairs(generator):
    graph = random_graph(generator, 700, dag=True)
    truth, predicted = generator.choice(graph.nodes, (2, 140_000)).tolist()
    return Case(graph, [{label} for label in truth], [[(label, 1.0)] for label in predicted])


@pytest.mark.parametrize("make", [many_sets, many_pairs])
def test_the_number_of_threads_changes_nothing(tmp_path, make):
    """With enough samples, and enough different ones, for several chunks of work."""
    arguments = make(np.random.default_rng(5)).write(tmp_path)
    for options in (["--average", "micro"], ["--average", "macro", "--bootstrap", "--resamples", 4]):
        outputs = {run(*arguments, "--json", "--breakdown", *options, "--threads", threads).stdout for threads in (1, 2, 3)}
        assert len(outputs) == 1


# ---- intervals


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Single labels, 80 % right."""
    generator = np.random.default_rng(6)
    graph = random_graph(generator, 40, dag=False)
    truth = [{str(label)} for label in generator.choice(graph.leaves, 5000)]
    lists = [[(next(iter(labels)) if generator.random() < 0.8 else str(generator.choice(graph.leaves)), 1.0)]
             for labels in truth]
    case = Case(graph, truth, lists)
    return case, case.write(tmp_path_factory.mktemp("large"))


def test_intervals_agree_with_the_normal_approximation(large):
    case, arguments = large
    for level in (0.5, 0.95):
        found = run_json(*arguments, "--bootstrap", "--resamples", 2000, "--confidence-level", level)
        right = np.array([scored[0][0] in labels for labels, scored in zip(case.truth, case.lists)], dtype=float)
        tie = np.array([case.graph.distance(scored[0][0], next(iter(labels))) for labels, scored in zip(case.truth, case.lists)])
        for name, values in (("accuracy", right), ("tie", tie)):
            half = norm.isf((1 - level) / 2) * values.std() / math.sqrt(len(values))
            close(found[name], values.mean())
            assert found[name] - found[f"{name}_low"] == pytest.approx(half, rel=0.15)
            assert found[f"{name}_high"] - found[name] == pytest.approx(half, rel=0.15)
        for name in MEASURES:
            if found[name] is not None:
                assert found[f"{name}_low"] < found[name] < found[f"{name}_high"], name


def test_intervals_depend_on_the_seed_and_on_nothing_else(large):
    _, arguments = large
    bootstrap = [*arguments, "--bootstrap", "--resamples", 100, "--json"]
    first = {run(*bootstrap, "--threads", threads).stdout for threads in (1, 2, 3)}
    assert len(first) == 1
    assert run(*bootstrap, "--seed", 1).stdout in first  # the default
    other = {run(*bootstrap, "--seed", 9, "--threads", threads).stdout for threads in (1, 2)}
    assert len(other) == 1 and other != first


# ---- folds and the published protocol


@pytest.fixture(scope="module", params=[False, True], ids=["single", "multi"])
def folded(request, tmp_path_factory):
    """A ranked case, its folds (unequal, with gaps in their numbers), and the fold file."""
    generator = np.random.default_rng(7)
    case = random_case(generator, dag=True, inner=True, multi=request.param, ranked=True, samples=203,
                       graph=random_graph(generator, 25, dag=True))
    folds = generator.choice([0, 2, 5, 6], 203, p=[0.4, 0.3, 0.2, 0.1])
    folder = tmp_path_factory.mktemp("folds")
    (folder / "folds.csv").write_text("".join(f"{fold}\n" for fold in folds))
    return case, folds, folder


@pytest.mark.parametrize("average", ["micro", "samples", "macro"])
def test_folds_are_evaluated_apart_and_averaged(folded, tmp_path, average):
    case, folds, folder = folded
    found = run_json(*case.write(folder), "--fold-file", folder / "folds.csv", "--average", average)
    parts = [run_json(*case.write(tmp_path, np.flatnonzero(folds == fold)), "--average", average) for fold in (0, 2, 5, 6)]
    assert found["samples"] == sum(part["samples"] for part in parts) == 203
    for name in MEASURES:
        values = [part[name] for part in parts]
        close(found[name], statistics.fmean(values), name)
        close(found[f"{name}_deviation"], statistics.stdev(values), name)


def test_one_fold_has_no_deviation(folded):
    case, _, folder = folded
    (folder / "one.csv").write_text("7\n" * 203)
    found = run_json(*case.write(folder), "--fold-file", folder / "one.csv")
    expected = run_json(*case.write(folder))
    for name in MEASURES:
        close(found[name], expected[name], name)
        assert found[f"{name}_deviation"] is None


def test_the_published_protocol(folded):
    case, _, folder = folded
    folds = ["--fold-file", folder / "folds.csv"]
    found = run_json(*case.write(folder), *folds, "--protocol", "published")
    expected = run_json(*case.write(folder), *folds, "--average", "samples", "--count-root")
    for name in MEASURES:
        if name != "tie_normalized":
            close([found[name], found[f"{name}_deviation"]], [expected[name], expected[f"{name}_deviation"]], name)
    tie = run_json(*case.write(folder))["tie"]
    close(found["tie_normalized"], tie / 4)
    assert found["tie_normalized_deviation"] is None
    whole = run_json(*case.write(folder), "--protocol", "published")
    close(whole["tie_normalized"], tie)


def test_intervals_are_drawn_within_folds(folded):
    case, _, folder = folded
    found = run_json(*case.write(folder), "--fold-file", folder / "folds.csv", "--bootstrap", "--resamples", 200)
    for name in MEASURES:
        assert found[f"{name}_low"] <= found[name] <= found[f"{name}_high"], name


# ---- bad input


@pytest.fixture
def files(tmp_path):
    (tmp_path / "data.csv").write_text("sample,x,label\ns1,1,a/b\ns2,2,a/c\ns3,3,d\n")
    (tmp_path / "good.csv").write_text("sample,rank,label,score\ns1,1,a/b,1\ns2,1,a/c,1\ns3,1,d,1\n")
    (tmp_path / "clusters.csv").write_text("sample,cluster\ns1,x\ns2,x\ns3,y\n")
    return tmp_path


HEADER = "sample,rank,label,score\n"
BAD = {
    "unknown sample": (HEADER + "s1,1,a/b,1\ns9,1,a/c,1\ns3,1,d,1\n", ("3", "sample 's9' is not in the data")),
    "unknown label": (HEADER + "s1,1,a/b,1\ns2,1,a/z,1\ns3,1,d,1\n", ("3", "label 'a/z' is not in the taxonomy")),
    "missing sample": (HEADER + "s1,1,a/b,1\ns3,1,d,1\n", ("3", "the file ends without a prediction of sample 's2'")),
    "rank twice": (HEADER + "s1,1,a/b,1\ns1,1,d,1\ns2,1,a/c,1\ns3,1,d,1\n", ("3", "sample 's1' has rank 1 in line 2 already")),
    "label twice": (HEADER + "s1,1,d,1\ns1,2,d,1\ns2,1,a/c,1\ns3,1,d,1\n", ("3", "sample 's1' has label 'd' in line 2")),
    "rank 0": (HEADER + "s1,0,a/b,1\ns2,1,a/c,1\ns3,1,d,1\n", ("2", "'0' is not a rank")),
    "no score": (HEADER + "s1,1,a/b,nan\ns2,1,a/c,1\ns3,1,d,1\n", ("2", "score 'nan' is not finite")),
    "a rising score": (HEADER + "s1,1,a/b,1\ns1,2,d,2\ns2,1,a/c,1\ns3,1,d,1\n", ("3", "sample 's1': score 2 at rank 2 is above")),
    "empty": ("", ("1", "empty file")),
    "header only": (HEADER, ("1", "a header and no rows")),
    "no label column": ("sample,rank\ns1,1\n", ("1", "no column is named 'label'")),
    "too few fields": (HEADER + "s1,1,a/b\n", ("2", "3 columns; expected 4")),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_predictions(files, case):
    text, expected = BAD[case]
    path = files / "predictions.csv"
    path.write_text(text)
    line = error_line("evaluate", "--predictions", path, files / "data.csv")
    where, message = re.fullmatch(re.escape(str(path)) + r"(?::(\d+))?(?::\d+)?: (.*)", line).groups()
    assert (where, message.startswith(expected[1])) == (expected[0], True), line


def test_wrong_usage(files):
    data, good, clusters = files / "data.csv", files / "good.csv", files / "clusters.csv"
    assert "expected either --predictions FILE or --clusters FILE" in error_line("evaluate", data)
    assert "expected either" in error_line("evaluate", data, "--predictions", good, "--clusters", clusters)
    base = ["evaluate", "--predictions", good, data]
    assert "--top-k: '0'" in error_line(*base, "--top-k", 0)
    assert "--confidence-level: '2'" in error_line(*base, "--confidence-level", 2)
    assert "--resamples: '1'" in error_line(*base, "--resamples", 1)
    assert "--confusions: '-1'" in error_line(*base, "--confusions", -1)
    assert "--threshold: 'nan'" in error_line(*base, "--threshold", "nan")
    assert "expected one of micro, samples, macro" in error_line(*base, "--average", "much")
    assert "expected one of standard, published" in error_line(*base, "--protocol", "much")
    assert "expected one of auto, top-1, top-k" in error_line(*base, "--label-set", "much")
    assert "no such file" in error_line("evaluate", "--predictions", files / "none.csv", data)
    assert "no such file" in error_line("evaluate", "--predictions", good, files / "none.csv")
    error_line("evaluate", "--predictions", good)


FOLDS = {
    "too few": ("0\n1\n", ": folds for 2 samples; expected 3"),
    "none": ("", ": folds for 0 samples; expected 3"),
    "too many": ("0\n1\n0\n1\n", ":4: more folds than samples; expected 3 lines"),
    "a word": ("0\none\n1\n", ":2: 'one' is no fold"),
    "negative": ("0\n-1\n1\n", ":2: '-1' is no fold"),
    "an empty line": ("0\n\n1\n", ":2: '' is no fold"),
    "a fraction": ("0\n1.5\n1\n", ":2: '1.5' is no fold"),
}


@pytest.mark.parametrize("case", FOLDS)
def test_bad_folds(files, case):
    text, expected = FOLDS[case]
    path = files / "folds.csv"
    path.write_text(text)
    line = error_line("evaluate", "--predictions", files / "good.csv", files / "data.csv", "--fold-file", path)
    assert line.removeprefix(str(path)).startswith(expected), line


def test_a_fold_without_labels(files):
    (files / "data.csv").write_text("sample,x,label\ns1,1,a/b\ns2,2,a/c\ns3,3,\n")
    (files / "good.csv").write_text(HEADER + "s1,1,a/b,1\ns2,1,a/c,1\ns3,1,a,1\n")
    (files / "folds.csv").write_text("0\n0\n1\n")
    line = error_line("evaluate", "--predictions", files / "good.csv", files / "data.csv", "--fold-file", files / "folds.csv",
                      "--quiet")
    assert "fold 1 has no labelled sample" in line


def test_clusters_need_one_label_each(files):
    (files / "data.csv").write_text("sample,x,label\ns1,1,a;b\ns2,2,a\ns3,3,b\n")
    line = error_line("evaluate", "--clusters", files / "clusters.csv", files / "data.csv")
    assert "sample s1 has 2 labels; expected one label per sample" in line


# ---- real data


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no data sets in {DATA}: set CLADE_DATA")
@pytest.mark.parametrize("path", ["DD/DDTest.mat", "cellcycle_GO/cellcycle_GO.test.arff", "Enron/Enron_corr_test.arff"])
def test_the_true_labels_of_real_data_are_perfect(tmp_path, path):
    if not (DATA / path).exists():
        pytest.skip(f"no {path} in {DATA}")
    text = run("convert", DATA / path, "-o", "/dev/stdout", "--to", "csv", "--missing", "keep", "--quiet").stdout
    rows = list(csv.reader(io.StringIO(text)))
    with open(tmp_path / "predictions.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sample", "rank", "label"])
        for sample, row in enumerate(rows[1:]):
            writer.writerows([sample, rank, label] for rank, label in enumerate(row[-1].split(";"), 1))
    found = run_json("evaluate", "--predictions", tmp_path / "predictions.csv", DATA / path, "--breakdown")
    assert found["samples"] == len(rows) - 1
    for name, value in PERFECT.items():
        close(found[name], value, name)
    assert all(level["right"] == level["samples"] for level in found["levels"])
    assert found["most_frequent_confusions"] == []


# ---- the pages


def test_the_examples_of_the_page_are_what_the_tool_gives(tmp_path):
    assert run_page("docs/evaluate.md", tmp_path) == 7


def test_the_examples_of_the_front_page_are_what_the_tool_gives(tmp_path):
    assert run_page("README.md", tmp_path) == 2
    assert (tmp_path / "ranks.svg").exists()


def fraction(cell):
    return float(Fraction(cell.split(":")[0]))


def test_the_worked_example_of_the_measures(tmp_path):
    assert run_page("docs/methods/measures.md", tmp_path) == 2
    page = (SOURCE / "docs" / "methods" / "measures.md").read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| `")]
    by_sample = {row[0].strip("`"): [fraction(cell) for cell in row[1:]] for row in rows if len(row) == 6}
    assert sorted(by_sample) == sorted(set(MEASURES) - set(RANKING))
    arguments = ["--taxonomy", tmp_path / "tree.csv", "--predictions"]
    data, predictions = ((tmp_path / name).read_text().splitlines() for name in ("data.csv", "single.csv"))
    for column, part in enumerate([[1], [2], [3], [4], [1, 2, 3, 4]]):
        for name, lines in (("part.csv", data), ("part_predictions.csv", predictions)):
            (tmp_path / name).write_text("\n".join([lines[0], *(lines[k] for k in part)]) + "\n")
        found = run_json("evaluate", tmp_path / "part.csv", *arguments, tmp_path / "part_predictions.csv")
        for name, values in by_sample.items():
            close(found[name], values[column], name)
    averages = {row[0].strip("`"): [fraction(cell) for cell in row[1:]] for row in rows if len(row) == 4 and "/" in row[1]}
    assert sorted(averages) == ["macro", "micro", "samples"]
    for average, values in averages.items():
        found = run_json("evaluate", tmp_path / "data.csv", *arguments, tmp_path / "single.csv", "--average", average)
        close([found[f"hierarchical_{name}"] for name in ("precision", "recall", "f1")], values, average)


def test_every_measure_has_its_place_on_the_page():
    page = (SOURCE / "docs" / "methods" / "measures.md").read_text()
    assert [name for name in MEASURES if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    "options, problem",
    [
        (["--top-k", "3"], "--top-k has no effect"),
        (["--threshold", "0.5"], "--threshold has no effect"),
        (["--protocol", "published", "--average", "macro"], "--protocol published averages over samples"),
    ],
)
def test_options_without_effect_are_refused(tmp_path, options, problem):
    assert problem in error_line("evaluate", "--predictions", tmp_path / "p.csv", tmp_path / "d.csv", *options)


def test_options_that_do_not_concern_clusters_are_refused(tmp_path):
    for option in (["--bootstrap"], ["--breakdown"], ["--fold-file", "folds.csv"]):
        assert "do not concern --clusters" in error_line("evaluate", "--clusters", "c.csv", "d.csv", *option)
