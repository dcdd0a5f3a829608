"""Measures: by definition, beside scikit-learn, and to the last digit as the command line gives them."""

import pickle
import warnings

import matplotlib
import networkx
import numpy as np
import pandas
import pytest
import scipy.sparse
import sklearn.metrics
from clade_tool import run_json
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clade
from clade import InputError, Taxonomy, _core, evaluate, metrics
from clade._runtime import settings

ANIMALS = Taxonomy.from_nested(
    {"mammal": ["cat", "dog", "bat"], "bird": {"owl": {}, "duck": ["mallard", "teal"]}, "fish": {}}
)
LEAVES = np.array(ANIMALS.leaves)
DAG = Taxonomy.from_edges({"r": ["a", "b"], "a": ["x", "y"], "b": ["x", "z"], "x": ["w"], "z": ["w"]})


def labels(seed, count=200, names=None, right=0.6):
    """True and predicted labels, inner nodes among them."""
    rng = np.random.RandomState(seed)
    names = np.array(ANIMALS.names[1:] if names is None else names)
    truth = names[rng.randint(0, len(names), count)]
    return truth, np.where(rng.rand(count) < right, truth, names[rng.randint(0, len(names), count)])


def label_sets(seed, taxonomy, count=60):
    rng = np.random.RandomState(seed)
    names = np.array(taxonomy.names[1:])
    sets = [list(rng.choice(names, rng.randint(1, 4), replace=False)) for _ in range(2 * count)]
    return sets[:count], sets[count:]


def ancestors_without_root(taxonomy, labels_of_one):
    graph = taxonomy.to_networkx()
    nodes = set(labels_of_one).union(*(networkx.ancestors(graph, label) for label in labels_of_one))
    return nodes - {taxonomy.root}


@pytest.mark.parametrize("taxonomy", [ANIMALS, DAG], ids=["tree", "DAG"])
def test_hierarchical_precision_recall_f1_and_accuracy_by_definition(taxonomy):
    truth, predicted = label_sets(1, taxonomy)
    pairs = [tuple(ancestors_without_root(taxonomy, one) for one in pair) for pair in zip(truth, predicted)]
    common = sum(len(t & p) for t, p in pairs)
    precision = common / sum(len(p) for _, p in pairs)
    recall = common / sum(len(t) for t, _ in pairs)
    options = {"taxonomy": taxonomy, "label_set": "all"}
    assert metrics.hierarchical_precision(truth, predicted, **options) == pytest.approx(precision, rel=1e-12)
    assert metrics.hierarchical_recall(truth, predicted, **options) == pytest.approx(recall, rel=1e-12)
    f1 = 2 * precision * recall / (precision + recall)
    assert metrics.hierarchical_f1(truth, predicted, **options) == pytest.approx(f1, rel=1e-12)
    by_sample = np.mean([2 * len(t & p) / (len(t) + len(p)) for t, p in pairs])
    assert metrics.hierarchical_f1(truth, predicted, average="samples", **options) == pytest.approx(by_sample)
    assert metrics.accuracy(truth, predicted, **options) == np.mean([t == p for t, p in pairs])
    assert metrics.symmetric_loss(truth, predicted, **options) == pytest.approx(np.mean([len(t ^ p) for t, p in pairs]))


@pytest.mark.parametrize("taxonomy", [ANIMALS, DAG], ids=["tree", "DAG"])
def test_single_labels_by_definition(taxonomy):
    truth, predicted = labels(2, names=taxonomy.names[1:])
    distances = dict(networkx.all_pairs_shortest_path_length(taxonomy.to_networkx().to_undirected()))
    mean = np.mean([distances[t][p] for t, p in zip(truth, predicted)])
    assert metrics.tie(truth, predicted, taxonomy=taxonomy) == pytest.approx(mean)
    assert metrics.accuracy(truth, predicted, taxonomy=taxonomy) == sklearn.metrics.accuracy_score(truth, predicted)


