"""Classifiers as estimators: layouts of labels, scikit-learn's tools around them, copies, and what they answer."""

import copy
import pickle
from pathlib import Path

import joblib
import networkx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clade
import clade.classifiers
import clade.generate
import clade.labels
from clade._arrays import dataset_of
from clade.labels import parse_labels

PATHS = ["a/x", "a/y", "a/z", "b/v", "b/w", "c"]
ROWS = [["a", "x"], ["a", "y"], ["a", "z"], ["b", "v"], ["b", "w"], ["c", ""]]
EDGES = [("r", "a"), ("r", "b"), ("r", "c"), ("a", "ax"), ("a", "ay"), ("a", "az"), ("b", "bv"), ("b", "bw")]
LEAVES = ["ax", "ay", "az", "bv", "bw", "c"]
ALL = [name for name in clade.classifiers.__all__ if name != "AutoClassifier"]


def make(name, **parameters):
    small = {"Forest": {"trees": 10}, "BlendClassifier": {"trees": 10}}
    return getattr(clade, name)(n_jobs=1, **{**small.get(name, {}), **parameters})


@pytest.fixture(scope="module")
def data():
    random = np.random.RandomState(0)
    classes = random.randint(0, 6, 180)
    X = random.randn(180, 9)
    X[np.arange(180), classes] += 4
    return X, classes


def test_generated_modules_are_current(tmp_path):
    clade.generate.main([str(tmp_path)])
    folder = Path(clade.__file__).parent
    for family in clade.generate.families():
        assert (tmp_path / family.module).read_text() == (folder / family.module).read_text()


# Labels


@pytest.mark.parametrize("name", ALL)
def test_names_paths_numbers_levels(name, data):
    X, classes = data
    by_path = make(name).fit(X, np.array(PATHS)[classes])
    expected = by_path.predict(X)
    assert expected.dtype.kind == "U" and set(expected) <= set(PATHS)
    assert by_path.score(X, np.array(PATHS)[classes]) == np.mean(expected == np.array(PATHS)[classes])
    levels = make(name).fit(X, np.array(ROWS)[classes]).predict(X)
    assert levels.shape == (len(X), 2)
    assert ["/".join(filter(None, row)) for row in levels.tolist()] == expected.tolist()
    numbers = make(name).fit(X, classes).predict(X)
    assert numbers.dtype == classes.dtype and set(numbers) <= set(range(6))
    names = make(name, taxonomy=EDGES).fit(X, np.array(LEAVES)[classes])
    assert set(names.predict(X)) <= set(LEAVES)
    assert names.classes_.tolist() == sorted(LEAVES)
    if name != "PriorClassifier":
        assert by_path.score(X, np.array(PATHS)[classes]) > 0.85
        assert np.mean(numbers == classes) > 0.85


@pytest.mark.parametrize("name", ALL)
def test_sets_and_indicators(name, data):
    X, classes = data
    sets = [[LEAVES[k], "c"] if n % 4 == 0 and k != 5 else [LEAVES[k]] for n, k in enumerate(classes)]
    estimator = make(name, taxonomy=EDGES).fit(X, sets)
    predicted = estimator.predict(X)
    assert predicted.shape == (len(X),) and isinstance(predicted[0], list)
    order = sorted(LEAVES)  # as MultiLabelBinarizer has them, and not as the taxonomy
    matrix = np.array([[int(label in labels) for label in order] for labels in sets])
    frame = pd.DataFrame(matrix, columns=order)
    indicator = make(name, taxonomy=EDGES).fit(X, frame)
    found = indicator.predict(X)
    assert found.shape == matrix.shape and indicator.classes_.tolist() == order
    leaves = [set(labels) & set(order) for labels in predicted]  # thresholds may answer with inner nodes
    assert [{order[k] for k in np.flatnonzero(row)} for row in found] == leaves
    assert indicator.score(X, frame) == indicator.score(X, matrix)  # columns as in training
    for y in (matrix, scipy.sparse.csr_matrix(matrix)):
        with pytest.raises(ValueError, match="expected a frame whose columns name the classes"):
            make(name, taxonomy=EDGES).fit(X, y)
    hits = [set(a) == set(b) for a, b in zip(sets, predicted)]
    assert estimator.score(X, sets) == np.mean(hits)


