"""clade evaluate: every measure and the breakdown against scikit-learn, scipy or the definition."""

import itertools
import math
import random
import statistics

import numpy as np
import pytest
from clade_tool import FULL, run_json
from evaluation_cases import FIRST, JUDGED, RANKING, Case, Graph, close, random_case, random_graph
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

# ---- by definition


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
            max((graph.loss(y, n) for y, n in misordered), default=0),
            sum(len(graph.above[y] ^ graph.above[n]) for y, n in misordered),
            max(sum(s >= score[y] for s in score.values()) for y in truth))


def decision_accuracy(case, sets):
    """At inner nodes that are truly and by prediction reached: are the children those of the truth?"""
    decisions = []
    for truth, labels in zip(case.truth, sets, strict=True):
        above, below = case.graph.expand(truth), case.graph.expand(labels)
        for node in above & below:
            children = {n for n, parents in case.graph.parents.items() if node in parents}
            if children:
                decisions.append(children & above == children & below)
    return statistics.fmean(decisions) if decisions else 1


def by_definition(case, sets, order, ranked, missed=1, extra=1):
    """The values per sample of all measures that are means over samples."""
    graph = case.graph
    classes = set(graph.leaves).union(*case.truth, *({label for label, _ in scored} for scored in case.lists))
    computed = ("accuracy", "decision_accuracy", *RANKING)
    rows = {name: [] for name in JUDGED if not name.startswith("hierarchical_") and name not in computed}
    depths = {"1": 1, "3": 3, "5": 5, "k": 10}
    shortest = min(map(len, case.lists)) if max(map(len, case.lists)) > 1 else 0
    depths = {name: k for name, k in depths.items() if k <= shortest}
    rows.update({f"{measure}_at_{name}": [] for measure in ("precision", "recall") for name in depths})
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
        rows["weighted_loss"].append(missed * len(above - below) + extra * len(below - above))
        for name, k in depths.items():
            hits = sum(label in truth for label, _ in scored[:k])
            rows[f"precision_at_{name}"].append(hits / k)
            rows[f"recall_at_{name}"].append(hits / len(truth))
        if ranked:
            for name, value in zip(RANKING, rankings_by_definition(graph, truth, scored, classes)):
                rows[name].append(value)
    return rows


def indicators(graph, sets, nodes):
    return np.array([[node in expanded for node in nodes] for expanded in map(graph.expand, sets)], dtype=int)


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


CASES = list(itertools.product((False, True), (False, True), (False, True), (False, True), range(16 if FULL else 6)))


@pytest.mark.parametrize("dag, inner, multi, ranked, seed", CASES)
def test_every_measure_and_the_breakdown(tmp_path, dag, inner, multi, ranked, seed):
    generator = np.random.default_rng([seed, dag, inner, multi, ranked])
    case = random_case(generator, dag, inner, multi, ranked, ties=seed % 4 == 3, samples=30)
    rule = LABEL_SETS[seed % 5] if multi else LABEL_SETS[(1, 4)[seed % 2]]
    average = ("micro", "macro", "samples")[seed % 3]
    root = ["--count-root"] if seed % 4 == 1 else []
    found = run_json(*case.write(tmp_path), *rule, "--average", average, *root, "--breakdown", "--confusions", 1000,
                     "--loss-missed", 0.5, "--loss-extra", 3)
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
    rows = by_definition(case, sets, node_order(found), listed, missed=0.5, extra=3)
    for name, values in rows.items():
        if len(values) == len(sets):  # F_LCA is not tried with more than ten connectors
            close(found[name], statistics.fmean(values), name)
    close(found["decision_accuracy"], decision_accuracy(case, sets))
    assert {name for name in FIRST if found[name] is not None} == set(FIRST) & set(rows)
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


def test_pairs_of_labels_bound_the_loss_of_sets(tmp_path):
    """Proposition 1 of the thesis: where neither set holds the other, |anc(Y) - anc(Z)| + |anc(Z) - anc(Y)| is at most the sum of
    the same over the pairs of their differences. In trees and DAGs."""
    draw = random.Random(5)
    tried = 0
    while tried < 15:
        nodes = [f"n{k}" for k in range(12)]
        parents = {node: draw.sample(nodes[:k], min(k, draw.choice([1, 1, 2]))) for k, node in enumerate(nodes) if k > 0}
        leaves = [node for node in nodes if all(node not in above for above in parents.values())]
        if len(leaves) < 5:
            continue
        true, predicted = (set(draw.sample(leaves, draw.randint(1, 3))) for _ in range(2))
        if true <= predicted or predicted <= true:
            continue
        tried += 1
        (tmp_path / "tree.csv").write_text("child,parent\n" + "".join(f"{c},{p}\n" for c, above in parents.items() for p in above))

        def loss(pairs):
            (tmp_path / "data.csv").write_text("f,label\n" + "".join(f"1,{';'.join(sorted(y))}\n" for y, _ in pairs))
            (tmp_path / "p.csv").write_text("sample,rank,label,score\n" + "".join(
                f"{k},{rank + 1},{label},1\n" for k, (_, z) in enumerate(pairs) for rank, label in enumerate(sorted(z))))
            return len(pairs) * run_json("evaluate", "--predictions", tmp_path / "p.csv", tmp_path / "data.csv", "--taxonomy",
                                         tmp_path / "tree.csv", "--label-set", "all")["symmetric_loss"]

        of_sets = loss([(true, predicted)])
        of_pairs = loss([({y}, {z}) for y in true - predicted for z in predicted - true])
        assert 0 < of_sets <= of_pairs + 1e-9, (parents, true, predicted)