def test_without_a_hierarchy_f1_is_accuracy_and_numbers_are_labels():
    rng = np.random.RandomState(3)
    truth, predicted = rng.randint(0, 5, 100), rng.randint(0, 5, 100)
    expected = sklearn.metrics.accuracy_score(truth, predicted)
    assert metrics.hierarchical_f1(truth, predicted) == pytest.approx(expected)
    assert metrics.accuracy(truth, predicted.astype(str)) == expected
    assert metrics.accuracy(truth.tolist(), predicted.reshape(-1, 1)) == expected


def test_all_layouts_of_labels_mean_the_same():
    truth, predicted = labels(4, names=["a/b/c", "a/b", "a/d", "e"])
    values = dict(evaluate(truth, predicted, path_separator="/"))
    as_rows = [[[*label.split("/"), "", ""][:3] for label in column] for column in (truth, predicted)]
    as_arrays = [np.array(rows, dtype=object) for rows in as_rows]
    for given in (as_arrays, [pandas.DataFrame(rows) for rows in as_arrays]):
        assert dict(evaluate(*given)) == values
    taxonomy = ["a/b/c", "a/b", "a/d", "e"]
    as_lists = [[[label] for label in column] for column in (truth, predicted)]
    for given in ((truth, predicted), as_lists, (truth, as_lists[1]), ([{label} for label in truth], predicted)):
        assert dict(evaluate(*given, taxonomy=taxonomy)) == values
    narrow = np.array([[row[0]] for row in as_arrays[1]], dtype=object)  # predictions that stop at the first level
    expected = evaluate(truth, [label.split("/")[0] for label in predicted], path_separator="/")
    assert dict(evaluate(as_arrays[0], narrow)) == dict(expected)


def test_matrices_of_zeros_and_ones_are_sets():
    truth, predicted = label_sets(12, Taxonomy.flat(LEAVES))
    both = [np.array([[int(leaf in row) for leaf in LEAVES] for row in rows]) for rows in (truth, predicted)]
    expected = dict(evaluate([set(row) for row in truth], [set(row) for row in predicted], taxonomy=ANIMALS))
    frames = [pandas.DataFrame(matrix, columns=LEAVES) for matrix in both]
    # Arrays have the columns of the frame beside them.
    sparse = scipy.sparse.csr_matrix(both[1])
    for given in ((frames[0], both[1]), (frames[0], sparse), frames, (frames[0], predicted)):
        found = dict(evaluate(*given, taxonomy=ANIMALS))
        assert found["hierarchical_f1"] == expected["hierarchical_f1"] and found["accuracy"] == expected["accuracy"]


def written(tmp_path, taxonomy, truth, predicted, scores=None):
    """The same labels as files of the command line."""
    taxonomy.write(tmp_path / "tree.csv")
    rows = [f"s{k},0,{';'.join(np.atleast_1d(t))}" for k, t in enumerate(truth)]
    (tmp_path / "data.csv").write_text("sample,x,label\n" + "\n".join(rows) + "\n")
    lines = ["sample,rank,label" + (",score" if scores is not None else "")]
    for k, given in enumerate(predicted):
        for rank, label in enumerate(np.atleast_1d(given)):
            score = f",{np.atleast_1d(scores[k])[rank]!r}" if scores is not None else ""
            lines.append(f"s{k},{rank + 1},{label}{score}")
    (tmp_path / "answers.csv").write_text("\n".join(lines) + "\n")
    files = {name: tmp_path / name for name in ("data.csv", "answers.csv", "tree.csv")}
    return "evaluate", files["data.csv"], "--predictions", files["answers.csv"], "--taxonomy", files["tree.csv"]