def test_layouts_are_recognised():
    assert parse_labels(["a", "b"]).layout == "names"
    assert parse_labels([["a"], ["a", "b"], []]).layout == "sets"
    assert parse_labels(np.array([["a", "b"], ["a", "c"]])).layout == "levels"
    assert parse_labels(pd.DataFrame({"one": ["a", "a"], "two": ["b", None]})).layout == "levels"
    assert parse_labels(np.array([[0, 1], [1, 1]])).layout == "indicator"
    assert parse_labels(np.array([[1, 10], [1, 11]])).layout == "levels"
    tree = clade.Taxonomy.of(EDGES)._core
    assert parse_labels(pd.DataFrame({LEAVES[1]: [0, 1], LEAVES[0]: [1, 1]}), tree).layout == "indicator"
    with pytest.raises(clade.InputError, match="not in the taxonomy"):  # no classes, so these are levels
        parse_labels(pd.DataFrame({"first": [0, 1], "second": [1, 1]}), tree)
    assert parse_labels(np.array([[1], [2]])).layout == "names"
    assert len(parse_labels(["a > b", "a > c", "d > e"]).taxonomy) == 6
    assert len(parse_labels(["a > b", "a > c", "d > e"], path_separator="").taxonomy) == 4
    assert len(parse_labels(["a/b", "a/c"], path_separator="").taxonomy) == 3
    merged = parse_labels(["a/b", "a / b", "c/d"])
    assert merged.classes.tolist() == ["a / b", "c/d"] or merged.classes.tolist() == ["a/b", "c/d"]
    assert merged.codes[0] == merged.codes[1]
    with pytest.raises(ValueError, match="row 1 has a gap"):
        parse_labels(np.array([["a", "b"], ["", "b"]]))
    with pytest.raises(ValueError, match="label_layout is 'rows'"):
        parse_labels(["a"], layout="rows")
    with pytest.raises(clade.InputError, match="zebra"):
        parse_labels(["ax", "zebra"], clade.Taxonomy.of(EDGES)._core)
    for mixed in (np.array(["a", 1], dtype=object), [1, "1"]):
        with pytest.raises(ValueError, match="partly texts"):
            parse_labels(mixed)
    for gap in ([float("nan"), 1.0], [np.nan, "a"], pd.Series(["a", None], dtype="string"), np.array(["NaT"], dtype="M8[D]")):
        with pytest.raises(ValueError, match="labels: sample [01] has .*; expected a label"):
            parse_labels(gap)


def test_numbers_at_levels_stay_numbers(data):
    X, classes = data
    rows = np.array([[1, 10], [1, 11], [1, 12], [2, 20], [2, 21], [3, 30]])[classes]
    predicted = clade.TopDownSVM().fit(X, rows).predict(X)
    assert predicted.dtype.kind == "i" and np.mean((predicted == rows).all(axis=1)) > 0.85


def test_labels_at_inner_nodes_and_confidence(data):
    X, classes = data
    y = np.array(["a", "a/y", "a/z", "b/v", "b/w", "c"])[classes]
    estimator = clade.TopDownLogisticClassifier().fit(X, y)
    assert estimator.classes_.tolist() == sorted(set(y))
    assert "a" in estimator.predict(X)
    probabilities = estimator.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    scores, nodes = estimator.node_scores(X)
    column = nodes.tolist().index("a")
    below = probabilities[:, [k for k, label in enumerate(estimator.classes_) if label.startswith("a")]].sum(axis=1)
    np.testing.assert_allclose(scores[:, column], below, rtol=1e-9)
    sure = estimator.set_params(confidence=0.9).predict(X)
    assert set(sure) & {"(root)", "b"}
    tree = [("9", str(k)) for k in range(6)]
    numbers = clade.TopDownLogisticClassifier(confidence=0.999, taxonomy=tree).fit(X, classes).predict(X)
    assert 9 in numbers and numbers.dtype.kind == "i"


