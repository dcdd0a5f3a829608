"""Hierarchies of classes and of features, and clusters, in Python: the command line's, and scipy's."""

import json
import pickle

import clade
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from clade import _core
from clade_tool import attempt, run, run_json
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.metrics import normalized_mutual_info_score
from small_wordnet import write_wordnet

NAMES = ["ant", "bee", "cow", "dog", "elk", "fox", "gnu", "hen"]


@pytest.fixture(scope="module")
def animals(tmp_path_factory):
    """Eight classes in three groups, as a frame and as a file."""
    rng = np.random.default_rng(3)
    centres = np.repeat(rng.normal(size=(3, 6)) * 8, [3, 3, 2], axis=0) + rng.normal(size=(8, 6)) * 2
    code = np.arange(96) % 8
    frame = pd.DataFrame(centres[code] + rng.normal(size=(96, 6)), columns=[f"trait {k}" for k in range(6)])
    labels = np.array(NAMES)[code]
    path = tmp_path_factory.mktemp("animals") / "animals.csv"
    frame.assign(label=labels).to_csv(path, index=False, float_format="%.17g")
    return frame, labels, path


CASES = {
    "default": {},
    "complete": {"linkage": "complete", "levels": 3},
    "single": {"linkage": "single", "strict": True, "scale": "unit"},
    "kernel": {"kernel": "rbf", "gamma": 0.01},
    "kmeans": {"method": "kmeans", "branching": 3, "starts": 4},
    "balanced": {"method": "kmeans", "balanced": True},
    "wordnet": {"method": "wordnet"},
}


@pytest.mark.parametrize("case", CASES)
def test_the_taxonomy_of_the_command_line(case, animals, tmp_path):
    frame, labels, path = animals
    keywords = CASES[case]
    flags = []
    for name, value in keywords.items():
        flags += [f"--{name}"] if value is True else [f"--{name}", value]
    has_dendrogram = keywords.get("method", "agglomerative") == "agglomerative"
    extra = ["--dendrogram", "tree.json", "--picture", "tree.svg"] if has_dendrogram else []
    done = attempt("learn-taxonomy", path, *flags, *extra, "--seed", 5, "-o", "taxonomy.csv", cwd=tmp_path)
    if case == "wordnet" and done.returncode != 0:
        pytest.skip("no WordNet here")
    assert done.returncode == 0, done.stderr
    learner = clade.TaxonomyLearner(**keywords, random_state=5).fit(frame, labels)
    learner.taxonomy_.write(tmp_path / "ours.csv")
    assert (tmp_path / "ours.csv").read_text() == (tmp_path / "taxonomy.csv").read_text()
    assert sorted(learner.taxonomy_.leaves) == NAMES
    for name, classes in learner.clusters_.items():
        assert sorted(learner.taxonomy_.leaves_below(name)) == sorted(classes)
    if not has_dendrogram:
        with pytest.raises(clade.InputError, match="makes no dendrogram"):
            learner.to_svg()
        return
    learner.write_dendrogram(tmp_path / "ours.json")
    assert (tmp_path / "ours.json").read_text() == (tmp_path / "tree.json").read_text()
    assert learner.dendrogram_ == json.loads((tmp_path / "tree.json").read_text())
    theirs = (tmp_path / "tree.svg").read_text()
    ours = learner.to_svg(tmp_path / "ours.svg")
    assert ours.split("</text>", 1)[1] == theirs.split("</text>", 1)[1]  # the title comes before
    assert (tmp_path / "ours.svg").read_text() == learner.to_svg()


@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
def test_the_linkage_of_scipy(linkage, animals):
    frame, labels, _ = animals
    learner = clade.TaxonomyLearner(linkage=linkage).fit(frame, labels)
    centres = frame.groupby(labels).mean().loc[learner.classes_]
    assert hierarchy.is_valid_linkage(learner.linkage_)
    assert hierarchy.is_monotonic(learner.linkage_)
    # With the linear kernel, classes are as far apart as their means.
    expected = hierarchy.linkage(pdist(centres.to_numpy()), linkage)
    np.testing.assert_array_equal(learner.linkage_[:, 3], expected[:, 3])
    np.testing.assert_allclose(learner.linkage_[:, 2], expected[:, 2], rtol=1e-9)
    shown = hierarchy.dendrogram(learner.linkage_, labels=learner.classes_, no_plot=True)
    assert sorted(shown["ivl"]) == NAMES
    cut = hierarchy.fcluster(learner.linkage_, 3, "maxclust")
    assert [cut[k] for k in range(3)] == [cut[0]] * 3 and cut[6] == cut[7]