@pytest.mark.parametrize("taxonomy", [ANIMALS, DAG], ids=["tree", "DAG"])
def test_the_command_line_finds_the_same(tmp_path, taxonomy):
    truth, predicted = labels(5, 80, taxonomy.names[1:])
    scores = np.random.RandomState(5).rand(80)
    command = written(tmp_path, taxonomy, truth, predicted, scores)
    found = evaluate(truth, predicted, taxonomy=taxonomy, scores=scores, bootstrap=True, resamples=50, random_state=1)
    assert found.report == run_json(*command, "--breakdown", "--bootstrap", "--resamples", "50")
    folds = np.arange(80) % 3
    (tmp_path / "folds.txt").write_text("\n".join(map(str, folds)) + "\n")
    options = {"folds": folds, "breakdown": False, "protocol": "published"}
    with_folds = evaluate(truth, predicted, taxonomy=taxonomy, scores=scores, **options)
    assert with_folds.report == run_json(*command, "--fold-file", tmp_path / "folds.txt", "--protocol", "published")


def test_rankings_are_those_of_the_command_line(tmp_path):
    truth, _ = label_sets(6, ANIMALS)
    rng = np.random.RandomState(6)
    ranked = [list(rng.permutation(ANIMALS.names[1:])) for _ in truth]
    command = written(tmp_path, ANIMALS, truth, ranked)
    found = run_json(*command)
    for name in _core.measures():
        if name["name"].startswith("au_prc"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            value = getattr(metrics, name["name"])(truth, ranked, taxonomy=ANIMALS)
        assert found[name["name"]] == (None if np.isnan(value) else value)
    # Scores order labels that stand in another order.
    scores = [rng.permutation(len(ANIMALS) - 1) for _ in truth]
    shuffled = [[row[len(row) - 1 - score] for score in own] for row, own in zip(ranked, scores)]
    expected = metrics.average_precision(truth, ranked, taxonomy=ANIMALS)
    assert metrics.average_precision(truth, shuffled, taxonomy=ANIMALS, scores=scores) == expected


def test_scores_of_all_classes_are_ranked_as_scikit_learn_ranks_them():
    rng = np.random.RandomState(7)
    classes = list("abcde")
    truth = [list(rng.choice(classes, rng.randint(1, 4), replace=False)) for _ in range(50)]
    scores = rng.rand(50, 5)
    positives = np.array([[name in row for name in classes] for row in truth])
    found = evaluate(truth, scores=scores, classes=classes)
    precision = sklearn.metrics.label_ranking_average_precision_score(positives, scores)
    assert found.average_precision == pytest.approx(precision)
    assert found.ranking_loss == pytest.approx(sklearn.metrics.label_ranking_loss(positives, scores))
    assert found.coverage_error == pytest.approx(sklearn.metrics.coverage_error(positives, scores))
    single = rng.randint(0, 5, 50)
    assert metrics.recall_at_3(single, scores=scores, classes=range(5)) == pytest.approx(
        sklearn.metrics.top_k_accuracy_score(single, scores, k=3)
    )
    rows = np.array([["a", "b"], ["a", "c"], ["d", ""]], dtype=object)
    assert metrics.one_accuracy(rows, scores=np.eye(3), classes=["a/b", "a/c", "d"]) == 1


def test_scores_of_all_nodes_are_measured_as_a_models():
    data = _core.synthetic_data({"samples": "150", "features": "12"}, settings())
    recipe = _core.Recipe("top-down-logistic", {}, None, None, "", "error", {})
    model = _core.train(data, recipe, np.zeros(0), "", False, settings())
    scores = _core.node_scores(model, data, {}, settings())
    expected = clade.Model(model).evaluate(clade.Dataset._of(data)).report
    taxonomy = Taxonomy.of(data.taxonomy)
    offsets, nodes = data.labels()[:2]
    truth = [[taxonomy.names[node] for node in nodes[a:b]] for a, b in zip(offsets, offsets[1:])]
    for name in ("au_prc", "au_prc_clus", "au_prc_macro", "au_prc_weighted"):
        assert getattr(metrics, name)(truth, scores[:, : len(taxonomy)], taxonomy=taxonomy) == expected[name]
    found = evaluate(truth, truth, taxonomy=taxonomy, node_scores=scores[:, : len(taxonomy)], label_set="all")
    assert found.au_prc == expected["au_prc"] and found.accuracy == 1
    curve = found.precision_recall_curve
    assert len(curve) > 10 and (np.diff(curve.recall) >= 0).all()
    with pytest.raises(InputError, match="expected a row per sample and a column per node"):
        metrics.au_prc(truth, scores[:, :3], taxonomy=taxonomy)
    with pytest.raises(InputError, match="not finite"):
        metrics.au_prc(truth, np.where(scores[:, : len(taxonomy)] > 0.5, np.nan, 0.0), taxonomy=taxonomy)


def test_empty_answers_are_the_root_and_samples_without_labels_are_left_out():
    found = evaluate([["cat"], ["dog"], []], [[], ["dog"], ["cat"]], taxonomy=ANIMALS)
    assert found.samples == 2 and found.accuracy == 0.5
    assert found.hierarchical_precision == 1 and found.hierarchical_recall == 0.5
    assert any("1" in note for note in found.notes)
    for answer in ("(root)", []):
        assert evaluate([["cat"]], [np.atleast_1d(answer).tolist()], taxonomy=ANIMALS).tie == 2


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: metrics.tie(["cat"], ["cat", "dog"], taxonomy=ANIMALS), "2 predictions for 1 samples"),
        (lambda: metrics.tie(["cat"], ["unicorn"], taxonomy=ANIMALS), "label 'unicorn' is not in the taxonomy"),
        (lambda: metrics.tie(["cat"]), "no predicted labels"),
        (lambda: metrics.tie([], []), "no sample has a label"),
        (lambda: metrics.tie(np.array([["a", "b"]]), ["a"]), "labels as levels and as names"),
        (lambda: evaluate(["a"], ["a"], scores=[float("nan")]), "not finite"),
        (lambda: evaluate(["a"], [["a"]], scores=[[1, 2]]), "sample 0 has 2 for 1 labels"),
        (lambda: evaluate(["a"], scores=[[1, 2]], classes=["a", "a"]), "a class stands twice"),
        (lambda: evaluate(["a"], scores=[[1]], classes=["a", "b"]), r"shape \(1, 1\)"),
        (lambda: evaluate(["a"], ["a"], average="none"), "average"),
        (lambda: evaluate(["a"], ["a"], folds=[-1]), "fold"),
        (lambda: metrics.Scorer("f2"), "no measure 'f2'"),
    ],
)
def test_wrong_input_is_refused_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_a_measure_that_does_not_apply_is_nan_with_a_warning():
    with pytest.warns(UndefinedMetricWarning, match="average_precision does not apply"):
        assert np.isnan(metrics.average_precision(["a", "b"], ["a", "a"]))
    found = evaluate(["a", "b"], ["a", "a"])
    assert "average_precision" not in found and np.isnan(found.average_precision)
    with pytest.raises(AttributeError, match="no measure 'f2'"):
        found.f2