def test_graphs(data):
    X, classes = data
    graph = networkx.DiGraph([("r", "p"), ("r", "q"), ("p", "u"), ("p", "v"), ("q", "v"), ("q", "w"), ("r", "t")])
    y = np.array(["u", "v", "w", "t", "t", "u"])[classes]
    for name in ALL:
        estimator = make(name, taxonomy=graph).fit(X, y)
        assert set(estimator.predict(X)) <= set("uvwt")
        scores, nodes = estimator.node_scores(X)
        at = {node: scores[:, k] for k, node in enumerate(nodes)}
        for parent, child in graph.edges:
            assert np.all(at[parent] >= at[child] - 1e-12)
        if hasattr(estimator, "predict_proba"):
            np.testing.assert_allclose(estimator.predict_proba(X).sum(axis=1), 1)


def test_several_labels_in_graphs(data):
    X, classes = data
    graph = networkx.DiGraph([("r", "p"), ("r", "q"), ("p", "u"), ("p", "v"), ("q", "v"), ("q", "w"), ("r", "t")])
    y = [["v", "t"] if n % 5 == 0 else [label] for n, label in enumerate(np.array(list("uvwtut"))[classes])]
    for name in ALL:
        estimator = make(name, taxonomy=graph).fit(X, y)
        assert {label for labels in estimator.predict(X) for label in labels} <= set("rpquvwt")
        scores = estimator.decision_function(X)
        assert scores.shape == (len(X), 4) and estimator.classes_.tolist() == list("tuvw")
        if hasattr(estimator, "predict_proba"):
            assert np.all((estimator.predict_proba(X) >= 0) & (estimator.predict_proba(X) <= 1))


def test_unseen_classes(data):
    """A class without samples: joint classifiers can rank it, others cannot."""
    X, classes = data
    y = np.array(LEAVES)[np.minimum(classes, 4)]
    joint = clade.HierarchicalSVM(taxonomy=EDGES, calibrate="temperature").fit(X, y)
    assert joint.classes_.tolist() == sorted(LEAVES)
    np.testing.assert_allclose(joint.predict_proba(X).sum(axis=1), 1)
    assert clade.TopDownSVM(taxonomy=EDGES).fit(X, y).classes_.tolist() == sorted(LEAVES[:5])
    seen = clade.HierarchicalSVM(taxonomy=EDGES, classes="seen").fit(X, y)
    assert seen.classes_.tolist() == sorted(LEAVES[:5])


# Features


def test_arrays_are_not_copied(data):
    X, classes = data
    labels = parse_labels(classes)
    for dtype in (np.float64, np.float32):
        dense = np.ascontiguousarray(X, dtype=dtype)
        assert np.shares_memory(dataset_of(dense, labels).matrix(), dense)
        sparse = scipy.sparse.csr_matrix(dense)
        offsets, indices, values = dataset_of(sparse, labels).matrix()
        assert np.shares_memory(values, sparse.data) and np.shares_memory(indices, sparse.indices)


@pytest.mark.parametrize("name", ["TopDownSVM", "HierarchicalSVM", "Forest"])
def test_any_matrix_gives_the_same(name, data):
    X = np.round(data[0], 1)
    classes = data[1]
    reference = make(name, scale="none") if name != "Forest" else make(name)
    reference.fit(X, classes)
    expected = reference.decision_function(X)
    for other in (np.asfortranarray(X), X.tolist(), X[:, ::-1][:, ::-1], pd.DataFrame(X), X.astype(object)):
        assert np.array_equal(clone(reference).fit(other, classes).decision_function(X), expected)
    sparse = clone(reference).fit(scipy.sparse.csr_matrix(X), classes).decision_function(scipy.sparse.csr_matrix(X))
    wide = scipy.sparse.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    shuffled = scipy.sparse.csr_matrix(X)
    for row in range(len(X)):
        part = slice(shuffled.indptr[row], shuffled.indptr[row + 1])
        shuffled.indices[part] = shuffled.indices[part][::-1].copy()
        shuffled.data[part] = shuffled.data[part][::-1].copy()
    shuffled.has_sorted_indices = False
    before = shuffled.indices.copy()
    for other in (scipy.sparse.csc_matrix(X), scipy.sparse.coo_matrix(X), wide, shuffled):
        assert np.array_equal(clone(reference).fit(other, classes).decision_function(other), sparse)
    assert np.array_equal(shuffled.indices, before)


