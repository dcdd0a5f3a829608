"""Selectors that ask a learner of all nodes which features it uses: forest and kernel-ridge."""

import json

import numpy as np
import pytest
from clade_tool import run, run_json

CLASSES = ["a/a1", "a/a2", "b/b1", "b/b2"]


def write(folder, x, labels, name="data.csv"):
    path = folder / name
    rows = [",".join([*(f"{v:.17g}" for v in row), label]) for row, label in zip(x, labels)]
    path.write_text(",".join([*(f"f{k}" for k in range(x.shape[1])), "label"]) + "\n" + "\n".join(rows) + "\n")
    return path


def rankings(folder, path, method, *options):
    run("select", path, "--method", method, *options, "-o", folder / "r.json", "--force")
    return {node["node"]: node for node in json.loads((folder / "r.json").read_text())["nodes"]}


@pytest.fixture
def nested(tmp_path):
    """f0 tells a from b, f1 the two below a, f2 the two below b, at very different scales; the rest tells nothing."""
    random = np.random.default_rng(1)
    labels = random.choice(CLASSES, 300)
    x = random.normal(size=(300, 8))
    x[:, 0] += 3 * np.char.startswith(labels, "a")
    x[:, 1] += 3 * (labels == "a/a1")
    x[:, 2] += 3 * (labels == "b/b1")
    return x * [1, 1000, 0.001, 1, 1, 1, 1000, 0.001], labels, tmp_path


@pytest.mark.parametrize("method", ["forest", "kernel-ridge"])
def test_every_node_finds_its_feature(nested, method):
    x, labels, folder = nested
    path = write(folder, x, labels)
    found = rankings(folder, path, method)
    firsts = {name: node["ranking"][0] for name, node in found.items()}
    root = next(name for name in found if name not in ("a", "b"))
    assert firsts == {root: 0, "a": 1, "b": 2}
    assert all(min(node["weight"]) >= 0 for node in found.values())


@pytest.mark.parametrize("method", ["forest", "kernel-ridge"])
def test_a_classifier_learns_from_them(nested, method):
    x, labels, folder = nested
    path = write(folder, x, labels)
    measured = run_json("evaluate", path, "--classifier", "top-down-svm", "--select", method, "--top", 1, "--folds", 3)
    assert measured["accuracy"] > 0.75


def test_forest_agrees_with_scikit_learn(tmp_path):
    ensemble = pytest.importorskip("sklearn.ensemble")
    random = np.random.default_rng(2)
    labels = random.choice(["a", "b", "c"], 300)
    x = random.normal(size=(300, 6))
    for k, c in enumerate("abc"):
        x[:, k] += (k + 0.5) * (labels == c)
    found = next(iter(rankings(tmp_path, write(tmp_path, x, labels), "forest", "--split-features", 1).values()))
    own = np.zeros(6)
    for feature, weight in zip(found["ranking"], found["weight"]):
        own[feature] = weight
    y = np.array([[label == c for c in "abc"] for label in labels], float)
    other = ensemble.ExtraTreesRegressor(100, min_samples_leaf=5, random_state=0).fit(x, y)
    assert own / own.sum() == pytest.approx(other.feature_importances_, abs=0.02)
