"""Selectors in Python: the same rankings as those of the command line, and scikit-learn's conventions."""

import json
import pickle
import warnings

import clade
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from clade import _core
from clade_tool import run
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

METHODS = [entry["name"] for entry in json.loads(_core.selectors())]
CLASSES = {kind._method: kind for kind in (getattr(clade, name) for name in clade.selectors.__all__)}
UNSUPERVISED = ("hufs", "eufs", "laplacian", "mcfs", "ndfs", "rufs")
# What small data need: groups of features, leaves of few samples, weak penalties.
KEYWORDS = {
    "hufs": {"feature_tree": clade.FeatureTree(depth=1)},
    "forest": {"min_leaf": 1},
    "hfsdk": {"lambda_": 0.001},
}

PATHS = ["a/b/x", "a/b/y", "a/c", "d/e", "d/f", "d", "g"]  # 'd' has samples of its own


def make_selector(method, **keywords):
    return CLASSES[method](**{**KEYWORDS.get(method, {}), **keywords})


@pytest.fixture(scope="module")
def dense():
    rng = np.random.default_rng(7)
    code = np.arange(84) % len(PATHS)
    values = rng.normal(size=(84, 9)) + np.outer(code, rng.normal(size=9))
    frame = pd.DataFrame(values, columns=[f"feature {k}" for k in range(9)])
    return frame, np.array(PATHS)[code]


@pytest.fixture(scope="module")
def files(dense, tmp_path_factory):
    """The same samples for the command line: a table, and sparse rows with a hierarchy of numbered classes."""
    folder = tmp_path_factory.mktemp("selectors")
    frame, labels = dense
    frame.assign(label=labels).to_csv(folder / "dense.csv", index=False, float_format="%.17g")
    rng = np.random.default_rng(8)
    classes = np.arange(90) % 6
    values = rng.random((90, 12)) + classes[:, None] * rng.random(12)
    values[rng.random((90, 12)) < 0.5] = 0
    values[0, 11] = 1.5  # the file has as many features as the largest number in it
    sparse = scipy.sparse.csr_matrix(values)
    rows = [zip(row.indices.tolist(), row.data.tolist()) for row in sparse]
    lines = [f"{label} " + " ".join(f"{k + 1}:{v!r}" for k, v in row) for label, row in zip(classes, rows)]
    (folder / "sparse.svm").write_text("\n".join(lines) + "\n")
    edges = [("root", 10), ("root", 11), ("root", 5), (10, 0), (10, 1), (10, 12), (12, 2), (12, 3), (11, 4), (11, 13)]
    edges += [(13, 6), (13, 7)]
    (folder / "tree.csv").write_text("child,parent\n" + "".join(f"{child},{parent}\n" for parent, child in edges))
    clade.FeatureTree(depth=2).fit(frame).write(folder / "dense-features.json")
    clade.FeatureTree(depth=2).fit(sparse).write(folder / "sparse-features.json")
    return folder, sparse, classes


def as_flags(method, keywords):
    flags = ["--method", method]
    for name, value in keywords.items():
        flags += [f"--{name.rstrip('_').replace('_', '-')}", str(value)]
    return flags


@pytest.mark.parametrize("method", METHODS)
def test_the_file_of_the_command_line(method, dense, files, tmp_path):
    folder, sparse, classes = files
    frame, labels = dense
    kinds = {
        "dense": (frame, labels, ["dense.csv"], {}),
        "sparse": (sparse, classes, ["sparse.svm", "--taxonomy", "tree.csv"], {"taxonomy": str(folder / "tree.csv")}),
    }
    for kind, (X, y, source, hierarchy) in kinds.items():
        keywords = dict(KEYWORDS.get(method, {}))
        if method == "hufs":
            keywords["feature_tree"] = f"{kind}-features.json"
        seed = 1 if kind == "dense" else 5
        flags = as_flags(method, keywords)
        run("select", *source, *flags, "--seed", seed, "-o", tmp_path / f"{kind}.json", cwd=folder)
        run("select", *source, *flags, "--seed", seed, "--top", 4, "-o", tmp_path / f"{kind}.csv", cwd=folder)
        for top, ending in ((None, "json"), (4, "csv")):
            keep = {"feature_tree": str(folder / keywords["feature_tree"])} if method == "hufs" else {}
            selector = CLASSES[method](**{**keywords, **keep, **hierarchy}, top=top, random_state=seed)
            ours = tmp_path / f"{kind}-python.{ending}"
            selector.fit(X, y).ranking_.write(ours)
            text = ours.read_text().replace(f"{folder}/", "")  # of the feature tree
            assert text == (tmp_path / f"{kind}.{ending}").read_text()