def test_feature_names(data):
    X, classes = data
    frame = pd.DataFrame(X, columns=[f"petal {k}" for k in range(9)])
    estimator = clade.TopDownSVM().fit(frame, classes)
    assert estimator.feature_names_in_.tolist() == list(frame.columns)
    assert estimator._model.feature_names() == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        estimator.predict(frame[frame.columns[::-1]])
    estimator.set_params(align_features=True)
    shuffled = frame[frame.columns[::-1]].assign(other=1.0)
    assert np.array_equal(estimator.predict(shuffled), estimator.predict(frame))
    assert np.array_equal(estimator.decision_function(shuffled), estimator.decision_function(frame))
    assert estimator.telling_features(0, 3)


# Weights


@pytest.mark.parametrize("name", ALL)
def test_weights_of_samples(name, data):
    X, classes = data
    y = np.array(PATHS)[classes]
    plain = make(name).fit(X, y)
    assert np.array_equal(make(name).fit(X, y, np.ones(len(X))).decision_function(X), plain.decision_function(X))
    weights = np.ones(len(X))
    weights[::5] = 0
    kept = weights > 0
    left_out = make(name).fit(X, y, weights)
    assert np.array_equal(left_out.decision_function(X), make(name).fit(X[kept], y[kept]).decision_function(X))


def test_weights_are_repeats(data):
    X, classes = data
    y = np.array(PATHS)[classes]
    count = np.random.RandomState(1).randint(1, 4, len(X))
    again = np.repeat(np.arange(len(X)), count)
    for estimator in (
        clade.TopDownLogisticClassifier(scale="none", c=1.0, tolerance=1e-9, iterations=5000, weights="double"),
        clade.TopDownSVM(scale="none", loss="squared-hinge", tolerance=1e-9, iterations=100000, weights="double"),
    ):
        weighted = clone(estimator).fit(X, y, count.astype(float)).decision_function(X)
        repeated = clone(estimator).fit(X[again], y[again]).decision_function(X)
        np.testing.assert_allclose(weighted, repeated, rtol=1e-4, atol=1e-4)


def test_weights_of_classes(data):
    X, classes = data
    weights = {3: 2.0, 0: 0.5}
    by_class = clade.TopDownSVM(class_weight=weights).fit(X, classes).decision_function(X)
    by_sample = clade.TopDownSVM().fit(X, classes, [weights.get(k, 1.0) for k in classes]).decision_function(X)
    assert np.array_equal(by_class, by_sample)
    with pytest.raises(ValueError, match="class_weight"):
        clade.TopDownSVM(class_weight={77: 1.0}).fit(X, classes)


# scikit-learn's tools


def test_model_selection(data):
    X, classes = data
    y = np.array(PATHS)[classes]
    search = GridSearchCV(clade.TopDownSVM(n_jobs=1), {"c": [0.01, 1.0], "loss": ["hinge", "squared-hinge"]}, cv=3)
    search.fit(X, y)
    assert search.best_score_ > 0.85 and search.best_estimator_.c in (0.01, 1.0)
    assert cross_val_predict(clade.TopDownLogisticClassifier(), X, y, cv=3, method="predict_proba").shape == (180, 6)
    pipeline = make_pipeline(StandardScaler(), SelectKBest(f_classif, k=6), clade.PathSVM())
    pipeline.set_output(transform="pandas")
    assert cross_val_score(pipeline, pd.DataFrame(X).add_prefix("p"), y, cv=3).mean() > 0.85
    scores = cross_val_score(clade.TopDownSVM(), X, np.array(ROWS)[classes], cv=[(np.arange(90), np.arange(90, 180))])
    assert scores[0] > 0.85


