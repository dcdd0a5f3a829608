"""The estimators learn and answer what the command line does, bit for bit."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import clade
import clade.classifiers
from clade import _core
from clade_tool import run

METHODS = [entry["name"] for entry in json.loads(_core.classifiers())]
CLASS_OF = {kind._method: kind for kind in map(clade.classifiers.__dict__.get, clade.classifiers.__all__)}
SMALL = {"forest": {"trees": 20}, "blend": {"trees": 20}}
PATHS = ["a/x", "a/y", "a/z", "b/v", "b/w", "c"]
NODES = ["animal", "plant", "cat", "dog", "rose", "oak", "moss"]
EDGES = [("animal", "cat"), ("animal", "dog"), ("plant", "rose"), ("plant", "oak"), ("plant", "moss")]


def values(seed, samples, features):
    random = np.random.RandomState(seed)
    classes = random.randint(0, 6, samples)
    X = random.randn(samples, features)
    X[np.arange(samples), classes] += 2.5
    return X, classes


def table(path, X, labels):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"petal {k}" for k in range(X.shape[1])] + ["label"])
        writer.writerows([*map(repr, map(float, row)), label] for row, label in zip(X, labels))
    return path


def frame(X):
    return pd.DataFrame(X, columns=[f"petal {k}" for k in range(X.shape[1])])


def flags(parameters):
    return [part for name, value in parameters.items() for part in (f"--{name.replace('_', '-')}", str(value))]


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def ranked(estimator, X):
    """Labels and scores by sample, as a file of predictions has them."""
    offsets, nodes, scores = estimator._predicted(X)
    names = [estimator._taxonomy.name(int(node)) for node in nodes]
    samples = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return [(str(sample), name, score) for sample, name, score in zip(samples, names, scores)]


def compare(estimator, X, model, data, folder, *arguments):
    """Model bytes, predictions and the scores of all nodes."""
    own = folder / "own.clade"
    estimator.save(own, overwrite=True)
    assert own.read_bytes() == model.read_bytes()
    out = folder / "predictions.csv"
    run("predict", model, data, *arguments, "-o", out, "--force")
    assert ranked(estimator, X) == [(row["sample"], row["label"], float(row["score"])) for row in rows_of(out)]
    run("predict", model, data, *arguments, "--nodes", "--node-threshold", -1, "-o", out, "--force")
    scores, names = estimator.node_scores(X)
    expected = {(row["sample"], row["node"]): float(row["score"]) for row in rows_of(out)}
    assert len(expected) == scores.size - len(scores)  # all but the root
    assert expected == {
        (str(sample), name): scores[sample, node]
        for sample in range(len(scores))
        for node, name in enumerate(names)
        if node > 0
    }


@pytest.mark.parametrize("method", METHODS)
def test_dense_paths(method, tmp_path):
    X, classes = values(1, 90, 8)
    y = np.array(PATHS)[classes]
    data = table(tmp_path / "data.csv", X, y)
    parameters = SMALL.get(method, {})
    run("train", data, "--classifier", method, *flags(parameters), "--seed", 5, "-o", tmp_path / "model.clade")
    estimator = CLASS_OF[method](random_state=5, **parameters).fit(frame(X), y)
    compare(estimator, frame(X), tmp_path / "model.clade", data, tmp_path)
    assert set(estimator.predict(frame(X))) <= set(PATHS)


@pytest.mark.parametrize("method", METHODS)
def test_several_labels(method, tmp_path):
    X, classes = values(2, 80, 7)
    y = [[PATHS[k], "b/v"] if n % 3 == 0 and k != 3 else [PATHS[k]] for n, k in enumerate(classes)]
    data = table(tmp_path / "data.csv", X, [";".join(labels) for labels in y])
    parameters = SMALL.get(method, {})
    run("train", data, "--classifier", method, *flags(parameters), "-o", tmp_path / "model.clade")
    estimator = CLASS_OF[method](**parameters).fit(frame(X), y)
    compare(estimator, frame(X), tmp_path / "model.clade", data, tmp_path)
    predicted = estimator.predict(frame(X))
    assert predicted.dtype == object and all(isinstance(labels, list) for labels in predicted)


@pytest.mark.parametrize("method", METHODS)
def test_sparse_with_taxonomy(method, tmp_path):
    X, classes = values(3, 90, 12)
    X = scipy.sparse.csr_matrix(np.where(np.abs(X) > 0.8, np.round(X, 2), 0))
    y = np.array(NODES[1:])[classes]  # one label is an inner node
    tree = tmp_path / "tree.csv"
    tree.write_text("parent,child\n" + "".join(f"{parent},{child}\n" for parent, child in EDGES))
    numbers = X.tolil()
    lines = [
        f"{label} " + " ".join(f"{k + 1}:{float(value)!r}" for k, value in zip(ks, row)) + "\n"
        for label, ks, row in zip(y, numbers.rows, numbers.data)
    ]
    data = tmp_path / "data.svm"
    data.write_text("".join(lines))
    parameters = SMALL.get(method, {})
    options = ("--taxonomy", tree)
    run("train", data, *options, "--classifier", method, *flags(parameters), "-o", tmp_path / "model.clade")
    estimator = CLASS_OF[method](taxonomy=EDGES, **parameters).fit(X, y)
    compare(estimator, X, tmp_path / "model.clade", data, tmp_path)


def test_whole_recipes(tmp_path):
    """Selection, calibration, label sets, missing values, guarantees."""
    X, classes = values(4, 120, 9)
    y = np.array(PATHS)[classes]
    data = table(tmp_path / "data.csv", X, y)
    model = tmp_path / "model.clade"
    recipes = [
        (clade.TopDownSVM(select="hirr-fam", top=4), ["--select", "hirr-fam", "--top", 4]),
        (
            clade.TopDownSVM(select="hirr-sib", select_parameters={"lambda": 3, "scale": "standard"}, top="50%"),
            ["--select", "hirr-sib", "--select-parameters", "lambda=3,scale=standard", "--top", "50%"],
        ),
        (clade.TopDownSVM(calibrate="isotonic", c=0.5), ["--calibrate", "isotonic", "--c", 0.5]),
        (clade.PathSVM(conformal="split:30%", calibrate="auto"), ["--conformal", "split:30%", "--calibrate", "auto"]),
        (clade.HierarchicalSVM(kernel="rbf", gamma=0.1), ["--kernel", "rbf", "--gamma", 0.1]),
        (clade.TopDownLogisticClassifier(class_weight="balanced"), ["--class-weight", "balanced"]),
    ]
    for estimator, arguments in recipes:
        run("train", data, "--classifier", estimator._method, *arguments, "-o", model, "--force")
        compare(estimator.fit(frame(X), y), frame(X), model, data, tmp_path)
    ranking = tmp_path / "ranking.json"
    run("select", data, "--method", "fisher", "-o", ranking)
    run("train", data, "--classifier", "path-svm", "--features", ranking, "--top", 5, "-o", model, "--force")
    compare(clade.PathSVM(features=ranking, top=5).fit(frame(X), y), frame(X), model, data, tmp_path)


def test_chosen_by_the_data(tmp_path):
    X, classes = values(5, 100, 6)
    y = np.array(PATHS)[classes]
    data = table(tmp_path / "data.csv", X, y)
    model = tmp_path / "model.clade"
    run("train", data, "-o", model)
    chosen = clade.DefaultClassifier().fit(frame(X), y)
    compare(chosen, frame(X), model, data, tmp_path)
    tried = json.loads(run("train", data, "--auto", "--budget", "1h", "--json", "-o", model, "--force").stdout)
    best = clade.AutoClassifier(budget=3600).fit(frame(X), y)
    compare(best, frame(X), model, data, tmp_path)
    assert [entry["hierarchical_f1"] for entry in best.tried_] == [
        entry["hierarchical_f1"] for entry in tried["tried"]["recipes"]
    ]


def test_missing_values(tmp_path):
    X, classes = values(6, 100, 6)
    y = np.array(PATHS)[classes]
    X[3::7, 2] = np.nan
    written = table(tmp_path / "data.csv", X, y)
    written.write_text(written.read_text().replace("nan", "?"))
    model = tmp_path / "model.clade"
    for estimator, arguments in [
        (clade.Forest(trees=20), ["--classifier", "forest", "--trees", 20]),
        (clade.KernelRidgeClassifier(), ["--classifier", "kernel-ridge"]),
        (clade.TopDownSVM(missing="mean"), ["--classifier", "top-down-svm", "--missing", "mean"]),
        (clade.DefaultClassifier(), []),
    ]:
        run("train", written, *arguments, "-o", model, "--force")
        compare(estimator.fit(frame(X), y), frame(X), model, written, tmp_path)
    with pytest.raises(ValueError, match="NaN"):
        clade.TopDownSVM().fit(X, y)


def test_weights_and_going_on(tmp_path):
    X, classes = values(7, 100, 6)
    y = np.array(PATHS)[classes]
    first, second = table(tmp_path / "first.csv", X[:60], y[:60]), table(tmp_path / "second.csv", X[60:], y[60:])
    weights = np.linspace(0.5, 2, 60)
    (tmp_path / "weights").write_text("".join(f"{float(weight)!r}\n" for weight in weights))
    model = tmp_path / "model.clade"
    for method in ("hierarchical-perceptron", "flat-perceptron", "hieron"):
        options = ("--classifier", method, "--epochs", 1, "--sample-weights", tmp_path / "weights")
        run("train", first, *options, "-o", model, "--force")
        estimator = CLASS_OF[method]()
        estimator.partial_fit(frame(X[:60]), y[:60], classes=PATHS, sample_weight=weights)
        compare(estimator, frame(X[:60]), model, first, tmp_path)
        run("train", "--append", model, second, "--epochs", 1)
        estimator.partial_fit(frame(X[60:]), y[60:])
        compare(estimator, frame(X), model, table(tmp_path / "all.csv", X, y), tmp_path)


def test_answers_of_predict(tmp_path):
    """Options of prediction, guarantees, levels and explanations."""
    X, classes = values(8, 120, 6)
    y = np.array(PATHS)[classes]
    data = table(tmp_path / "data.csv", X, y)
    estimator = clade.TopDownLogisticClassifier(conformal="cross:3").fit(frame(X), y)
    model, out = tmp_path / "model.clade", tmp_path / "out.csv"
    estimator.save(model)
    for options in ({"confidence": 0.9}, {"top_k": 3}, {"policy": "greedy"}, {"policy": "best", "beam": 2, "top_k": 2}):
        run("predict", model, data, *flags(options), "-o", out, "--force")
        estimator.set_params(confidence=0.0, top_k=0, policy="auto", beam=0).set_params(**options)
        found = ranked(estimator, frame(X))
        assert found == [(row["sample"], row["label"], float(row["score"])) for row in rows_of(out)]
    estimator.set_params(confidence=0.0, top_k=0, policy="auto", beam=0)
    run("predict", model, data, "--coverage", 0.8, "--set-size", 2, "-o", out, "--force")
    answers = {}
    for row in rows_of(out):
        answers.setdefault(row["sample"], []).append(row.get("label") or row.get("node"))
    assert estimator.predict_covering(frame(X), 0.8, 2).tolist() == list(answers.values())
    run("predict", model, data, "--levels", "-o", out, "--force")
    nodes, probabilities = estimator.predict_levels(frame(X))
    for row, names, numbers in zip(rows_of(out), nodes, probabilities):
        assert [row["level_1"], row["level_2"]] == names.tolist()
        assert float(row["level_1_probability"]) == numbers[0]
    explained = json.loads(run("predict", model, data, "--explain", 5, "--json").stdout)["explanations"]
    found = estimator.explain(frame(X)[:5])
    assert [vars(one) | {"_text": ""} for one in found] == [one | {"_text": ""} for one in explained]
    assert str(found) == run("predict", model, data, "--explain", 5, "--quiet").stdout
    unnamed = clade.read_model(model).explain(X[:5])  # an array has no names, but the model has
    assert [one.steps for one in unnamed] == [one.steps for one in found]
    told = json.loads(run("explain", model, "--class", "a", "--top", 3, "--json").stdout)
    assert estimator.telling_features("a", 3) == told["decisions"] == estimator.model_.telling_features("a", 3)


def test_answers_with_several_labels(tmp_path):
    X, classes = values(10, 120, 6)
    y = [[PATHS[k], "b/v"] if n % 3 == 0 and k != 3 else [PATHS[k]] for n, k in enumerate(classes)]
    data = table(tmp_path / "data.csv", X, [";".join(labels) for labels in y])
    model, out = tmp_path / "model.clade", tmp_path / "out.csv"
    estimator = clade.HierarchicalSVM(calibrate="sigmoid").fit(frame(X), y)
    estimator.save(model)
    for options in (
        {"label_set": "top-1"},
        {"label_set": "top-k", "top_k": 2},
        {"label_set": "threshold"},
        {"threshold": 0.2},
    ):
        run("predict", model, data, *flags(options), "-o", out, "--force")
        estimator.set_params(label_set="auto", top_k=0, threshold=0.0).set_params(**options)
        expected = [(row["sample"], row["label"], float(row["score"])) for row in rows_of(out)]
        assert ranked(estimator, frame(X)) == expected
        lists = {}
        for sample, label, _ in expected:
            lists.setdefault(sample, []).append(label)
        assert estimator.predict(frame(X)).tolist() == list(lists.values())


def test_selectors_inside(tmp_path):
    """`select` may be a selector, and `features` a ranking."""
    X, classes = values(9, 120, 9)
    y = np.array(PATHS)[classes]
    data = table(tmp_path / "data.csv", X, y)
    model = tmp_path / "model.clade"
    options = ["--select", "hirr-sib", "--select-parameters", "lambda=3,scale=standard", "--top", 4]
    run("train", data, "--classifier", "top-down-svm", *options, "-o", model)
    selector = clade.HirrSibSelector(lambda_=3, scale="standard")
    compare(clade.TopDownSVM(select=selector, top=4).fit(frame(X), y), frame(X), model, data, tmp_path)
    run("select", data, "--method", "hirr-fam", "-o", tmp_path / "ranking.json")
    options = ["--features", tmp_path / "ranking.json", "--top", 4]
    run("train", data, "--classifier", "top-down-svm", *options, "-o", model, "--force")
    ranking = clade.HirrFamSelector().fit(frame(X), y).ranking_
    compare(clade.TopDownSVM(features=ranking, top=4).fit(frame(X), y), frame(X), model, data, tmp_path)
    twin = clade.TopDownSVM(select=clade.HirrFamSelector(top=4)).fit(frame(X), y)
    run("train", data, "--classifier", "top-down-svm", "--select", "hirr-fam", "--top", 4, "-o", model, "--force")
    compare(twin, frame(X), model, data, tmp_path)
