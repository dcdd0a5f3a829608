"""clade report: weights, groups, pixels, rankings, pairs and dendrograms of the page, against clade explain and counts by hand."""

import base64
import json
from collections import Counter

import numpy as np
import pytest
from clade_tool import error_line, run, run_json
from hierarchy_cases import DEEP, Problem, predictions
from html_page import check_page, close

FEATURES = 12


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model of 12 features with its test data, and the weight of every feature for every node by clade explain."""
    folder = tmp_path_factory.mktemp("weights")
    problem = Problem(21, DEEP, 300, FEATURES)
    run("train", *problem.part(range(200)).write(folder), "--classifier", "top-down-logistic", "-o", folder / "m.clade", "--quiet")
    data = problem.part(range(200, 300)).write(folder)
    weights = {}
    for name in problem.parents:
        if problem.parents[name]:
            decision = run_json("explain", folder / "m.clade", "--class", name, "--top", FEATURES)["decisions"][0]
            weights[name] = np.zeros(FEATURES)
            for one in [*decision["for"], *decision["against"]]:
                weights[name][int(one["feature"].removeprefix("x"))] = one["weight"]
    return folder, problem, data, weights


def report(trained, tmp_path, *more):
    folder, _, data, _ = trained
    run("report", folder / "m.clade", "--data", *data, "-o", tmp_path / "page.html", "--quiet", *more)
    return check_page(tmp_path / "page.html")


def children(problem):
    return {name: [c for c, parents in problem.parents.items() if name in parents] for name in problem.parents}


def unpacked(data, node):
    largest, packed = data["weights"]["nodes"][str(node)]
    return np.frombuffer(base64.b64decode(packed), dtype="<i2") * largest / 32767


def test_all_weights_are_those_of_explain(trained, tmp_path):
    data = report(trained, tmp_path).data
    weights = trained[3]
    assert data["weights"]["features"] == FEATURES and data["weights"]["kind"] == "weight"
    assert data["feature_names"] == [f"x{f}" for f in range(FEATURES)]
    for node, name in enumerate(data["names"]):
        if name in weights:
            assert unpacked(data, node) == pytest.approx(weights[name], abs=4e-5 * np.abs(weights[name]).max())
        else:
            assert str(node) not in data["weights"]["nodes"]


def test_strongest_features_of_a_decision(trained, tmp_path):
    data = report(trained, tmp_path).data
    weights = trained[3]
    below = children(trained[1])
    for node, name in enumerate(data["names"]):
        flat = data["strongest"][node]
        found = {data["words"][w]: v for w, v in zip(flat[::2], flat[1::2])}
        told = [weights[c] for c in below[name] if c in weights]
        expected = np.sqrt(np.sum(np.square(told), axis=0)) if told else np.zeros(FEATURES)
        assert found == {f"x{f}": pytest.approx(expected[f], rel=1e-3) for f in range(FEATURES) if expected[f] > 0}
        assert flat[1::2] == sorted(flat[1::2], reverse=True)


def test_groups_share_the_weights(trained, tmp_path):
    groups = {"first": [0, 1, 2], "second": [3, 4, 5, 6, 7], "third": [9]}
    (tmp_path / "groups.json").write_text(json.dumps({"name": "all", "children": [
        {"name": name, "features": [f"x{f}" for f in features]} for name, features in groups.items()]}))
    data = report(trained, tmp_path, "--feature-tree", tmp_path / "groups.json").data
    groups["(no group)"] = [8, 10, 11]
    assert data["groups"]["names"] == list(groups)
    assert data["groups"]["features"] == [len(features) for features in groups.values()]
    for node, name in enumerate(data["names"]):
        if name in trained[3]:
            sizes = np.abs(trained[3][name])
            shares = [round(1000 * sizes[features].sum() / sizes.sum()) for features in groups.values()]
            assert data["groups"]["nodes"][str(node)] == [pytest.approx(share, abs=1) for share in shares]


def test_deep_feature_trees_are_cut_where_groups_are_few(trained, tmp_path):
    pairs = [{"name": f"pair {k}", "children": [{"name": f"x{f} alone", "features": [f"x{f}"]} for f in (2 * k, 2 * k + 1)]}
             for k in range(6)]
    (tmp_path / "tree.json").write_text(json.dumps({"name": "all", "children": pairs}))
    data = report(trained, tmp_path, "--feature-tree", tmp_path / "tree.json").data
    assert data["groups"]["names"] == [f"x{f} alone" for f in range(FEATURES)]  # at most 16


@pytest.mark.parametrize("how", ["options", "feature tree"])
def test_pixels_and_mean_images(trained, tmp_path, how):
    folder, problem, arguments, _ = trained
    if how == "options":
        more = ["--height", 3, "--pixels", "rows"]
    else:
        run("feature-tree", *arguments, "--method", "spatial", "--height", 3, "--width", 4, "--pixels", "rows",
            "-o", tmp_path / "tree.json", "--quiet")
        more = ["--feature-tree", tmp_path / "tree.json"]
    data = report(trained, tmp_path, *more).data
    assert data["image"] == {"height": 3, "width": 4, "by_rows": True}
    test = problem.part(range(200, 300))
    means = {name: test.x[[name in test.above(labels[0]) for labels in test.labels]].mean(axis=0) for name in data["names"]
             if any(name in test.above(labels[0]) for labels in test.labels)}
    low, high = min(m.min() for m in means.values()), max(m.max() for m in means.values())
    assert (data["means"]["low"], data["means"]["high"]) == (pytest.approx(low, rel=1e-3), pytest.approx(high, rel=1e-3))
    assert {data["names"][int(node)] for node in data["means"]["nodes"]} == set(means)
    for node, packed in data["means"]["nodes"].items():
        found = low + (high - low) * np.frombuffer(base64.b64decode(packed), dtype=np.uint8) / 255
        assert found == pytest.approx(means[data["names"][int(node)]], abs=(high - low) / 400)


def test_differences_where_a_model_has_no_weights(tmp_path):
    problem = Problem(22, DEEP, 200, 5)
    arguments = problem.write(tmp_path)
    run("train", *arguments, "--classifier", "kernel-ridge", "-o", tmp_path / "m.clade", "--quiet")
    run("report", tmp_path / "m.clade", "--data", *arguments, "-o", tmp_path / "page.html", "--quiet")
    data = check_page(tmp_path / "page.html").data
    assert data["weights"]["kind"] == "difference"
    for node in map(int, data["weights"]["nodes"]):
        marks = {data["words"][w]: v for w, v in zip(data["marks"][node][::2], data["marks"][node][1::2])}
        assert unpacked(data, node) == pytest.approx([marks.get(f"x{f}", 0) for f in range(5)], rel=2e-3, abs=1e-3)


def test_a_ranking_is_shown_as_it_is(trained, tmp_path):
    folder, problem, arguments, _ = trained
    run("select", *arguments, "--method", "lccshfs", "--output-common", "--top", 5, "-o", tmp_path / "ranking.json", "--quiet")
    ranking = {node["node"]: node for node in json.loads((tmp_path / "ranking.json").read_text())["nodes"]}
    data = report(trained, tmp_path, "--ranking", tmp_path / "ranking.json").data
    assert data["selection"] == "lccshfs"
    for node, name in enumerate(data["names"]):
        flat = data["strongest"][node]
        expected = ranking.get(name, {"ranking": [], "weight": []})
        assert [data["words"][w] for w in flat[::2]] == [f"x{f}" for f in expected["ranking"]]
        assert flat[1::2] == [pytest.approx(w, rel=1e-3) for w in expected["weight"]]
        assert data["common"][node] == [f"x{f}" for f in expected.get("common", [])]
    assert any(data["common"])


def test_a_ranking_belongs_to_the_hierarchy_of_the_model(trained, tmp_path):
    folder, _, (table, *rest), _ = trained
    run("select", table, *rest, "--method", "hier-fisher", "--top", 5, "-o", tmp_path / "ranking.json", "--quiet")
    selected = [folder / "m.clade", "--data", table, "--ranking", tmp_path / "ranking.json", "--quiet"]
    run("report", *selected, "-o", tmp_path / "own.html")  # by the labels of the data alone there is no hierarchy
    run("report", *selected, *rest, "-o", tmp_path / "given.html")
    assert check_page(tmp_path / "own.html").data["strongest"] == check_page(tmp_path / "given.html").data["strongest"]


def test_pairs_are_counted_by_hand(trained, tmp_path):
    folder, problem, arguments, _ = trained
    data = report(trained, tmp_path).data
    run("predict", folder / "m.clade", *arguments, "-o", tmp_path / "p.csv", "--quiet")
    found = predictions(tmp_path / "p.csv")
    truth = [labels[0] for labels in problem.part(range(200, 300)).labels]
    counts = Counter((t, found[f"s{k}"][0][0]) for k, t in enumerate(truth))
    pairs = list(zip(*[iter(data["pairs"])] * 4))
    assert {(data["names"][t], data["names"][p]): n for t, p, n, _ in pairs} == counts
    for t, p, _, distance in pairs:
        assert distance == len(problem.above(data["names"][t]) ^ problem.above(data["names"][p]))


def test_early_stopping_and_curves_have_figures(trained, tmp_path):
    figures = report(trained, tmp_path).figures
    assert {"early-stopping", "early-stopping-coverage", "precision-recall", "reliability"} <= set(figures)


def test_the_dendrogram_of_a_learned_taxonomy(tmp_path):
    problem = Problem(23, DEEP, 200, 5)
    arguments = problem.write(tmp_path)
    run("learn-taxonomy", *arguments, "-o", tmp_path / "learned.csv", "--dendrogram", tmp_path / "d.json", "--quiet")
    learned = [arguments[0], "--taxonomy", tmp_path / "learned.csv"]
    run("train", *learned, "--classifier", "top-down-logistic", "-o", tmp_path / "m.clade", "--quiet")
    run("report", tmp_path / "m.clade", "--data", *learned, "--dendrogram", tmp_path / "d.json", "-o", tmp_path / "page.html", "--quiet")
    page = check_page(tmp_path / "page.html")
    merges = json.loads((tmp_path / "d.json").read_text())["merges"]
    assert "dendrogram" in page.figures
    assert [row["distance"] for row in page.rows("dendrogram")] == [close(merge["distance"]) for merge in merges]
    assert [row["classes"] for row in page.rows("dendrogram")] == [merge["size"] for merge in merges]


def test_files_that_do_not_fit_are_refused(trained, tmp_path):
    folder, _, data, _ = trained
    common = ["report", folder / "m.clade", "--data", *data, "-o", tmp_path / "x.html", "--quiet"]
    assert "12 features are no image of 5 x 2 pixels" in error_line(*common, "--height", 5)
    (tmp_path / "other.json").write_text('{"classes": [{"name": "zebra"}], "merges": []}')
    assert "no class 'zebra' in the hierarchy of the model" in error_line(*common, "--dendrogram", tmp_path / "other.json")
    for text in ['{"classes": [{"name": "n5"}, {"name": "n6"}], "merges": []}', '{"classes": [], "merges": []}', "[]", "{", '{"merges": 1}',
                 '{"classes": [{"name": "n5"}, {"name": "n6"}], "merges": [{"parts": [0, 2], "distance": 1}]}',
                 '{"classes": [{"name": "n5"}, {"name": "n6"}], "merges": [{"parts": [0, 0], "distance": 1}]}',
                 '{"classes": [{"name": "n5"}, {"name": "n6"}], "merges": [{"parts": [0, 1], "distance": -1}]}',
                 '{"classes": [{"name": "n5"}, {"name": "n5"}], "merges": [{"parts": [0, 1], "distance": 1}]}']:
        (tmp_path / "bad.json").write_text(text)
        assert "bad.json" in error_line(*common, "--dendrogram", tmp_path / "bad.json")
        assert "bad.json" in error_line(*common, "--ranking", tmp_path / "bad.json")
    assert not (tmp_path / "x.html").exists()


def test_everything_at_once_fits_in_three_megabytes(tmp_path):
    """Pixels, groups, and weights of a thousand nodes."""
    rng = np.random.default_rng(5)
    names = [f"group {k % 40}/class {k} {'long ' * 10}" for k in range(1000)]
    with (tmp_path / "d.csv").open("w") as file:
        file.write(",".join([*(f"p{f}" for f in range(400)), "label"]) + "\n")
        for name in names * 2:
            file.write(",".join([*(f"{v:.3f}" for v in rng.normal(size=400)), name]) + "\n")
    data = [tmp_path / "d.csv", "--label-paths", "yes"]
    run("feature-tree", *data, "--method", "spatial", "-o", tmp_path / "f.json", "--quiet")
    run("train", *data, "--classifier", "top-down-svm", "-o", tmp_path / "m.clade", "--quiet")
    run("report", tmp_path / "m.clade", "--data", *data, "--feature-tree", tmp_path / "f.json", "-o", tmp_path / "page.html", "--quiet",
        "--top", 100)
    page = check_page(tmp_path / "page.html")
    assert len(page.data["names"]) == 1041 and page.data["image"] == {"height": 20, "width": 20, "by_rows": False}
    assert len(page.data["weights"]["nodes"]) > 100 and len(page.data["groups"]["nodes"]) == 1040