def test_copies(data, tmp_path):
    X, classes = data
    y = np.array(ROWS)[classes]
    for name in ALL:
        estimator = make(name).fit(X, y)
        expected = estimator.decision_function(X)
        for twin in (pickle.loads(pickle.dumps(estimator)), copy.copy(estimator), copy.deepcopy(estimator)):
            assert np.array_equal(twin.decision_function(X), expected)
            assert np.array_equal(twin.predict(X), estimator.predict(X))
            assert twin.get_params() == estimator.get_params()
        assert not hasattr(clone(estimator), "classes_")
    joblib.dump(estimator, tmp_path / "estimator.joblib")
    assert np.array_equal(joblib.load(tmp_path / "estimator.joblib").predict(X), estimator.predict(X))
    answers = joblib.Parallel(n_jobs=2)(joblib.delayed(estimator.predict)(part) for part in (X[:90], X[90:]))
    assert np.array_equal(np.concatenate(answers), estimator.predict(X))


def test_threads_and_seeds(data):
    X, classes = data
    for name in ("TopDownSVM", "Forest", "BlendClassifier", "HierarchicalPerceptron"):
        expected = make(name).fit(X, classes).decision_function(X)
        for threads in (2, 3, None):
            assert np.array_equal(make(name).set_params(n_jobs=threads).fit(X, classes).decision_function(X), expected)
    forest = make("Forest", random_state=3).fit(X, classes).decision_function(X)
    assert np.array_equal(make("Forest", random_state=3).fit(X, classes).decision_function(X), forest)
    assert not np.array_equal(make("Forest", random_state=4).fit(X, classes).decision_function(X), forest)
    assert make("Forest", random_state=np.random.RandomState(3)).fit(X, classes).score(X, classes) > 0.85


# Answers


def test_scores_of_classes(data):
    X, classes = data
    y = np.array(PATHS)[classes]
    for name in ALL:
        estimator = make(name).fit(X, y)
        scores = estimator.decision_function(X)
        assert scores.shape == (len(X), 6) and np.all(np.isfinite(scores))
        labels, values = estimator.predict_ranked(X, 3)
        assert labels.shape == values.shape == (len(X), 3)
        order = np.sort(scores, axis=1)[:, ::-1][:, :3]
        np.testing.assert_array_equal(values, order)
        assert np.mean(labels[:, 0] == estimator.predict(X)) > 0.9
        if hasattr(estimator, "predict_proba"):
            probabilities = estimator.predict_proba(X)
            np.testing.assert_allclose(probabilities.sum(axis=1), 1)
            assert np.array_equal(estimator.classes_[probabilities.argmax(axis=1)], labels[:, 0])
            np.testing.assert_allclose(np.exp(estimator.predict_log_proba(X)), probabilities, atol=1e-300)


def test_probabilities_exist_where_the_model_has_them(data):
    X, classes = data
    for name, has in [("TopDownSVM", False), ("PathSVM", False), ("TopDownLogisticClassifier", True), ("Forest", True)]:
        assert hasattr(make(name), "predict_proba") == has
        assert hasattr(make(name).fit(X, classes), "predict_proba") == has
    assert hasattr(clade.TopDownSVM(calibrate="sigmoid"), "predict_proba")
    assert hasattr(clade.HierarchicalSVM(calibrate="auto").fit(X, classes), "predict_proba")


def test_measures_that_know_the_hierarchy(data):
    X, classes = data
    y = np.array(PATHS)[classes]
    estimator = clade.TopDownSVM().fit(X[:, :4], y)
    predicted = estimator.predict(X[:, :4])

    def ancestors(path):
        parts = path.split("/")
        return {"/".join(parts[: k + 1]) for k in range(len(parts))}

    common = sum(len(ancestors(a) & ancestors(b)) for a, b in zip(y, predicted))
    f1 = 2 * common / (sum(len(ancestors(a)) for a in y) + sum(len(ancestors(b)) for b in predicted))
    assert estimator.hierarchical_score(X[:, :4], y) == pytest.approx(f1)
    assert estimator.hierarchical_score(X[:, :4], y, "accuracy") == pytest.approx(np.mean(y == predicted))
    with pytest.raises(ValueError, match="no measure 'speed'"):
        estimator.hierarchical_score(X[:, :4], y, "speed")


