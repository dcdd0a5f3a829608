"""The names of HiClass: its interface, and classifiers of scikit-learn at every node as the reference."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

import clade
import clade.hiclass.metrics as hiclass_metrics
from clade.hiclass import (
    FlatClassifier,
    LocalClassifierPerLevel,
    LocalClassifierPerNode,
    LocalClassifierPerParentNode,
    f1,
    precision,
    recall,
)

ROWS = [["a", "x"], ["a", "y"], ["a", "z"], ["b", "x"], ["b", "w"], ["c", ""]]
LOCAL = [LocalClassifierPerParentNode, LocalClassifierPerNode, LocalClassifierPerLevel, FlatClassifier]


@pytest.fixture(scope="module")
def data():
    random = np.random.RandomState(3)
    classes = random.randint(0, 6, 300)
    X = random.randn(300, 8)
    X[np.arange(300), classes] += 2.5
    return X, np.array(ROWS)[classes]


def by_hand(local, X, y, new):
    """A classifier of scikit-learn at every parent node, and the way down."""
    predicted = np.full((len(new), y.shape[1]), "", dtype=y.dtype)
    first = clone(local).fit(X, y[:, 0])
    predicted[:, 0] = first.predict(new)
    for parent in np.unique(y[:, 0]):
        below, going = y[:, 0] == parent, predicted[:, 0] == parent
        children = np.unique(y[below, 1])
        if len(children) == 1:
            predicted[going, 1] = children[0]
        elif going.any():
            predicted[going, 1] = clone(local).fit(X[below], y[below, 1]).predict(new[going])
    return predicted


@pytest.mark.parametrize(
    "local",
    [
        LinearSVC(C=0.3, tol=1e-6, max_iter=100000),
        LinearSVC(C=0.3, loss="hinge", class_weight="balanced", tol=1e-6, max_iter=1000000),
        LinearSVC(C=2.0, multi_class="crammer_singer", max_iter=100000),
        SVC(kernel="linear", C=0.5),
        LogisticRegression(C=0.5),
        LogisticRegression(C=0.5, class_weight="balanced"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")  # the reference does not, but comes near
def test_the_same_as_scikit_learn_at_every_parent(local, data):
    X, y = data
    found = LocalClassifierPerParentNode(local_classifier=local).fit(X, y).predict(X)
    assert found.shape == y.shape and found.dtype.kind == "U"
    same = np.mean((found == by_hand(local, X, y, X)).all(axis=1))
    # Weights that balance are not quite the same: scikit-learn leaves those of the negative samples at 1.
    assert same >= (0.97 if local.class_weight is None else 0.9)


@pytest.mark.parametrize("kind", LOCAL)
def test_interface(kind, data):
    X, y = data
    estimator = kind().fit(X, y)
    assert estimator.score(X, y) > 0.8
    found = estimator.predict(X)
    assert found.shape == y.shape
    assert set(map(tuple, found)) <= set(map(tuple, ROWS))
    lists = [[cell for cell in row if cell] for row in y.tolist()]
    assert np.array_equal(kind().fit(X, lists).predict(X), found)
    assert np.array_equal(kind().fit(X, pd.DataFrame(y)).predict(X), found)
    flat = kind().fit(X, y[:, 0])
    assert flat.predict(X).shape == (len(X),)
    assert clone(kind(LinearSVC(C=3))).local_classifier.C == 3
    assert kind(clade.Forest(trees=5)).fit(X, y).score(X, y) > 0.5
    sparse = kind(LinearSVC()).fit(scipy.sparse.csr_matrix(X), y).predict(scipy.sparse.csr_matrix(X))
    assert np.mean((sparse == kind(LinearSVC()).fit(X, y).predict(X)).all(axis=1)) > 0.99
    probabilities = estimator.predict_proba(X)
    assert probabilities.shape == (len(X), 5)  # the nodes of the last level: x below a is not x below b
    with pytest.raises(TypeError, match="RandomForestClassifier; expected LogisticRegression"):
        kind(RandomForestClassifier()).fit(X, y)


def test_probabilities_of_levels(data):
    X, y = data
    estimator = LocalClassifierPerNode(return_all_probabilities=True).fit(X, y)
    first, second = estimator.predict_proba(X)
    assert estimator.classes_[0].tolist() == ["a", "b", "c"]
    assert estimator.classes_[1].tolist() == ["x", "y", "z", "w", "x"]
    np.testing.assert_allclose(first.sum(axis=1), 1)
    np.testing.assert_allclose(second[:, :3].sum(axis=1), first[:, 0])
    np.testing.assert_allclose(second.sum(axis=1), 1 - first[:, 2])  # paths that end at c have no second level
    calibrated = LocalClassifierPerNode(LinearSVC(), calibration_method="platt").fit(X, y)
    assert calibrated.predict_proba(X).shape == (len(X), 5)
    with pytest.warns(UserWarning, match="in fit"):
        calibrated.calibrate(X, y)


def test_what_is_refused(data):
    X, y = data
    for estimator, message in [
        (LocalClassifierPerNode(binary_policy="exclusive"), "binary_policy"),
        (LocalClassifierPerNode(bert=True), "bert"),
        (LocalClassifierPerLevel(calibration_method="ivap"), "calibration_method"),
        (LocalClassifierPerLevel(probability_combiner="geometric"), "probability_combiner"),
        (LocalClassifierPerParentNode(LogisticRegression(penalty="l1", solver="saga")), "penalty"),
        (LocalClassifierPerParentNode(LinearSVC(class_weight={"a": 2})), "weights of classes"),
    ]:
        with pytest.raises(ValueError, match=message):
            estimator.fit(X, y)


def test_score_of_paths_that_are_longer_than_those_of_training(data):
    X, y = data
    for kind in LOCAL:
        estimator = kind().fit(X, y)
        right = (estimator.predict(X) == y).all(axis=1)
        longer = [[*row, "new"] if number == 0 else list(row) for number, row in enumerate(y)]
        assert estimator.score(X, longer) == pytest.approx(right[1:].sum() / len(X))
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            estimator.score(X, y[:150])


def test_edges_are_written(data, tmp_path):
    X, y = data
    LocalClassifierPerParentNode(edge_list=str(tmp_path / "edges.csv"), verbose=1, tmp_dir=str(tmp_path)).fit(X, y)
    lines = (tmp_path / "edges.csv").read_text().splitlines()
    assert sorted(lines) == ['"a","x"', '"a","y"', '"a","z"', '"b","w"', '"b","x"']


def test_measures(data):
    pytest.importorskip("clade.metrics")
    X, y = data
    predicted = LocalClassifierPerParentNode().fit(X[:, :4], y).predict(X[:, :4])

    def nodes(row):
        return {tuple(row[: k + 1]) for k in range(len(row)) if row[k]}

    common = sum(len(nodes(a) & nodes(b)) for a, b in zip(y, predicted))
    expected = common / sum(len(nodes(b)) for b in predicted), common / sum(len(nodes(a)) for a in y)
    assert (precision(y, predicted), recall(y, predicted)) == pytest.approx(expected)
    assert f1(y, predicted) == pytest.approx(2 * expected[0] * expected[1] / sum(expected))
    shares = [len(nodes(a) & nodes(b)) / len(nodes(b)) for a, b in zip(y, predicted)]
    assert hiclass_metrics.precision(y, predicted, average="macro") == pytest.approx(np.mean(shares))
    shares = [len(nodes(a) & nodes(b)) / len(nodes(a)) for a, b in zip(y, predicted)]
    assert hiclass_metrics.recall(y, predicted, "macro") == pytest.approx(np.mean(shares))
    both = [2 * len(nodes(a) & nodes(b)) / (len(nodes(a)) + len(nodes(b))) for a, b in zip(y, predicted)]
    assert hiclass_metrics.f1(y, predicted, "macro") == pytest.approx(np.mean(both))
    with pytest.raises(ValueError, match="expected 'micro' or 'macro'"):
        hiclass_metrics.f1(y, predicted, average="weighted")