def test_options_and_tuning_of_the_command_line(dense, files, tmp_path):
    folder, _, _ = files
    frame, labels = dense
    cases = [
        ("hirr-fam", {"alpha": 0.5, "lambda_": 2, "start": "random", "nodes": ["a", "d"], "bias": True}, 3),
        ("hier-fs", {"solver": "exact", "scale": "standard", "memory": "1G"}, 1),
        ("lccshfs", {"output_common": True, "top": "30%"}, 1),
        ("mcfs", {"tune": "stability", "grid": {"nonzeros": [2, 3]}, "clusters": 3}, 2),
        ("hier-fisher", {"allow_zero_weights": True, "scale": "minmax"}, 1),
    ]
    for number, (method, keywords, seed) in enumerate(cases):
        flags = ["--method", method]
        for name, value in keywords.items():
            if value is True:
                flags.append(f"--{name.replace('_', '-')}")
                continue
            shown = {"nodes": "a,d", "grid": "nonzeros=2,3"}.get(name, value)
            flags += [f"--{name.rstrip('_').replace('_', '-')}", shown]
        theirs, ours = tmp_path / f"{number}.json", tmp_path / f"{number}-python.json"
        run("select", folder / "dense.csv", *flags, "--seed", seed, "-o", theirs)
        ranking = CLASSES[method](**keywords, random_state=seed).fit(frame, labels).ranking_
        ranking.write(ours)
        assert ours.read_text() == theirs.read_text()
        assert clade.FeatureRanking.read(theirs) == ranking
    assert ranking.gap is None
    exact = CLASSES["hier-fs"](solver="exact").fit(frame, labels).ranking_
    assert exact.gap is not None and exact.gap >= 0 and len(exact.objective) > 0