def test_labels_that_the_model_does_not_know(data):
    """Cross-validation leaves rare classes out of some training parts: they are never right, and nothing fails."""
    X, classes = data
    y = np.array(PATHS)[classes]
    y[5] = "a/new"
    estimator = clade.TopDownSVM().fit(np.delete(X, 5, axis=0), np.delete(y, 5))
    assert estimator.score(X, y) == np.mean(estimator.predict(X) == y)
    assert 0.8 < estimator.hierarchical_score(X, y) < 1
    assert cross_val_score(clade.TopDownSVM(), X, y, cv=KFold(3), error_score="raise").mean() > 0.8
    rows = np.array([path.split("/") + [""] * (2 - len(path.split("/"))) for path in y])
    levels = clade.TopDownSVM().fit(np.delete(X, 5, axis=0), np.delete(rows, 5, axis=0))
    assert levels.score(X, rows) == estimator.score(X, y)
    sets = [[label] for label in y]
    assert clade.TopDownSVM().fit(np.delete(X, 5, axis=0), np.delete(y, 5)[:, None].tolist()).score(X, sets) > 0.8


def test_models(data, tmp_path):
    X, classes = data
    estimator = clade.TopDownSVM().fit(X, np.array(PATHS)[classes])
    estimator.save(tmp_path / "model.clade")
    assert estimator.model_.classifier == "top-down-svm"
    assert clade.Model.read(tmp_path / "model.clade").to_bytes() == estimator.model_.to_bytes()
    assert "a/x" in estimator.taxonomy_
    with pytest.raises(clade.InputError):
        estimator.save(tmp_path / "model.clade", overwrite=False)


def test_nodes_above(data):
    X, classes = data
    estimator = clade.TopDownLogisticClassifier().fit(X, np.array(PATHS)[classes])
    scores, names = estimator.node_scores(X)
    for row, nodes in zip(scores, estimator.predict_nodes(X, above=0.3)):
        assert nodes == [name for name, score in zip(names, row) if score > 0.3 and name != "(root)"]


def test_going_on(data):
    X, classes = data
    y = np.array(LEAVES)[classes]
    for name in ("HierarchicalPerceptron", "FlatPerceptron", "Hieron"):
        whole = make(name, taxonomy=EDGES, epochs=1, scale="unit").fit(X, y)
        parts = make(name, taxonomy=EDGES, scale="unit")
        for begin in range(0, len(X), 60):
            parts.partial_fit(X[begin : begin + 60], y[begin : begin + 60])
        assert np.array_equal(parts.decision_function(X), whole.decision_function(X))
        resumed = pickle.loads(pickle.dumps(parts)).partial_fit(X[:30], y[:30])
        assert np.array_equal(resumed.decision_function(X), parts.partial_fit(X[:30], y[:30]).decision_function(X))
        numbers = make(name).partial_fit(X[classes < 3], classes[classes < 3], classes=np.arange(6))
        assert numbers.partial_fit(X, classes).classes_.tolist() == list(range(6))
    with pytest.raises(ValueError, match="classes must be passed"):
        clade.Hieron().partial_fit(X, y)
    assert not hasattr(clade.TopDownSVM, "partial_fit")


def test_shares_of_features(data):
    X, classes = data
    ranking = clade.FisherSelector().fit(X, classes).ranking_
    for chosen in ({"features": ranking}, {"select": "fisher"}):
        expected = clade.TopDownSVM(top="30%", **chosen).fit(X, classes).decision_function(X)
        assert np.array_equal(clade.TopDownSVM(top=0.3, **chosen).fit(X, classes).decision_function(X), expected)
    inside = clade.TopDownSVM(select=clade.FisherSelector(top=0.3)).fit(X, classes)
    assert np.array_equal(inside.decision_function(X), expected)
    model = clade.train(X, "top-down-svm", y=classes, features=ranking, top=0.3)
    assert model.to_bytes() == clade.train(X, "top-down-svm", y=classes, features=ranking, top="30%").to_bytes()


def test_before_fit(data):
    X, classes = data
    for name in ("predict", "decision_function", "predict_ranked", "predict_levels", "node_scores", "explain"):
        with pytest.raises(NotFittedError):
            getattr(clade.TopDownSVM(), name)(X)
    for name in ("score", "hierarchical_score"):
        with pytest.raises(NotFittedError):
            getattr(clade.TopDownSVM(), name)(X, classes)


