"""clade diagnose: cosines, correlations and errors by brute force; planted trees with a class in the wrong place; odd data."""

import json

import numpy as np
import pytest
from clade_tool import DATA, FULL, error_line, run, run_json
from hierarchy_cases import DAG, DEEP, Problem
from scipy import stats

QUICK = ["--draws", 0, "--nodes", 0, "--edits", 0, "--folds", 2]


def planted(folder, seed, per_class=150, moved=None, groups=4, size=4):
    """Normal classes around normal groups; `moved` is a class and the group where the tree has it."""
    generator = np.random.default_rng(seed)
    names = [f"{'abcdef'[g]}{k}" for g in range(groups) for k in range(size)]
    centre = np.repeat(1.9 * generator.normal(size=(groups, 10)), size, axis=0) + 0.7 * generator.normal(size=(groups * size, 10))
    x = np.repeat(centre, per_class, axis=0) + generator.normal(size=(len(names) * per_class, 10))
    labels = np.repeat(names, per_class)
    write_table(folder, x, labels)
    parents = {name: name[0].upper() for name in names} | {group: "root" for group in "ABCDEF"[:groups]}
    if moved:
        parents[moved[0]] = moved[1]
    return [folder / "data.csv", "--taxonomy", write_tree(folder, parents)]


def write_table(folder, x, labels):
    rows = [",".join([*(repr(float(v)) for v in row), label]) for row, label in zip(x, labels)]
    (folder / "data.csv").write_text("\n".join([",".join([*(f"x{j}" for j in range(x.shape[1])), "label"]), *rows]) + "\n")


def write_tree(folder, parents):
    (folder / "tree.csv").write_text("child,parent\n" + "".join(f"{c},{p}\n" for c, p in parents.items()))
    return folder / "tree.csv"


def parents_in(path):
    return dict(line.split(",") for line in path.read_text().splitlines()[1:] if "," in line)


# ---- near classes and alike classes


def above(node, parents):
    """All nodes on the way up, with their distances; shortest first where there are several ways."""
    found, front = {node: 0}, [node]
    while front:
        node = front.pop(0)
        for parent in parents.get(node, []):
            if parent not in found:
                found[parent] = found[node] + 1
                front.append(parent)
    return found


def graph_distance(a, b, neighbours):
    found, front = {a: 0}, [a]
    while b not in found:
        node = front.pop(0)
        for other in neighbours[node]:
            if other not in found:
                found[other] = found[node] + 1
                front.append(other)
    return found[b]