def test_the_evaluation_is_a_mapping_with_frames():
    truth, predicted = labels(8)
    scores = np.random.RandomState(8).rand(200)
    found = evaluate(truth, predicted, taxonomy=ANIMALS, scores=scores, bootstrap=True, resamples=20)
    frame = found.to_frame()
    assert frame.loc["tie", "value"] == found["tie"] == found.tie and frame.loc["tie", "better"] == "lower"
    assert found.intervals["tie"] == (frame.loc["tie", "low"], frame.loc["tie", "high"])
    assert found.levels.level.tolist() == list(range(1, ANIMALS.n_levels))
    nodes = found.nodes.set_index("node")
    assert nodes.index.tolist() == ANIMALS.names
    assert nodes.loc["cat", "support"] == (truth == "cat").sum()
    bins = found.reliability_bins
    assert bins.samples.sum() == 200 and 0 < found.reliability["brier_score"] < 1
    places = np.minimum((scores * 15).astype(int), 14)
    assert bins.samples.tolist() == [int((places == b).sum()) for b in range(15) if (places == b).any()]
    assert set(found.confusions.columns) >= {"true", "predicted", "count", "distance", "cost"}
    assert found.coverage.coverage.iloc[-1] == 1
    assert "hierarchical_f1" in str(found) and "<table>" in found._repr_html_()
    back = pickle.loads(pickle.dumps(found))
    assert dict(back) == dict(found) and back.text == found.text
    with pytest.raises(ValueError, match="breakdown=True"):
        evaluate(truth, predicted, breakdown=False).levels