def test_errors_of_keywords(data):
    X, classes = data
    for estimator, message in [
        (clade.TopDownSVM(c=-1.0), "`c`"),
        (clade.TopDownSVM(loss="cubic"), "loss"),
        (clade.TopDownSVM(top=3), "`top` has no effect"),
        (clade.TopDownSVM(select="hirr", top=3), "hirr"),
        (clade.TopDownSVM(conformal_by_class=True), "`conformal_by_class` has no effect"),
        (clade.TopDownSVM(least_precision=0.5), "`least_precision` has no effect"),
        (clade.TopDownSVM(decide="own", decide_folds=3), "`decide_folds` has no effect"),
        (clade.TopDownSVM(missing="ignore"), "missing"),
        (clade.TopDownSVM(calibrate="magic"), "calibrate"),
        (clade.TopDownSVM(random_state=-1), "random_state is -1"),
    ]:
        with pytest.raises(ValueError, match=message) as raised:
            estimator.fit(X, classes)
        assert "\n" not in str(raised.value)
    for confidence in (80, -0.1):
        with pytest.raises(clade.InputError, match="`confidence` is .*; expected a probability"):
            clade.TopDownSVM(confidence=confidence, calibrate="sigmoid").fit(X, classes)
    for kind in (clade.PathSVM, clade.TopDownSVM):
        with pytest.raises(clade.InputError, match=f"{kind.__name__} has not; expected `calibrate`"):
            kind(confidence=0.5).fit(X, classes)
    later = clade.TopDownSVM().fit(X, classes).set_params(confidence=0.5)
    with pytest.raises(clade.InputError, match="expected `calibrate`"):
        later.predict(X)
    clade.TopDownSVM(confidence=0.5, calibrate="sigmoid").fit(X, classes).predict(X)


def test_errors_of_features(data, tmp_path):
    """One line each, that says where and what to do."""
    X, classes = data
    gaps = X.copy()
    gaps[3, 2] = np.nan
    named = pd.DataFrame(gaps, columns=[f"p{k}" for k in range(X.shape[1])])
    texts = ["red apple", "green pear"]
    fitted = clade.TopDownSVM().fit(X, classes)
    for call, message in [
        (lambda: clade.TopDownSVM().fit(gaps, classes), "NaN in row 3, column 2; expected numbers, or `missing` 'mean'"),
        (lambda: clade.PathSVM().fit(scipy.sparse.csr_matrix(gaps), classes), "NaN in row 3, column 2;"),
        (lambda: clade.PathSVM().fit(named, classes), "NaN in row 3, column 'p2';"),
        (lambda: fitted.predict(gaps), "NaN in row 3, column 2;"),
        (lambda: clade.FisherSelector().fit(gaps, classes), "NaN in row 3, column 2; expected numbers$"),
        (lambda: clade.TopDownSVM().fit(texts, ["a", "b"]), "X has text .'red apple'.; .*HierarchicalPipeline"),
        (lambda: clade.TaxonomyLearner().fit(pd.DataFrame({"t": texts}), ["a", "b"]), "HierarchicalPipeline"),
        (lambda: clade.HierFisherSelector(n_features_to_select=100).fit(X, classes), "`n_features_to_select`: 100"),
        (lambda: clade.TopDownSVM(scale="standard").fit(scipy.sparse.csr_matrix(X), classes), "or dense data$"),
        (lambda: [fitted.save(tmp_path / "m.clade") for _ in range(2)], "exists already; use `overwrite`"),
    ]:
        with pytest.raises(ValueError, match=message) as raised:
            call()
        assert "\n" not in str(raised.value)
    fitted.save(tmp_path / "m.clade", overwrite=True)


def test_the_choice_is_told(data, caplog):
    X, classes = data
    with caplog.at_level("INFO", "clade"):
        estimator = clade.DefaultClassifier().fit(X, classes)
    assert f"{estimator.recipe_}, because of the data ({estimator.reason_})" in caplog.text