@pytest.mark.parametrize("shape", [DEEP, DAG], ids=["tree", "dag"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("several", [False, True])
def test_cosines_by_distance_and_their_correlation(tmp_path, shape, sparse, several):
    problem = Problem(11, shape, 120, 6, multi=several, inner=True, density=0.5 if sparse else 1)
    shown = run_json("diagnose", *problem.write(tmp_path, sparse), *QUICK, "--permutations", 1999)["centroids"]
    names = sorted({label for of in problem.labels for label in of})
    means = np.array([problem.x[[name in of for of in problem.labels]].mean(axis=0) for name in names])
    if not sparse:
        means -= means.mean(axis=0)
    length = np.linalg.norm(means, axis=1)
    cosine = means @ means.T / np.outer(length, length)
    neighbours = {n: set(problem.parents[n]) | {c for c in problem.names if n in problem.parents[c]} for n in problem.names}
    distance = np.array([[graph_distance(a, b, neighbours) for b in names] for a in names])
    pairs = np.triu_indices(len(names), 1)
    assert shown["classes"] == len(names) and shown["centred"] == (not sparse)
    table = {row["distance"]: (row["pairs"], row["cosine"]) for row in shown["by_distance"]}
    assert set(table) == set(distance[pairs])
    for d, (count, mean) in table.items():
        assert count == (distance[pairs] == d).sum() and mean == pytest.approx(cosine[pairs][distance[pairs] == d].mean(), abs=1e-9)
    expected = stats.spearmanr(distance[pairs], cosine[pairs])[0]
    assert shown["correlation"] == pytest.approx(expected, abs=1e-9)
    # Classes permuted here, too: the same p but for chance.
    generator = np.random.default_rng(5)
    smaller = 0
    places = np.empty_like(distance, dtype=float)  # ranks are those of the same distances in every permutation
    places[pairs] = places.T[pairs] = stats.rankdata(distance[pairs])
    cosine_ranks = stats.rankdata(cosine[pairs])
    for _ in range(2000):
        order = generator.permutation(len(names))
        smaller += np.corrcoef(places[np.ix_(order, order)][pairs], cosine_ranks)[0, 1] <= expected + 1e-12
    p = (smaller + 1) / 2001
    assert abs(shown["p"] - p) <= 4 * np.sqrt(2 * max(p, 0.002) * (1 - p) / 2000)


def test_nothing_to_compare_without_hierarchy(tmp_path):
    x = np.random.default_rng(1).normal(size=(60, 3))
    write_table(tmp_path, x, [f"c{k % 4}" for k in range(60)])
    shown = run_json("diagnose", tmp_path / "data.csv", *QUICK)
    assert shown["centroids"]["correlation"] is None and shown["random"] is None
    assert [row["distance"] for row in shown["centroids"]["by_distance"]] == [2]
    assert [h["hierarchy"] for h in shown["hierarchies"]] == ["given", "agglomerative", "kmeans", "wordnet"]
    assert shown["left_out"] == ["random hierarchies: the data has no hierarchy to draw others like"]
    assert shown["edits"] == []


# ---- gains


def check_gain(gain):
    """Error and p follow from the counts."""
    n, a, b = gain["samples"], gain["only_new"], gain["only_old"]
    assert gain["accuracy"] == pytest.approx((a - b) / n, abs=1e-12)
    differences = np.array([1] * a + [-1] * b + [0] * (n - a - b))
    assert gain["accuracy_error"] == pytest.approx(differences.std(ddof=1) / np.sqrt(n), abs=1e-12)
    assert gain["p"] == pytest.approx(stats.binomtest(a, a + b).pvalue if a + b else 1, rel=1e-9)


def test_numbers_fit_together(tmp_path):
    data = planted(tmp_path, 1, per_class=40, moved=("a1", "C"))
    shown = run_json("diagnose", *data, "--draws", 4)
    given, flat = shown["hierarchies"][:2]
    for trial in shown["hierarchies"][1:3]:
        check_gain(trial["given_gain"])
        assert trial["given_gain"]["accuracy"] == pytest.approx(given["accuracy"] - trial["accuracy"], abs=1e-12)
        assert trial["given_gain"]["hierarchical_f1"] == pytest.approx(given["hierarchical_f1"] - trial["hierarchical_f1"], abs=1e-12)
    # The same cross-validation as that of clade evaluate: folds are equally large here, so that means agree.
    evaluated = run_json("evaluate", *data, "--classifier", "top-down-svm", "--folds", 5)
    assert evaluated["accuracy"] == pytest.approx(given["accuracy"], abs=1e-12)
    nodes = {node["node"]: node for node in shown["nodes"]}
    assert set(nodes) == {"root", "A", "B", "C", "D"}
    assert nodes["root"]["gain"] == flat["given_gain"] and nodes["root"]["as_group"] is None
    for name, classes in (("A", 3), ("B", 4), ("C", 5), ("D", 4)):
        assert (nodes[name]["classes"], nodes[name]["samples"], nodes[name]["gain"]) == (classes, 40 * classes, None)
        check_gain(nodes[name]["as_group"])
        assert nodes[name]["as_group"]["samples"] == 640
    for edit in shown["edits"]:
        check_gain(edit["gain"])
        assert edit["gain"]["samples"] in (320, 640)
    order = np.argsort([edit["gain"]["p"] for edit in shown["edits"]])
    largest = 0
    for k, at in enumerate(order):
        largest = max(largest, min(1, (len(order) - k) * shown["edits"][at]["gain"]["p"]))
        assert shown["edits"][at]["p"] == pytest.approx(largest, rel=1e-12)
    random = shown["random"]
    assert random["draws"] == 4 and random["p"] == (random["as_good"] + 1) / 5
    assert random["accuracy"] <= random["best_accuracy"]


def test_a_node_is_worth_what_its_removal_costs(tmp_path):
    """Deep trees: the gain below a node is that of an own data set of its samples."""
    generator = np.random.default_rng(3)
    parents = {"root": [], "A": "root", "B": "root"}
    centre, labels = {}, []
    for top in "AB":
        for middle in "12":
            parents[top + middle] = top
            for leaf in "xyz":
                parents[top + middle + leaf] = top + middle
    names = [name for name in parents if len(name) == 3]
    shift = {name: generator.normal(size=8) for name in parents}
    labels = np.repeat(names, 30)
    x = np.array([1.5 * shift[n[0]] + 1.2 * shift[n[:2]] + shift[n] for n in labels]) + generator.normal(size=(len(labels), 8))
    write_table(tmp_path, x, labels)
    tree = write_tree(tmp_path, {c: p for c, p in parents.items() if p})
    shown = run_json("diagnose", tmp_path / "data.csv", "--taxonomy", tree, "--draws", 0, "--edits", 0)
    nodes = {node["node"]: node for node in shown["nodes"]}
    assert set(nodes) == {"root", "A", "B", "A1", "A2", "B1", "B2"}
    for name in ("A", "B"):
        check_gain(nodes[name]["gain"])
        assert nodes[name]["gain"]["samples"] == 180 and nodes[name]["classes"] == 6
        assert nodes[name]["gain"]["accuracy"] == pytest.approx(nodes[name]["accuracy"] - nodes[name]["flat_accuracy"])
    for name in ("A1", "A2", "B1", "B2"):
        assert nodes[name]["gain"] is None and nodes[name]["as_group"]["samples"] == 180
    assert len(run_json("diagnose", tmp_path / "data.csv", "--taxonomy", tree, *QUICK[:2], "--edits", 0, "--nodes", 2)["nodes"]) == 2


# ---- planted trees


def test_a_class_in_the_wrong_place_is_moved_back(tmp_path):
    for seed in range(4 if FULL else 2):
        data = planted(tmp_path, seed, moved=("a1", "C"))
        shown = run_json("diagnose", *data, "--draws", 0, "--nodes", 0, "-o", tmp_path / "better.csv", "--force")
        accepted = [edit for edit in shown["edits"] if edit["accepted"]]
        assert ("move", "a1", "C", "A") in [(e["kind"], e["node"], e["from"], e["to"]) for e in accepted], seed
        assert all(edit["p"] <= 0.05 and edit["gain"]["accuracy"] > 0 for edit in accepted)
        assert parents_in(tmp_path / "better.csv")["a1"] == "A"
        assert shown["edited_gain"]["accuracy"] > 0 and shown["edited_gain"]["samples"] == 2400
        assert shown["centroids"]["correlation"] < 0 and shown["centroids"]["p"] <= 0.01


def test_a_class_whose_siblings_are_all_groups_is_moved_back(tmp_path):
    data = planted(tmp_path, 1, moved=("a1", "upper"))
    write_tree(tmp_path, parents_in(data[-1]) | {"upper": "root", "B": "upper", "C": "upper"})
    edits = run_json("diagnose", *data, "--draws", 0, "--nodes", 0)["edits"]
    assert ("a1", "upper", "A") in [(e["node"], e["from"], e["to"]) for e in edits if e["kind"] == "move" and e["accepted"]]


def test_of_the_true_tree_nothing_is_changed(tmp_path):
    changed = 0
    for seed in range(8):
        data = planted(tmp_path, seed, per_class=60)
        shown = run_json("diagnose", *data, "--draws", 0, "--nodes", 0, "-o", tmp_path / "same.csv", "--force")
        changed += any(edit["accepted"] for edit in shown["edits"])
        if not any(edit["accepted"] for edit in shown["edits"]):
            assert shown["edited_gain"] is None
            assert parents_in(tmp_path / "same.csv") == parents_in(tmp_path / "tree.csv")
    assert changed <= 1


def test_a_group_of_two_goes_when_one_leaves(tmp_path):
    """The last class of a group takes its place: no chain is left."""
    data = planted(tmp_path, 2, groups=3, size=3)
    parents = parents_in(tmp_path / "tree.csv")
    parents.update({"E": "root", "a1": "E", "c1": "E"})
    write_tree(tmp_path, parents)
    shown = run_json("diagnose", *data, "--draws", 0, "--nodes", 0, "-o", tmp_path / "better.csv")
    found = parents_in(tmp_path / "better.csv")
    assert any(edit["accepted"] for edit in shown["edits"])
    counts = {}
    for parent in found.values():
        counts[parent] = counts.get(parent, 0) + 1
    assert all(count > 1 for count in counts.values())
    assert {name for name in found if len(name) == 2} == {f"{g}{k}" for g in "abc" for k in range(3)}


def test_chains_collapse(tmp_path):
    planted(tmp_path, 1, per_class=20, groups=2, size=3)
    parents = {"top": "root", "A": "top", "B": "top", "b": "B", **{f"a{k}": "A" for k in range(3)}, **{f"b{k}": "b" for k in range(3)}}
    tree = write_tree(tmp_path, parents)
    shown = run_json("diagnose", tmp_path / "data.csv", "--taxonomy", tree, *QUICK, "-o", tmp_path / "t.json")
    collapsed = {(e["node"], e["from"]) for e in shown["edits"] if e["kind"] == "collapse"}
    assert collapsed == {("top", "root"), ("B", "top")} and all(e["accepted"] and e["gain"] is None for e in shown["edits"])
    run("convert", tmp_path / "t.json", "-o", tmp_path / "t.csv")
    expected = {"A": "root", "b": "root", **{f"a{k}": "A" for k in range(3)}, **{f"b{k}": "b" for k in range(3)}}
    assert parents_in(tmp_path / "t.csv") == expected
    assert "remove B below top, which divides nothing" in run("diagnose", tmp_path / "data.csv", "--taxonomy", tree, *QUICK).stdout


def test_an_inner_node_that_is_a_label_is_no_chain(tmp_path):
    x = np.random.default_rng(2).normal(size=(90, 3))
    write_table(tmp_path, x, (["A", "a", "b"] * 30))
    tree = write_tree(tmp_path, {"A": "root", "b": "root", "a": "A"})
    assert run_json("diagnose", tmp_path / "data.csv", "--taxonomy", tree, "--draws", 2)["edits"] == []


# ---- siblings and small classes


def test_siblings_from_one_distribution_cannot_be_told_apart(tmp_path):
    planted(tmp_path, 4, per_class=60)
    lines = (tmp_path / "data.csv").read_text().splitlines()
    twins = [k for k, line in enumerate(lines) if line.endswith(",b0")]
    for k in twins[::2]:
        lines[k] = lines[k][: -len("b0")] + "twin"
    few = [k for k, line in enumerate(lines) if line.endswith(",d3")][7:]
    (tmp_path / "data.csv").write_text("\n".join(line for k, line in enumerate(lines) if k not in few) + "\n")
    with (tmp_path / "tree.csv").open("a") as file:
        file.write("twin,B\n")
    shown = run_json("diagnose", tmp_path / "data.csv", "--taxonomy", tmp_path / "tree.csv", "--draws", 0, "--nodes", 0, "--edits", 0)
    pairs = {tuple(sorted(pair["classes"])): pair for pair in shown["alike_siblings"]}
    assert ("b0", "twin") in pairs and len(pairs) <= 2
    pair = pairs["b0", "twin"]
    assert pair["parent"] == "B" and pair["accuracy"] == pytest.approx(1 - pair["mistakes"] / pair["samples"])
    assert 0.2 < pair["accuracy"] < 0.75 and 0.5 <= pair["larger_share"] < 0.8
    assert shown["small_classes"] == [{"class": "d3", "samples": 7}]
    wider = run_json("diagnose", tmp_path / "data.csv", "--taxonomy", tmp_path / "tree.csv", *QUICK, "--fewest", 31)
    assert {"class": "twin", "samples": 30} in wider["small_classes"] and len(wider["small_classes"]) == 3


# ---- other data


@pytest.mark.parametrize("shape", [DEEP, DAG], ids=["tree", "dag"])
@pytest.mark.parametrize("several", [False, True])
def test_what_does_not_hold_is_left_out_with_a_reason(tmp_path, shape, several):
    problem = Problem(6, shape, 150, 5, multi=several, inner=True)
    shown = run_json("diagnose", *problem.write(tmp_path), "--draws", 2, "--folds", 3)
    assert shown["centroids"]["correlation"] is not None and shown["random"]["draws"] == 2
    assert shown["hierarchies"][1]["hierarchy"] == "flat"
    reasons = " | ".join(shown["left_out"])
    if several:
        assert "gain of each node: samples have several labels" in reasons and shown["nodes"] == [] and shown["alike_siblings"] == []
        gain = shown["hierarchies"][1]["given_gain"]
        assert gain["p"] == pytest.approx(2 * stats.norm.sf(abs(gain["hierarchical_f1"]) / gain["hierarchical_f1_error"]), rel=1e-9)
    elif shape is DAG:
        assert "gain of each node: the hierarchy is a DAG" in reasons and "moves and removals: the hierarchy is a DAG" in reasons
    else:
        assert shown["left_out"] == [] and len(shown["nodes"]) >= 3
    assert not any(edit["kind"] != "collapse" for edit in shown["edits"]) or not (several or shape is DAG)


def test_texts(tmp_path):
    run("synth", "--text", "-o", tmp_path / "w.jsonl", "--levels", "3,9", "--documents", 300, "--words", 1000)
    shown = run_json("diagnose", tmp_path / "w.jsonl", "--draws", 1, "--folds", 3)
    assert not shown["centroids"]["centred"] and shown["hierarchies"][0]["accuracy"] > 0.4
    evaluated = run_json("evaluate", tmp_path / "w.jsonl", "--classifier", "top-down-svm", "--folds", 3)
    assert evaluated["accuracy"] == pytest.approx(shown["hierarchies"][0]["accuracy"], abs=0.003)  # folds differ in size by 1


def test_missing_values_are_kept_for_those_who_take_them(tmp_path):
    data = planted(tmp_path, 1, per_class=20, groups=2, size=3)
    lines = data[0].read_text().splitlines()
    lines[5] = "," + lines[5].split(",", 1)[1]
    data[0].write_text("\n".join(lines) + "\n")
    shown = run_json("diagnose", *data, "--missing", "keep", "--classifier", "forest", "--trees", 5, "--draws", 1, "--folds", 2)
    assert shown["centroids"] is None and shown["left_out"][0] == "similarity of classes: some values are missing"
    assert "moves and removals: classes have no centroids" in shown["left_out"] and shown["random"]["draws"] == 1
    assert run_json("diagnose", *data, "--missing", "mean", *QUICK)["centroids"]["correlation"] < 0


def test_samples_without_label_and_another_classifier(tmp_path):
    data = planted(tmp_path, 1, per_class=20, groups=2, size=3)
    with data[0].open("a") as file:
        file.write("\n".join([",".join(["1"] * 10) + ","] * 3) + "\n")
    process = run("diagnose", *data, *QUICK, "--classifier", "top-down-logistic", "--c", 2, "--json")
    assert json.loads(process.stdout)["samples"] == 120
    assert json.loads(process.stdout)["classifier"].startswith("top-down-logistic")
    assert "samples without a label, left out: 3" in process.stderr


def test_threads_change_nothing_and_the_seed_counts(tmp_path):
    data = planted(tmp_path, 5, per_class=20, moved=("a1", "C"))
    results = []
    for arguments in (["--threads", 1], ["--threads", 2], ["--threads", 3], ["--seed", 2]):
        shown = run_json("diagnose", *data, "--draws", 2, *arguments, "-o", tmp_path / "t.csv", "--force")
        shown.pop("seconds")
        results.append((shown, (tmp_path / "t.csv").read_text()))
    assert results[0] == results[1] == results[2]
    assert results[3][0]["hierarchies"] != results[0][0]["hierarchies"]


def test_the_text_names_what_it_found(tmp_path):
    data = planted(tmp_path, 1, moved=("a1", "C"))
    text = run("diagnose", *data, "--draws", 2, "--nodes", 3, "-o", tmp_path / "t.csv").stdout
    for part in ("data.csv: 2400 samples of 16 classes; top-down-svm, 5 folds", "Yes: rank correlation of distance and cosine -0.",
                 "random, mean of 2", "wordnet: WordNet has 0 of the 16", "move a1 from C to A", "proposed", "which is optimistic",
                 "the 3 of 5 inner nodes with the most samples; --nodes allows more", "hierarchy with the proposed edits -> "):
        assert part in text, part


BAD = {
    "no data": (["missing.csv"], "missing.csv"),
    "one class": (["one.csv"], "all 10 labelled samples are of the class 'a'; expected at least two classes with samples"),
    "folds": (["data.csv", "--folds", 1], "--folds: '1'"),
    "draws": (["data.csv", "--draws", -1], "--draws: '-1'"),
    "alpha": (["data.csv", "--alpha", 0], "--alpha"),
    "classifier": (["data.csv", "--classifier", "magic"], "magic"),
    "parameter without classifier": (["data.csv", "--c", 2], "--c is a parameter of classifiers"),
    "force": (["data.csv", "--force"], "--force has no effect"),
    "format": (["data.csv", "-o", "tree.xyz"], "tree.xyz"),
    "itself": (["data.csv", "-o", "data.csv", "--force"], "data.csv"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(tmp_path, case):
    planted(tmp_path, 1, per_class=5)
    (tmp_path / "one.csv").write_text("x,label\n" + "1,a\n" * 10)
    before = sorted(path.name for path in tmp_path.iterdir())
    arguments, expected = BAD[case]
    assert expected in error_line("diagnose", *arguments, cwd=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


# ---- real data and the page


def needs_dd():
    path = DATA / "DD" / "DDTest.mat"
    if not path.exists():
        pytest.skip(f"no DD in {DATA}: set CLADE_DATA to the folder of data sets")
    return path


def test_the_fold_classes_of_dd_fit(tmp_path):
    shown = run_json("diagnose", needs_dd(), "--draws", 2, "--edits", 1, "--nodes", 1, "--folds", 3)
    assert shown["samples"] == 605 and shown["classes"] == 27
    assert shown["centroids"]["correlation"] < -0.4 and shown["centroids"]["p"] == 0.001
    assert shown["hierarchies"][1]["given_gain"]["accuracy"] > 0.03 and shown["hierarchies"][1]["given_gain"]["p"] < 0.01
    assert shown["random"]["as_good"] == 0
    assert not any(edit["accepted"] for edit in shown["edits"])