def test_every_measure_has_a_function_and_functions_can_be_pickled():
    assert metrics.measures().index.tolist() == [measure["name"] for measure in _core.measures()]
    for measure in _core.measures():
        function = getattr(metrics, measure["name"])
        assert pickle.loads(pickle.dumps(function)) is function and function.__name__ in metrics.__all__
        assert measure["help"][1:] in function.__doc__


def test_scorers_choose_among_parameters():
    rng = np.random.RandomState(9)
    y = LEAVES[rng.randint(0, len(LEAVES), 150)]
    X = rng.randn(150, 4) + np.array([ANIMALS.index(label) for label in y])[:, None] * 0.4
    folds = [(np.arange(150)[np.arange(150) % 3 != k], np.arange(150)[np.arange(150) % 3 == k]) for k in range(3)]
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        {"kneighborsclassifier__n_neighbors": [1, 7]},
        scoring={"f1": metrics.hierarchical_f1_scorer(ANIMALS), "distance": metrics.tie_scorer(ANIMALS)},
        refit="f1",
        cv=folds,
    ).fit(X, y)
    for column, measure, sign in (("f1", metrics.hierarchical_f1, 1), ("distance", metrics.tie, -1)):
        by_hand = []
        for train, test in folds:
            model = make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors=7)).fit(X[train], y[train])
            by_hand.append(sign * measure(y[test], model.predict(X[test]), taxonomy=ANIMALS))
        assert search.cv_results_[f"mean_test_{column}"][1] == pytest.approx(np.mean(by_hand))
    scorer = pickle.loads(pickle.dumps(metrics.Scorer("f_lca", ANIMALS, average="samples")))
    assert scorer(search, X, y) == metrics.f_lca(y, search.predict(X), taxonomy=ANIMALS, average="samples")
    scores = cross_validate(KNeighborsClassifier(), X, y, scoring=metrics.hierarchical_recall_scorer(ANIMALS), cv=folds)
    assert len(scores["test_score"]) == 3


def test_a_scorer_asks_the_estimator_for_its_hierarchy():
    class Told(KNeighborsClassifier):
        def __init__(self, taxonomy=None, n_neighbors=5):
            super().__init__(n_neighbors=n_neighbors)
            self.taxonomy = taxonomy

    X, y = np.arange(12.0)[:, None], LEAVES[np.arange(12) % len(LEAVES)]
    model = Told(ANIMALS).fit(X, y)
    expected = -metrics.tie(y, model.predict(X), taxonomy=ANIMALS)
    assert metrics.tie_scorer()(model, X, y) == expected != -metrics.tie(y, model.predict(X))
    steps = make_pipeline(StandardScaler(), Told(ANIMALS)).fit(X, y)
    assert metrics.tie_scorer()(steps, X, y) == pytest.approx(expected)


def test_clusterings():
    rng = np.random.RandomState(10)
    truth, clusters = rng.randint(0, 4, 100), rng.randint(0, 5, 100)
    expected = sklearn.metrics.normalized_mutual_info_score(truth, clusters, average_method="geometric")
    assert metrics.normalized_mutual_information(truth, clusters) == pytest.approx(expected)
    table = sklearn.metrics.confusion_matrix(truth, clusters)
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(-table)
    assert metrics.clustering_accuracy(truth.astype(str), clusters) == pytest.approx(table[rows, columns].sum() / 100)


