"""Experiments and diagnoses: the same numbers as the command line's, from files and from dicts, as frames."""

import pickle

import numpy as np
import pandas
import pytest
import scipy.sparse
from clade_tool import run, run_json

import clade
from clade import Experiment, InputError, Taxonomy, diagnose, estimate_experiment, run_experiment
from clade._toml import toml_text

STUDY = """
measures = ["accuracy", "tie"]
[[data]]
name = "one"
file = "one.arff"
folds = 3
[[data]]
name = "two"
file = "two.arff"
holdout = 0.3
repeats = 2
[[recipe]]
name = "svm"
classifier = "top-down-svm"
parameters = { c = [0.1, 1] }
[[recipe]]
name = "selected"
classifier = "flat-svm"
select = "hier-fisher"
top = 5
"""

SAME_STUDY = {
    "measures": ["accuracy", "tie"],
    "data": [
        {"name": "one", "file": "one.arff", "folds": 3},
        {"name": "two", "file": "two.arff", "holdout": np.float64(0.3), "repeats": np.int64(2)},
    ],
    "recipes": [
        {"name": "svm", "classifier": "top-down-svm", "parameters": {"c": [0.1, 1]}},
        {"name": "selected", "classifier": "flat-svm", "select": "hier-fisher", "top": 5},
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two data sets, an experiment file, and what the command line makes of it."""
    place = tmp_path_factory.mktemp("experiment")
    for name, seed in (("one", 1), ("two", 2)):
        shape = ("--samples", 90, "--features", 12, "--single-label", "--seed", seed)
        run("synth", "-o", place / f"{name}.arff", *shape)
    (place / "study.toml").write_text(STUDY)
    run("experiment", place / "study.toml", "-o", place / "expected", "--quiet")
    return place


def numbers(path):
    """results.csv without what a clock or the machine says."""
    return pandas.read_csv(path / "results.csv").drop(columns=["fit_seconds", "predict_seconds", "memory_mib"])


def test_an_experiment_file_gives_the_results_of_the_command_line(folder, tmp_path):
    found = run_experiment(folder / "study.toml", tmp_path / "found", n_jobs=1)
    pandas.testing.assert_frame_equal(numbers(tmp_path / "found"), numbers(folder / "expected"))
    assert found.outcome["cells"] == 9 and found.failures == [] and found.measures == ["accuracy", "tie"]
    assert len(found.results) == len(numbers(folder / "expected"))
    values = found.results.query("metric == 'tie' and dataset == 'one'").groupby("method").value.mean()
    assert found.table("tie")["one"].to_dict() == pytest.approx(values.to_dict())
    assert found.table().shape == (3, 2)
    assert set(found.values.columns) >= {"measure", "dataset", "method", "mean", "deviation", "best"}
    assert "average rank" in str(found) and repr(found).startswith("<Experiment of 9 cells")
    with pytest.raises(ValueError, match="no measure 'f1'.*expected one of accuracy, tie"):
        found.table("f1")


def test_a_dict_is_the_same_experiment_and_goes_on_where_it_stopped(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    found = run_experiment(SAME_STUDY, tmp_path / "found")
    pandas.testing.assert_frame_equal(numbers(tmp_path / "found"), numbers(folder / "expected"))
    again = run_experiment(SAME_STUDY, tmp_path / "found", resume=True)
    assert again.outcome["resumed"] == again.outcome["cells"] == found.outcome["cells"]
    with pytest.raises(InputError, match="not empty.*resume"):
        run_experiment(SAME_STUDY, tmp_path / "found")
    changed = {**SAME_STUDY, "seed": 5}
    with pytest.raises(InputError, match="seed|changed|experiment"):
        run_experiment(changed, tmp_path / "found", resume=True)


def test_dicts_become_toml_that_means_the_same():
    text = toml_text(
        {
            "seed": 3,
            "predictions": True,
            "evaluate": {"protocol": "published", "top_k": 2},
            "data": [{"name": 'a "b" \\ é', "file": "x", "note": None}],
            "recipe": [{"parameters": {"lambda_": [1e-9, 2.0], "x y": "z"}, "tune": {"parameters": {"c": (1, 2)}}}],
        }
    )
    tomllib = pytest.importorskip("tomllib")
    assert tomllib.loads(text) == {
        "seed": 3,
        "predictions": True,
        "evaluate": {"protocol": "published", "top-k": 2},
        "data": [{"name": 'a "b" \\ é', "file": "x"}],
        "recipe": [{"parameters": {"lambda": [1e-9, 2.0], "x y": "z"}, "tune": {"parameters": {"c": [1, 2]}}}],
    }
    with pytest.raises(TypeError, match="expected a text, a number"):
        toml_text({"x": object()})


def test_experiments_are_compared_and_reported_as_on_the_command_line(folder, tmp_path):
    found = Experiment(folder / "expected")
    expected = run_json("compare", folder / "expected", "--metric", "tie")
    assert found.compare("tie").report == clade.compare(found, "tie").report == expected
    page = found.report()
    run("report", folder / "expected", "-o", tmp_path / "page.html")
    page.write(tmp_path / "found.html")
    assert (tmp_path / "found.html").read_bytes() == (tmp_path / "page.html").read_bytes()
    shown = found._repr_html_()
    assert len(shown) < 5000 and "<iframe" not in shown and "selected" in shown and "tables.md" in shown
    assert page._repr_html_().startswith("<iframe srcdoc=")
    assert "Other title" in found.report("Other title", ["tie"]).html
    with pytest.raises(InputError, match="no results.csv; expected the folder of an experiment"):
        Experiment(tmp_path)


def test_estimates(folder):
    found = estimate_experiment(folder / "study.toml", n_jobs=1)
    assert len(found.cells) == 9 and found.threads == 1 and found.seconds > 0
    assert found.groups.cells.sum() == 9
    assert "_groups" not in repr(found) and repr(found).startswith("<Estimate: 9 cells, ")
    assert "on 1 thread<" in found._repr_html_() and "selected" in found._repr_html_()
    with pytest.raises(InputError, match="study.toml|no-such"):
        estimate_experiment(folder / "no-such.toml")


def test_a_cell_that_fails_is_listed(folder, tmp_path, caplog):
    recipe = {"name": "n", "classifier": "flat-svm", "select": "hier-fisher", "top": 500}
    found = run_experiment(
        {"data": [{"name": "one", "file": folder / "one.arff", "folds": 3}], "recipe": [recipe]}, tmp_path / "bad"
    )
    assert len(found.failures) == 1 and "500 features" in found.failures[0]["error"]
    assert "1 of the cells failed" in caplog.text and len(found.table()) == 0


@pytest.fixture(scope="module")
def wrong_hierarchy():
    """Samples whose classes lie on a line, and a hierarchy that puts one of them far from its neighbours."""
    rng = np.random.RandomState(0)
    classes = np.array(["a1", "a2", "a3", "b1", "b2", "b3"])
    y = classes[np.arange(360) % 6]
    places = {"a1": (0, 0), "a2": (0, 1.3), "a3": (0, 2.6), "b1": (6, 0), "b2": (6, 1.3), "b3": (6, 2.6)}
    X = np.array([places[label] for label in y]) + rng.randn(360, 2) * 0.7
    return X, y, Taxonomy.from_nested({"a": ["a1", "a2", "b1"], "b": ["a3", "b2", "b3"]})


def test_diagnoses_are_those_of_the_command_line(wrong_hierarchy, tmp_path):
    X, y, taxonomy = wrong_hierarchy
    frame = pandas.DataFrame(X, columns=["x", "y"]).assign(label=y)
    frame.to_csv(tmp_path / "data.csv", index=False)
    taxonomy.write(tmp_path / "tree.csv")
    options = ("--folds", 3, "--draws", 2, "--edits", 1, "--permutations", 99)
    better = tmp_path / "better.csv"
    expected = run_json("diagnose", tmp_path / "data.csv", "--taxonomy", tmp_path / "tree.csv", *options, "-o", better)
    how = {"folds": 3, "draws": 2, "edits": 1, "permutations": 99}
    from_file = diagnose(tmp_path / "data.csv", taxonomy=tmp_path / "tree.csv", **how)
    from_arrays = diagnose(X, y, taxonomy, **how)
    from_both = diagnose(tmp_path / "data.csv", taxonomy=taxonomy, **how)
    from_frame = diagnose(frame[["x", "y"]], frame.label, taxonomy.to_frame(), **how)
    core = clade._arrays.dataset_of(X, clade.labels.parse_labels(y, taxonomy._core))
    for found in (from_file, from_both, from_arrays, from_frame, diagnose(core, **how)):
        assert found.edited == Taxonomy.read(better)
        for part in ("hierarchies", "random", "nodes", "alike_siblings", "edits", "samples", "classifier", "centroids"):
            assert found.report[part] == expected[part], part
    found = from_arrays
    assert found.trials.hierarchy.tolist()[:2] == ["given", "flat"] and "gain_accuracy" in found.trials
    assert found.edits.accepted.sum() == sum(edit["accepted"] for edit in expected["edits"])
    assert found.random["draws"] == 2 and found.correlation == expected["centroids"]["correlation"]
    assert found.similarity.pairs.sum() == 15
    assert set(found.nodes.node) == {"(root)", "a", "b"}
    assert list(found.alike.columns[:3]) == ["first", "second", "parent"]
    assert "Does the hierarchy help?" in str(found) and "<pre" in found._repr_html_()
    assert pickle.loads(pickle.dumps(found)).edited == found.edited


def test_diagnoses_take_classifiers_sparse_data_and_missing_values(wrong_hierarchy):
    X, y, taxonomy = wrong_hierarchy
    how = {"folds": 2, "draws": 0, "edits": 0, "nodes": 0, "permutations": 9}
    named = {"classifier": "top-down-logistic", "parameters": {"c": 0.1}}
    by_name = diagnose(scipy.sparse.csr_matrix(X), y, taxonomy, **named, **how)
    assert by_name.report["classifier"].startswith("top-down-logistic")
    classifier = clade.TopDownLogisticClassifier(c=0.1)
    sparse = diagnose(scipy.sparse.csr_matrix(X), y, taxonomy, classifier=classifier, **how)
    assert sparse.report["hierarchies"] == by_name.report["hierarchies"]
    holes = X.copy()
    holes[::17, 0] = np.nan
    with pytest.raises(InputError, match="missing"):
        diagnose(holes, y, taxonomy, **how)
    assert diagnose(holes, y, taxonomy, missing="mean", **how).report["samples"] == 360


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(data=np.zeros((2, 2))), "expected y"),
        (dict(data=np.zeros((2, 2)), y=["a", "b"], label_column="x"), "'label_column' says how to read a file"),
        (dict(data=np.zeros((2, 2)), y=["a", "b"], classifier="no-such"), "no-such"),
        (dict(data=np.zeros((2, 2)), y=["a", "b"], classifier=object()), "no classifier of Clade"),
        (dict(data=np.zeros((2, 2)), y=["a", "b"], folds=1), "folds"),
        (dict(data="no-such.csv"), "no-such.csv"),
    ],
)
def test_wrong_requests_are_refused(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        diagnose(**arguments)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"recipes": [{"name": "a", "classifier": "path-svm", "c": 1}]}, r"^experiment\['recipes'\]\[0\]\['c'\]: no "),
        ({"recipes": [{"name": "a", "classifier": "path-svm", "parameters": {"zz": 1}}]}, r"\[0\]\['parameters'\]: "),
        ({"recipes": []}, "^experiment: no 'recipe'; expected one at least"),
        ({"zzz": 3}, r"^experiment\['zzz'\]: no key 'zzz'"),
        ({"data": [{"name": "x", "file": "no.arff"}]}, r"^experiment\['data'\]\[0\]\['file'\]: .*current folder"),
    ],
)
def test_errors_name_keys_of_the_dict_and_no_temporary_file(change, message, folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(InputError, match=message) as error:
        estimate_experiment({**SAME_STUDY, **change})
    assert "clade-" not in str(error.value) and ".toml" not in str(error.value)


def test_data_sets_come_in_a_list(folder):
    with pytest.raises(ValueError, match="no list of dicts; expected one dict per data set"):
        estimate_experiment({**SAME_STUDY, "data": SAME_STUDY["data"][0]})
    without = {key: value for key, value in SAME_STUDY.items() if key != "data"}
    with pytest.raises(InputError, match="^experiment: no 'data'; expected one at least"):
        estimate_experiment(without)