@pytest.mark.parametrize("method", METHODS)
def test_conventions_of_scikit_learn(method):
    # Two features cannot be arranged in groups.
    skipped = {"check_estimators_fit_returns_self", "check_estimators_overwrite_params", "check_fit_idempotent"}
    skipped |= {"check_fit_check_is_fitted", "check_n_features_in"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for estimator, check in check_estimator(make_selector(method), generate_only=True):
            if method != "hufs" or check.func.__name__ not in skipped:
                check(estimator)


@pytest.mark.parametrize("method", METHODS)
def test_clones_pickles_and_sees_the_same_in_every_form(method, dense):
    frame, labels = dense
    selector = make_selector(method, n_features_to_select=3, random_state=4)
    other = clone(selector)
    values = frame.to_numpy()
    reference = selector.fit(values, labels)
    assert reference.transform(values).shape == (84, 3)
    fortran = clone(selector).fit(np.asfortranarray(values), labels)
    assert fortran.ranking_ == reference.ranking_
    again = pickle.loads(pickle.dumps(reference))
    assert again.ranking_ == reference.ranking_ and np.array_equal(again.transform(values), reference.transform(values))
    # Threads change nothing, and floats only what they cannot hold.
    assert other.set_params(n_jobs=2).fit(values, labels).ranking_ == reference.ranking_
    narrow = clone(selector).fit(values.astype(np.float32), labels)
    wide = clone(selector).fit(values.astype(np.float32).astype(np.float64), labels)
    for node in narrow.ranking_:
        np.testing.assert_allclose(narrow.ranking_.scores(node), wide.ranking_.scores(node), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("method", UNSUPERVISED)
def test_no_labels_needed(method, dense):
    frame, labels = dense
    keywords = {} if method == "laplacian" else {"clusters": 4}
    blind = make_selector(method, **keywords, n_features_to_select="30%").fit(frame)
    seeing = make_selector(method, **keywords, n_features_to_select="30%").fit(frame, labels)
    assert blind.ranking_ == seeing.ranking_
    assert list(blind.ranking_) == ["*"] and blind.get_support().sum() == 3
    assert not blind._get_tags()["requires_y"]


def test_labels_needed(dense):
    with pytest.raises(ValueError, match="requires y to be passed"):
        clade.HierFsSelector().fit(dense[0])
    assert clade.HierFsSelector()._get_tags()["requires_y"]


def test_which_features_are_kept(dense):
    frame, labels = dense
    whole = clade.HierFisherSelector().fit(frame, labels)
    assert whole.get_support().all()
    ranking = whole.ranking_
    assert list(ranking) == ["(root)", "a", "d", "a/b"]
    best = [set(ranking[node].features[:2]) for node in ranking]
    union = clade.HierFisherSelector(top=2).fit(frame, labels)
    assert set(union.get_support(indices=True)) == set.union(*best)
    assert union.ranking_ == ranking.top(2)
    one = clade.HierFisherSelector(top=2, node="d").fit(frame, labels)
    assert set(one.get_support(indices=True)) == set(ranking["d"].features[:2])
    np.testing.assert_array_equal(one.scores_, union.ranking_.scores("d"))
    # Round after round over the nodes, until there are enough.
    expected = []
    for place in range(frame.shape[1]):
        expected += [node.features[place] for node in ranking.values()]
    for count in range(1, 10):
        kept = clade.HierFisherSelector(n_features_to_select=count).fit(frame, labels)
        assert set(kept.get_support(indices=True)) == set(list(dict.fromkeys(expected))[:count])
    np.testing.assert_allclose(np.sort(whole.scores_)[::-1], ranking.root.weights)
    for wrong in (0, 10, "110%", 1.5, "some"):
        with pytest.raises(clade.InputError):
            clade.HierFisherSelector(n_features_to_select=wrong).fit(frame, labels)


def test_names_frames_and_inverses(dense):
    frame, labels = dense
    selector = clade.FisherSelector(top=3).set_output(transform="pandas")
    small = selector.fit_transform(frame, labels)
    kept = selector.get_feature_names_out()
    assert list(small.columns) == list(kept) and small.equals(frame[list(kept)])
    assert set(selector.ranking_["*"].names) == set(kept)
    back = selector.inverse_transform(small.to_numpy())
    assert back.shape == frame.shape and np.array_equal(back[:, selector.get_support()], small)
    assert not back[:, ~selector.get_support()].any()
    sparse = scipy.sparse.csr_matrix(frame.to_numpy())
    thin = clade.FisherSelector(top=3).fit(sparse, labels)
    assert scipy.sparse.issparse(thin.transform(sparse))
    assert np.array_equal(thin.transform(sparse).toarray(), small)


def test_in_pipelines_and_grids(dense):
    frame, labels = dense
    pipeline = make_pipeline(clade.HirrFamSelector(), GaussianNB())
    grid = {"hirrfamselector__top": [1, 3, "50%"], "hirrfamselector__lambda_": [0.1, 10]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(frame, labels)
    assert len(search.cv_results_["params"]) == 6 and np.isfinite(search.cv_results_["mean_test_score"]).all()
    by_hand = clade.HirrFamSelector(**{k.split("__")[1]: v for k, v in search.best_params_.items()}).fit(frame, labels)
    assert by_hand.ranking_ == search.best_estimator_[0].ranking_


def test_selection_inside_a_classifier(dense):
    frame, labels = dense
    selector = clade.HierFisherSelector(top=4)
    inside = clade.TopDownSVM(select=selector).fit(frame, labels)
    ranking = clade.HierFisherSelector().fit(frame, labels).ranking_
    given = clade.TopDownSVM(features=ranking, top=4).fit(frame, labels)
    unpickled = clade.TopDownSVM(features=pickle.loads(pickle.dumps(ranking)), top=4).fit(frame, labels)
    assert np.array_equal(given.predict(frame), inside.predict(frame))
    assert np.array_equal(given.decision_function(frame), unpickled.decision_function(frame))
    with pytest.raises(clade.InputError, match="a ranking of 9 features, the data have 8"):
        clade.TopDownSVM(features=ranking).fit(frame.iloc[:, :8], labels)
    with pytest.raises(clade.InputError, match="which the hierarchy does not have"):
        clade.TopDownSVM(features=ranking).fit(frame, [label[0] for label in labels])


def test_rankings(dense, files, tmp_path):
    folder, _, _ = files
    frame, labels = dense
    run("select", folder / "dense.csv", "--method", "lccshfs", "--output-common", "-o", tmp_path / "theirs.json")
    ours = clade.LccshfsSelector(output_common=True).fit(frame, labels).ranking_
    read = clade.FeatureRanking.read(tmp_path / "theirs.json")
    assert read == ours and read != ours.top(2) and read.feature_names == list(frame.columns)
    content = json.loads((tmp_path / "theirs.json").read_text())
    for node in content["nodes"]:
        own = ours[node["node"]]
        assert own.features.tolist() == node["ranking"] and own.weights.tolist() == node["weight"]
        assert own.common.tolist() == node.get("common", [])
        assert (own.samples, own.children) == (node["samples"], node["children"])
        assert own.names == [frame.columns[k] for k in node["ranking"]]
    assert ours.objective.tolist() == content["objective"] and ours.parameters == content["parameters"]
    assert {**ours.to_dict(), "notes": 0, "seconds": 0} == {**content, "notes": 0, "seconds": 0}
    ours.write(tmp_path / "table.csv")
    table = pd.read_csv(tmp_path / "table.csv")
    pd.testing.assert_frame_equal(ours.to_frame()[["node", "rank", "feature", "weight"]], table)
    with pytest.raises(clade.Error, match="exists"):
        ours.write(tmp_path / "table.csv")
    ours.write(tmp_path / "table.csv", overwrite=True)
    # What Python wrote serves the command line.
    ours.write(tmp_path / "ours.json")
    done = run("train", folder / "dense.csv", "--classifier", "top-down-svm", "--features", tmp_path / "ours.json",
               "--top", 3, "-o", tmp_path / "model.clade")
    assert "model ->" in done.stdout
    assert "lccshfs" in run("info", tmp_path / "ours.json").stdout
    with pytest.raises(KeyError, match="no ranking of a node 'z'"):
        ours["z"]
    with pytest.raises(ValueError):
        ours.root.weights[0] = 3
    assert "a/b" in str(ours) and "<table>" in ours._repr_html_() and "lccshfs" in repr(ours)
    again = pickle.loads(pickle.dumps(ours))
    assert again == ours and again.notes == ours.notes and again.seconds == ours.seconds
    tuned = clade.McfsSelector(tune="stability", grid={"nonzeros": [2, 3]}, clusters=3).fit(frame).ranking_
    assert pickle.loads(pickle.dumps(tuned)).tuning == tuned.tuning and tuned.tuning["criterion"] == "stability"
    constrained = clade.EufsSelector(clusters=3).fit(frame).ranking_
    assert constrained.residuals and all(len(values) for values in constrained.residuals.values())
    assert pickle.loads(pickle.dumps(constrained)) == constrained


def test_wrong_ranking_files(tmp_path):
    bad = tmp_path / "ranking.json"
    for text in ("{", "{}", '{"features": ["a"], "nodes": [{"node": "*", "ranking": [1]}]}', '{"features": 3}',
                 '{"features": ["a"], "nodes": [{"node": "*", "ranking": [0]}], "tuning": {"criterion": "x"}}',
                 '{"features": ["a"], "nodes": [{"node": "*", "ranking": [0]}], "objective": ["x"]}'):
        bad.write_text(text)
        with pytest.raises(clade.InputError, match="ranking.json"):
            clade.FeatureRanking.read(bad)
    bad.write_text('{"features": ["a", "b"], "nodes": [{"node": "n", "ranking": [1]}, {"node": "n", "ranking": [0]}]}')
    assert len(clade.FeatureRanking.read(bad)) == 1


def test_messages_have_the_names_of_keywords(dense):
    frame, labels = dense
    with pytest.raises(clade.InputError, match="`lambda"):
        clade.HierFsSelector(lambda_=-1).fit(frame, labels)
    with pytest.raises(clade.InputError, match="no node 'z'"):
        clade.HierFsSelector(nodes=["z"]).fit(frame, labels)
    with pytest.raises(clade.InputError, match="leaf"):
        clade.HierFsSelector(nodes=["g"]).fit(frame, labels)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clade.HierFsSelector().fit(frame, labels[:-1])
    with pytest.raises(clade.InputError, match="feature_tree"):
        clade.HufsSelector().fit(frame)


def test_the_root_answers_to_its_name_whatever_is_ranked():
    rng = np.random.RandomState(0)
    X, y = rng.rand(40, 4), rng.choice(["b", "c", "e"], 40)
    tree = {"top": ["a", "e"], "a": ["b", "c"]}
    whole = clade.MrmrSelector(taxonomy=tree).fit(X, y).ranking_
    nodes = clade.HierFisherSelector(taxonomy=tree).fit(X, y).ranking_
    for ranking in (whole, nodes, pickle.loads(pickle.dumps(whole)), whole.top(2)):
        assert ranking["root"] is ranking["top"] is ranking.root
    assert list(whole) == ["*"] and list(nodes) == ["top", "a"]
    with pytest.raises(KeyError, match="no ranking of a node 'a'"):
        whole["a"]
    with pytest.raises(KeyError, match="no ranking of a node 'root'; expected one of a"):
        clade.HierFisherSelector(taxonomy=tree, nodes=["a"]).fit(X, y).ranking_["root"]
    chosen = clade.MrmrSelector(taxonomy=tree, node="top", n_features_to_select=2).fit(X, y)
    assert chosen.get_support(indices=True).tolist() == sorted(whole.root.features[:2].tolist())


def test_generated_from_the_table_of_methods(tmp_path):
    from clade import generate

    folder = tmp_path
    assert generate.main([str(folder)]) == 0
    assert (folder / "selectors.py").read_text() == open(clade.selectors.__file__, encoding="utf-8").read()