def test_scorers_take_levels_and_sets():
    rng = np.random.RandomState(3)
    X = rng.rand(60, 4)
    levels = np.array([["a", "b"], ["a", "c"], ["d", "e"], ["d", "f"]])[rng.randint(4, size=60)]
    model = clade.TopDownSVM(label_layout="levels")
    expected = []
    for train, test in KFold(3).split(X):
        answers = model.fit(X[train], levels[train]).predict(X[test])
        expected.append((answers == levels[test]).all(axis=1).mean())
    for y in (levels, levels.tolist()):  # lists of lists would be sets, had the estimator not said what they are
        found = cross_validate(model, X, y, cv=KFold(3), scoring=metrics.Scorer("accuracy"))["test_score"]
        assert found == pytest.approx(expected)
    sets = [["b", "e"] if k % 2 else ["c"] for k in range(60)]
    estimator = clade.KernelRidgeClassifier(taxonomy={"a": ["b", "c"], "d": ["e", "f"]})
    scores = cross_validate(estimator, X, sets, cv=KFold(3), scoring=metrics.hierarchical_f1_scorer())["test_score"]
    assert np.isfinite(scores).all()


def test_pictures_take_a_figure_that_is_empty():
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from clade import plots

    plt.close("all")
    figure = plt.figure(figsize=(3, 2))
    assert plots.convergence([3.0, 2.0]).figure is figure and plt.get_fignums() == [figure.number]
    assert plots.convergence([3.0, 2.0]).figure is not figure  # nothing is drawn over another picture
    plt.figure()
    left = plt.subplot(1, 2, 1)
    assert plots.convergence([3.0, 2.0]) is left
    right = plt.subplot(1, 2, 2)
    assert plots.taxonomy(ANIMALS) is right and len(plt.get_fignums()) == 3
    plt.close("all")


def test_pictures_show_the_numbers():
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from clade import plots

    truth, predicted = labels(11)
    found = evaluate(truth, predicted, taxonomy=ANIMALS, scores=np.random.RandomState(1).rand(200))
    figure, axes = plt.subplots(2, 3)
    plots.confusion_matrix(truth, predicted, ANIMALS, ax=axes[0, 0])
    tops = ANIMALS.children(ANIMALS.root)
    top = {name: top for top in tops for name in [top, *ANIMALS.descendants(top)]}
    expected = sklearn.metrics.confusion_matrix([top[t] for t in truth], [top[p] for p in predicted], labels=tops)
    assert [int(text.get_text()) for text in axes[0, 0].texts] == expected.ravel().tolist()
    assert [tick.get_text() for tick in axes[0, 0].get_yticklabels()] == tops
    plots.confusion_matrix(truth, predicted, ANIMALS, node="duck", normalize=True, ax=axes[0, 1])
    assert [tick.get_text() for tick in axes[0, 1].get_xticklabels()] == ["mallard", "teal", "(elsewhere)"]
    plots.level_scores({"one": found, "two": found}, measure="recall", ax=axes[0, 2])
    assert [bar.get_height() for bar in axes[0, 2].patches] == 2 * found.levels.recall.tolist()
    plots.reliability(found, ax=axes[1, 0])
    assert axes[1, 0].lines[1].get_ydata().tolist() == found.reliability_bins.right.tolist()
    plots.taxonomy(ANIMALS, values=found.nodes.set_index("node").f1, ax=axes[1, 1])
    assert {text.get_text() for text in axes[1, 1].texts} == set(ANIMALS)
    plots.convergence([3.0, 2.0, 1.0], log=True, ax=axes[1, 2])
    assert axes[1, 2].lines[0].get_ydata().tolist() == [2, 1]
    figure.canvas.draw()
    plt.close("all")
    with pytest.raises(ValueError, match="no probabilities"):
        plots.reliability(evaluate(truth, predicted))
    with pytest.raises(ValueError, match="is a leaf"):
        plots.confusion_matrix(truth, predicted, ANIMALS, node="cat")
    with pytest.raises(ValueError, match="expected at most 300"):
        plots.taxonomy([f"c{k}" for k in range(400)])


def test_pictures_say_that_matplotlib_is_missing(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pictures: the package matplotlib is missing"):
        clade.plots.convergence([1.0])
