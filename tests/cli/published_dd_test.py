"""Published rows through the command line alone, and what classifiers reach on real data. Skipped without it (CLADE_DATA)."""

import json
import os

import pytest
from clade_tool import DATA, SOURCE, run, run_json

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data sets in {DATA}: set CLADE_DATA")

RANDOM_START = ["--as-published", "--start", "random"]
# Method, its arguments, hierarchical F1 and normalised tree-induced error of the ten folds of DD with 40 features per node.
ROWS = [
    ("hier-fs", RANDOM_START, 0.858424, 0.0850),
    ("hirr-fam", RANDOM_START, 0.860619, 0.0836),
    ("hirr-par", RANDOM_START, 0.858424, None),
    ("hier-fisher", [], 0.774135, 0.1355),
    ("hier-fsnm", ["--as-published"], 0.852395, 0.0886),
    ("hier-mrmr", ["--discretise", "round", "--criterion", "miq"], 0.846794, 0.0919),
]


def present(*paths):
    for path in paths:
        if not (DATA / path).exists():
            pytest.skip(f"no {path} in {DATA}")
    return [DATA / path for path in paths]


@pytest.mark.parametrize("method, arguments, f1, error", ROWS, ids=[row[0] for row in ROWS])
def test_the_published_row_of_dd(tmp_path, method, arguments, f1, error):
    train, test, folds = present("DD/DDTrain.mat", "DD/DDTest.mat", "folds/DD_test.csv")
    ranking = tmp_path / "ranking.json"
    run("select", train, "--method", method, *arguments, "--seed", 1148630569, "-o", ranking)
    found = run_json("evaluate", test, "--classifier", "top-down-svm", "--multiclass", "one-vs-one", "--scale", "none",
                     "--features", ranking, "--top", 40, "--fold-file", folds, "--protocol", "published")
    assert round(found["hierarchical_f1"], 6) == f1
    if error is not None:
        assert round(found["tie_normalized"], 4) == error


def test_the_published_row_of_dd_by_one_experiment(tmp_path, monkeypatch):
    present("DD/DDTrain.mat", "DD/DDTest.mat", "folds/DD_test.csv")
    monkeypatch.setenv("CLADE_DATA", str(DATA.resolve()))
    run("experiment", SOURCE / "experiments/hirr-tables-4-5.toml", "-o", tmp_path / "out", "--quiet")
    values = {(entry["method"].split("=")[-1], entry["measure"]): entry["mean"]
              for entry in json.loads((tmp_path / "out/summary.json").read_text())["values"]}
    for method, _, f1, error in ROWS:
        if (method, "hierarchical_f1") not in values:
            continue
        assert round(values[method, "hierarchical_f1"], 6) == f1, method
        assert round(values[method, "tie_normalized"], 4) == error, method
    assert len(values) == 2 * 6


@pytest.mark.parametrize("classifier, least", [("top-down-logistic", 0.79), ("path-svm", 0.83)])
def test_the_quality_on_imclef07a(tmp_path, classifier, least):
    if classifier == "path-svm" and "CLADE_FULL" not in os.environ:
        pytest.skip("half a minute: make test-full runs it")
    train, test = present("ImCLEF07A/ImCLEF07A_Train.arff", "ImCLEF07A/ImCLEF07A_Test.arff")
    run("train", train, "--classifier", classifier, "-o", tmp_path / "m.clade")
    assert run_json("evaluate", tmp_path / "m.clade", test)["hierarchical_f1"] >= least
