"""Rankings per node with the classifiers that compare all nodes: path-svm and the joint ones."""

import csv
import json

import numpy as np
import pytest
from clade_tool import run, run_json

CLASSIFIERS = [["path-svm"], ["hierarchical-svm"], ["flat-svm"], ["hierarchical-perceptron"], ["flat-perceptron", "--variant", "online"], ["hieron"]]
FEATURES = 6


def write(folder, x, labels, name="data.csv"):
    rows = [",".join([*(repr(float(v)) for v in row), label]) for row, label in zip(x, labels)]
    (folder / name).write_text(",".join([*(f"f{k}" for k in range(FEATURES)), "label"]) + "\n" + "\n".join(rows) + "\n")
    return folder / name


@pytest.fixture
def problem(tmp_path):
    """f0 tells a from b, f1 the two below a, f2 the two below b."""
    random = np.random.default_rng(3)
    labels = random.choice(["a/a1", "a/a2", "b/b1", "b/b2"], 80)
    x = random.normal(size=(80, FEATURES)) + 2
    x[:, 0] += 3 * np.char.startswith(labels, "a")
    x[:, 1] += 3 * (labels == "a/a1")
    x[:, 2] += 3 * (labels == "b/b1")
    return x, labels, tmp_path


def ranking(folder, path, lists, name="r.json"):
    """A ranking file with these features of the root, of a and of b."""
    run("select", path, "--method", "hier-fisher", "-o", folder / name, "--force")
    content = json.loads((folder / name).read_text())
    for node in content["nodes"]:
        node["ranking"] = lists[node["node"] if node["node"] in lists else ""]
        node["weight"] = [1] * len(node["ranking"])
    (folder / name).write_text(json.dumps(content))
    return folder / name


def scores(folder, path, classifier, features, *options):
    run("train", path, "--classifier", *classifier, "--features", features, *options, "--weights", "double", "-o", folder / "m.clade", "--force")
    run("predict", folder / "m.clade", path, "--top-k", 4, "-o", folder / "p.csv", "--force")
    with open(folder / "p.csv", newline="") as file:
        return [tuple(row.values()) for row in csv.DictReader(file)]


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: c[0])
def test_equal_lists_are_one_ranking(problem, classifier):
    x, labels, folder = problem
    path = write(folder, x, labels)
    equal = ranking(folder, path, {"": [0, 1, 2], "a": [2, 1, 0], "b": [1, 0, 2]})
    run("select", path, "--method", "fisher", "-o", folder / "flat.json")
    flat = json.loads((folder / "flat.json").read_text())
    flat["nodes"][0].update(ranking=[0, 1, 2], weight=[3, 2, 1])
    (folder / "flat.json").write_text(json.dumps(flat))
    assert scores(folder, path, classifier, equal) == scores(folder, path, classifier, folder / "flat.json")


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: c[0])
def test_a_feature_outside_the_lists_has_no_influence(problem, classifier):
    x, labels, folder = problem
    path = write(folder, x, labels)
    chosen = ranking(folder, path, {"": [0, 3], "a": [1], "b": [2]})
    found = scores(folder, path, classifier, chosen, "--scale", "standard")
    assert run_json("evaluate", folder / "m.clade", path)["accuracy"] > 0.75
    changed = x.copy()
    changed[:, 4] = np.random.default_rng(5).permutation(x[:, 4])
    changed[:, 5] *= 100
    assert scores(folder, write(folder, changed, labels), classifier, chosen, "--scale", "standard") == found


def test_a_stream_keeps_its_lists(problem):
    x, labels, folder = problem
    path = write(folder, x, labels)
    first, second = write(folder, x[:50], labels[:50], "first.csv"), write(folder, x[50:], labels[50:], "second.csv")
    chosen = ranking(folder, path, {"": [0, 3], "a": [1], "b": [2]})
    options = ["--classifier", "hierarchical-perceptron", "--scale", "none", "--epochs", 1, "--features", chosen]
    run("train", path, *options, "-o", folder / "whole.clade")
    run("train", first, *options, "-o", folder / "part.clade")
    run("train", "--append", folder / "part.clade", second)
    for name in ["whole", "part"]:
        run("predict", folder / f"{name}.clade", path, "--top-k", 4, "-o", folder / f"{name}.csv")
    assert (folder / "whole.csv").read_text() == (folder / "part.csv").read_text()