def test_explanations(data):
    """Of every label, as a list that prints itself; without a probability where the model has none."""
    X, classes = data
    named = pd.DataFrame(X, columns=[f"p{k}" for k in range(X.shape[1])])
    estimator = clade.TopDownSVM().fit(named, classes)
    with pytest.warns(UserWarning, match="feature names"):
        found = estimator.explain(X[:3], reasons=2)
    assert [one.label for one in found] == [str(label) for label in estimator.predict(named[:3])]
    assert found[0].steps[0]["reasons"][0]["feature"].startswith("p")
    assert found[0].steps[0]["probability"] is None and "  p " not in str(found)
    calibrated = clade.TopDownSVM(calibrate="sigmoid").fit(X, classes).explain(X[:1])
    assert 0 < calibrated[0].steps[0]["probability"] <= 1 and "  p " in str(calibrated)
    sets = [[LEAVES[k], "c"] if n % 4 == 0 and k != 5 else [LEAVES[k]] for n, k in enumerate(classes)]
    several = clade.KernelRidgeClassifier(taxonomy=EDGES).fit(X, sets)
    expected = [(str(n), label) for n, labels in enumerate(several.predict(X[:8])) for label in labels]
    assert [(one.sample, one.label) for one in several.explain(X[:8])] == expected
    asked = [["c"], ["c", LEAVES[0]]]
    assert [one.label for one in several.explain(X[:2], asked)] == ["c", "c", LEAVES[0]]


def test_a_model_answers_as_its_estimator(data):
    """By the names of nodes, which are texts."""
    X, classes = data
    estimator = clade.TopDownLogisticClassifier(conformal="split:30%").fit(X, classes)
    model = estimator.model_
    assert model.predict(X).tolist() == estimator.predict(X).astype(str).tolist()
    for own, others in [
        (model.predict_ranked(X, 3), estimator.predict_ranked(X, 3)),
        (model.predict_levels(X), estimator.predict_levels(X)),
        (model.node_scores(X)[::-1], estimator.node_scores(X)[::-1]),
    ]:
        assert own[0].tolist() == others[0].astype(str).tolist()
        np.testing.assert_array_equal(own[1], others[1])
    assert model.classes == [str(label) for label in estimator.classes_]
    np.testing.assert_array_equal(model.predict_proba(X), estimator.predict_proba(X))
    covered = [[str(label) for label in labels] for labels in estimator.predict_covering(X)]
    assert model.predict_covering(X).tolist() == covered
    assert model.telling_features(1, 3) == estimator.telling_features(1, 3)
    assert [one.steps for one in model.explain(X[:3], [0, 1, 2])] == [
        one.steps for one in estimator.explain(X[:3], [0, 1, 2])
    ]
    with pytest.raises(TypeError, match="expected the features alone, with the labels as `y`"):
        model.report((X, classes))
    with pytest.raises(ValueError, match="no probabilities; expected one that was trained with `calibrate`"):
        clade.TopDownSVM().fit(X, classes).model_.predict_proba(X)


def test_what_is_masked_is_missing(data):
    X, classes = data
    masked = np.ma.masked_array(X, X > np.quantile(X, 0.9))
    gaps = np.where(X > np.quantile(X, 0.9), np.nan, X)
    with pytest.raises(ValueError, match="X contains NaN in row"):
        clade.TopDownSVM().fit(masked, classes)
    own, same = (clade.TopDownSVM(missing="mean").fit(values, classes) for values in (masked, gaps))
    assert np.array_equal(own.decision_function(masked), same.decision_function(gaps))
    assert np.array_equal(np.isnan(clade.Dataset(masked, classes).X), np.isnan(gaps))


@pytest.mark.parametrize("kind", ["Int64", "boolean", "string", "category"])
def test_labels_of_pandas_stay_what_they_are(kind):
    X = np.random.RandomState(0).randn(20, 3)
    y = pd.Series([False, True] * 10 if kind == "boolean" else ["a", "b"] * 10 if kind == "string" else [3, 7] * 10)
    found = clade.TopDownSVM().fit(X, y.astype(kind)).predict(X)
    assert set(found.tolist()) <= set(y.tolist()) and type(found.tolist()[0]) is type(y.tolist()[0])


def test_class_weights_are_words_or_dicts(data):
    with pytest.raises(ValueError, match="`class_weight` is .*; expected a word"):
        clade.TopDownSVM(class_weight=[5, "zz"]).fit(*data)