def test_taxonomy_learner_as_an_estimator(animals):
    frame, labels, _ = animals
    learner = clade.TaxonomyLearner(levels=2)
    assert clone(learner).get_params()["levels"] == 2
    taxonomy = learner.fit(frame, labels).taxonomy_
    again = pickle.loads(pickle.dumps(learner))
    assert again.taxonomy_ == taxonomy and again.to_svg() == learner.to_svg()
    assert learner.report().startswith("agglomerative on 96 samples x 6 features, 8 classes")
    sparse = clade.TaxonomyLearner(levels=2).fit(scipy.sparse.csr_matrix(frame.to_numpy()), labels)
    assert sparse.taxonomy_ == taxonomy
    other = clone(learner).fit(frame, labels).set_params(method="kmeans").fit(frame, labels)
    assert vars(other).keys() == vars(clade.TaxonomyLearner("kmeans", levels=2).fit(frame, labels)).keys()
    with pytest.raises(clade.InputError, match="branching"):
        clade.TaxonomyLearner(branching=3).fit(frame, labels)
    with pytest.raises(clade.InputError, match="`levels`: 20 levels of 8 classes"):
        clade.TaxonomyLearner(levels=20).fit(frame, labels)
    model = clade.TopDownSVM(taxonomy=taxonomy).fit(frame, labels)
    assert model.score(frame, labels) > 0.8


def test_all_parameters_of_all_methods():
    tables = {clade.TaxonomyLearner: _core.taxonomy_learners(), clade.FeatureTree: _core.feature_tree_methods()}
    for kind, table in tables.items():
        methods = json.loads(table)
        wanted = {parameter["name"].replace("-", "_") for method in methods for parameter in method["parameters"]}
        general = {"method", "scale", "memory", "taxonomy", "label_layout", "path_separator", "n_jobs", "random_state"}
        assert set(kind().get_params()) - general == wanted
        assert all(kind(entry["name"]).method in kind.__doc__ for entry in methods)


def test_feature_trees(animals, tmp_path):
    frame, _, path = animals
    run("feature-tree", path, "--method", "agglomerative", "--depth", 2, "-o", "theirs.json", cwd=tmp_path)
    tree = clade.FeatureTree(depth=2).fit(frame)
    tree.write(tmp_path / "ours.json")
    assert (tmp_path / "ours.json").read_text() == (tmp_path / "theirs.json").read_text()
    read = clade.FeatureTree.read(tmp_path / "theirs.json")
    assert read.tree_ == tree.tree_ == pickle.loads(pickle.dumps(tree)).tree_
    assert read.report() == tree.report() and "feature tree of 6 features" in tree.report()

    def features(group):
        return group["features"] + [feature for child in group["children"] for feature in features(child)]

    assert sorted(features(tree.tree_)) == list(range(6))
    assert tree.parents_[0] == -1 and len(tree.group_names_) == len(tree.parents_)
    pixels = clade.FeatureTree("spatial", height=4, width=4, pixels="rows").fit(np.ones((2, 16)))
    quarters = [sorted(features(child)) for child in pixels.tree_["children"]]
    assert sorted(quarters) == [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    with pytest.raises(clade.Error, match="exists"):
        tree.write(tmp_path / "ours.json")
    fitted = clade.HufsSelector(feature_tree=tree, clusters=3).fit(frame).ranking_
    by_file = clade.HufsSelector(feature_tree=tmp_path / "ours.json", clusters=3).fit(frame).ranking_
    np.testing.assert_array_equal(fitted.scores(), by_file.scores())


def test_clusters_of_the_command_line(animals, tmp_path):
    frame, labels, path = animals
    ranking = clade.FisherSelector().fit(frame, labels).ranking_
    ranking.write(tmp_path / "ranking.json")
    for keywords, flags in (
        ({}, []),
        ({"clusters": 3, "scale": "standard", "repeats": 4}, ["--clusters", 3, "--scale", "standard", "--repeats", 4]),
        ({"features": ranking, "top": "50%"}, ["--features", tmp_path / "ranking.json", "--top", "50%"]),
        ({"features": str(tmp_path / "ranking.json"), "top": 2}, ["--features", tmp_path / "ranking.json", "--top", 2]),
    ):
        theirs = run_json("cluster", path, *flags, "--seed", 6, "-o", tmp_path / "clusters.csv", "--force")
        ours = clade.cluster(frame, labels, **keywords, random_state=6)
        for key in ("accuracy", "accuracy_deviation", "nmi", "nmi_deviation", "objective", "sizes", "starts", "notes"):
            assert getattr(ours, key) == theirs[key]
        assert (ours.n_clusters, ours.n_features) == (theirs["clusters"], theirs["features"])
        written = pd.read_csv(tmp_path / "clusters.csv")["cluster"].to_numpy()
        np.testing.assert_array_equal(ours.labels, written)
        best = ours.starts[int(np.argmin([start["objective"] for start in ours.starts]))]
        nmi = normalized_mutual_info_score(labels, ours.labels, average_method="geometric")
        assert best["nmi"] == pytest.approx(nmi, abs=1e-12)
    sweep = clade.cluster_sweep(frame, labels, features=ranking, tops=[2, 4], random_state=6, repeats=3)
    flags = ["--features", tmp_path / "ranking.json", "--sweep", "2,4", "--seed", 6, "--repeats", 3]
    theirs = run_json("cluster", path, *flags)
    assert sweep["accuracy"].tolist() == [row["accuracy"] for row in theirs["sweep"]]


def test_clusters_without_classes(animals):
    frame, labels, _ = animals
    found = clade.cluster(frame, clusters=3)
    assert found.accuracy is None and found.nmi is None and sum(found.sizes) == 96
    assert found.notes == ["not every sample has one label: accuracy and NMI are not measured"]
    columns = clade.cluster(frame, labels, features=[4, 1])
    assert columns.n_features == 2 and "2 features" in repr(columns) and "<table>" in columns._repr_html_()
    masked = clade.cluster(frame, labels, features=np.array([False, True, False, False, True, False]))
    assert sorted(masked.sizes) == sorted(columns.sizes)
    for keywords, message in (
        ({}, "expected `clusters`"),
        ({"top": 3}, "expected `features`"),
        ({"clusters": 2, "features": [1, 2], "top": 3}, "3 features asked for of 2"),
        ({"clusters": 2, "features": [1, 2], "node": "a"}, "expected a ranking"),
    ):
        with pytest.raises(clade.InputError, match=message):
            clade.cluster(frame, **keywords)
    with pytest.raises(IndexError):
        clade.cluster(frame, clusters=2, features=[9])


def test_names_alone_make_a_taxonomy_by_wordnet(tmp_path):
    folder = write_wordnet(tmp_path / "wordnet")
    names = ["dog", "cat", "goose", "coin", "cash", "dog"]
    learners = [
        clade.TaxonomyLearner("wordnet", wordnet=str(folder)).fit(X, names)
        for X in (np.zeros((6, 2)), None, ["a text"] * 6, pd.DataFrame({"text": ["a text"] * 6}))
    ]
    assert {learner.taxonomy_ for learner in learners} == {learners[0].taxonomy_}
    assert learners[0].n_features_in_ == 2 and learners[0].taxonomy_.siblings("dog") == ["cat"]
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clade.TaxonomyLearner("wordnet", wordnet=str(folder)).fit(["a text"], names)


def test_a_feature_tree_shows_itself():
    tree = clade.FeatureTree("spatial", height=4, width=4)
    assert str(tree) == repr(tree) and "text/html" in tree._repr_mimebundle_()
    tree.fit(np.ones((3, 16)))
    assert str(tree) == tree.report() and "16 features" in tree._repr_mimebundle_()["text/html"]
