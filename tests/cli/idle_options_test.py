"""Options that would have no effect are refused: they are a misunderstanding."""

import random

import pytest
from clade_tool import error_line, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("idle"), random.Random(4)
    leaves = ["p/x", "p/y", "q/z", "q/w"]
    rows = [[rng.gauss(k % 4, 1), rng.gauss(k % 2, 1), rng.random()] for k in range(60)]
    for name, label in {"d": lambda k: leaves[k % 4], "several": lambda k: ["x;y", "y", "z;x", "w"][k % 4]}.items():
        lines = [",".join(f"{v:.4f}" for v in row) + f",{label(k)}" for k, row in enumerate(rows)]
        (folder / f"{name}.csv").write_text("a,b,c,label\n" + "\n".join(lines) + "\n")
    run("train", folder / "d.csv", "--classifier", "top-down-logistic", "-o", folder / "m.clade")
    (folder / "clusters.csv").write_text("sample,cluster\n" + "".join(f"{k},{k % 4}\n" for k in range(60)))
    (folder / "p.csv").write_text("sample,label\n" + "".join(f"{k},{leaves[k % 4]}\n" for k in range(60)))
    (folder / "matrix.csv").write_text("")
    return folder


SVM = "--classifier hierarchical-svm"
# What has no effect, beside what, and what the line must name.
TRAIN = [
    ("--decide own --decide-for recall", "--decide-for has no effect with --decide own"),
    ("--decide own --decide-folds 4", "--decide-folds has no effect with --decide own"),
    ("--decide own --decide-for recall --least-precision 0.9", "--decide-for has no effect with --decide own"),
    ("--least-precision 0.9", "--least-precision has no effect"),
    ("--budget 5s", "--budget has no effect"),
    ("--conformal-by-class", "--conformal-by-class has no effect"),
    ("--select-parameters lambda=5", "--select-parameters has no effect"),
    ("--top 3", "--top has no effect"),
    ("--calibrate sigmoid", "--calibrate is a parameter of classifiers"),
    ("--classifier top-down-svm --calibration-folds 7", "--calibration-folds has no effect with --calibrate none"),
    ("--classifier top-down-svm --multiclass one-vs-one --loss hinge", "--loss has no effect with --multiclass one-vs-one"),
    ("--classifier top-down-svm --multiclass crammer-singer --loss hinge", "--loss has no effect with --multiclass crammer-singer"),
    ("--classifier top-down-svm --multiclass one-vs-one --bias 2", "--bias has no effect with --multiclass one-vs-one"),
    (f"{SVM} --c-folds 4", "--c-folds has no effect; expected --c-grid"),
    (f"{SVM} --c 1 --c-grid 1,2", "--c has no effect: --c-grid is used instead of it"),
    (f"{SVM} --degree 2", "--degree has no effect with --kernel linear; expected --kernel polynomial"),
    (f"{SVM} --coef0 2 --kernel rbf", "--coef0 has no effect with --kernel rbf"),
    (f"{SVM} --gamma 2", "--gamma has no effect with --kernel linear; expected --kernel polynomial, rbf, exponential"),
    (f"{SVM} --decay 0.3 --kernel rbf", "--decay has no effect with --kernel rbf"),
    (f"{SVM} --subsequence-length 3", "--subsequence-length has no effect"),
    (f"{SVM} --kernel-cache 9", "--kernel-cache has no effect with --kernel linear"),
    (f"{SVM} --bias 1 --kernel rbf", "--bias has no effect with a kernel"),
    (f"{SVM} --missed-cost 2", "--missed-cost has no effect with --loss tree"),
    (f"{SVM} --extra-cost 2", "--extra-cost has no effect with --loss tree"),
    (f"{SVM} --node-volumes matrix.csv", "--node-volumes has no effect"),
    (f"{SVM} --loss zero-one --loss-matrix matrix.csv", "--loss has no effect: --loss-matrix is used instead of it"),
    (f"{SVM} --attributes flat --class-attributes matrix.csv", "--attributes has no effect: --class-attributes is used"),
    (f"{SVM} --attributes flat --class-similarity matrix.csv", "--attributes has no effect: --class-similarity is used"),
]
PREDICT = [
    ("--set-size 2", "--set-size and --guarantee have no effect"),
    ("--guarantee correct", "--set-size and --guarantee have no effect"),
    ("--node-threshold 0.1", "--node-threshold and --consistency have no effect"),
    ("--consistency ancestors", "--node-threshold and --consistency have no effect"),
    ("--nodes --explain 1", "--nodes and --explain"),
    ("--nodes --levels", "--levels has no effect with --nodes"),
    ("--nodes --keep a", "--keep has no effect with --nodes"),
    ("--nodes --policy greedy", "--policy has no effect on the scores of all nodes"),
    ("--nodes --top-k 2", "--top-k has no effect on the scores of all nodes"),
    ("--nodes --confidence 0.5", "--confidence has no effect on the scores of all nodes"),
    ("--nodes --threshold 0.5", "--threshold has no effect on the scores of all nodes"),
    ("--nodes --beam 2", "--beam has no effect on the scores of all nodes"),
    ("--reasons 3", "--reasons has no effect"),
    ("--explain 1 --levels", "--to, --levels and --keep have no effect"),
    ("--explain 1 --to json-lines", "--to, --levels and --keep have no effect"),
    ("--explain 1 --keep a", "--to, --levels and --keep have no effect"),
    ("--force", "--force has no effect"),
    ("--force -o -", "--force has no effect"),
    ("--coverage 0.9 --policy best", "--policy has no effect on answers with a guarantee"),
    ("--coverage 0.9 --nodes", "--coverage with --nodes or --explain"),
    ("--top-k 2 --label-set top-1", "--top-k has no effect"),
    ("--top-k 2 --label-set threshold", "--top-k has no effect"),
    ("--policy greedy --beam 3", "--beam has no effect"),
]
EVALUATE = [
    ("m.clade d.csv --set-size 2", "--set-size and --guarantee have no effect"),
    ("m.clade d.csv --folds 3", "--folds has no effect"),
    ("m.clade d.csv --resamples 50", "--resamples has no effect; expected --bootstrap"),
    ("m.clade d.csv --confidence-level 0.9", "--confidence-level has no effect; expected --bootstrap"),
    ("m.clade d.csv --fold-average samples", "--fold-average has no effect"),
    ("m.clade d.csv --top-k 3", "--top-k has no effect"),
    ("m.clade d.csv --threshold 0.5", "--threshold has no effect"),
    ("m.clade d.csv --force", "--force has no effect"),
    ("m.clade d.csv --decide one", "--decide and --sample-weights concerns training"),
    ("d.csv --predictions p.csv --policy best", "--policy concerns models and has no effect"),
    ("d.csv --predictions p.csv --confidence 0.5", "--confidence concerns models and has no effect"),
    ("d.csv --predictions p.csv --align-features", "--align-features concerns models and has no effect"),
    ("d.csv --predictions p.csv --coverage 0.9", "--coverage concerns models"),
    ("d.csv --predictions p.csv --curve c.csv", "--curve needs scores of all nodes"),
    ("d.csv --predictions p.csv --exclude-nodes p", "--exclude-nodes and --node-measures concern"),
    ("d.csv --clusters clusters.csv --average macro", "--average has no effect on the measures of clusters"),
    ("d.csv --clusters clusters.csv --at 3", "--at has no effect on the measures of clusters"),
    ("d.csv --clusters clusters.csv --policy best", "--policy concerns models"),
    ("d.csv --clusters clusters.csv --bootstrap", "do not concern --clusters"),
    ("d.csv --classifier prior --folds 3 --align-features", "--align-features has no effect"),
    ("d.csv --classifier top-down-logistic --folds 3 --decide own --decide-folds 5", "--decide-folds has no effect"),
]


def refused(folder, words, expected):
    line = error_line(*words, cwd=folder)
    assert expected in line and "expected" in line, line


@pytest.mark.parametrize("options, expected", TRAIN)
def test_training(folder, tmp_path, options, expected):
    refused(folder, ["train", "d.csv", *options.split(), "-o", tmp_path / "m.clade"], expected)


@pytest.mark.parametrize("options, expected", PREDICT)
def test_prediction(folder, options, expected):
    refused(folder, ["predict", "m.clade", "d.csv", *options.split()], expected)


@pytest.mark.parametrize("options, expected", EVALUATE)
def test_measuring(folder, options, expected):
    refused(folder, ["evaluate", *options.split()], expected)


def test_a_text_has_no_bad_rows(folder):
    refused(folder, ["predict", "m.clade", "--text", "some words", "--skip-bad"], "have no effect on --text")


def test_a_taxonomy_has_no_rows(folder, tmp_path):
    (tmp_path / "tree.csv").write_text("child,parent\na,r\nb,r\n")
    for option in (["--skip-bad"], ["--bad-rows", tmp_path / "b.csv"], ["--taxonomy-out", tmp_path / "t.csv"]):
        refused(folder, ["convert", tmp_path / "tree.csv", "-o", tmp_path / "tree.json", *option], "on a taxonomy")


def test_samples_of_one_label_are_noted(folder, tmp_path):
    for option in (["--decide", "one"], ["--decide-for", "recall"], ["--decide-folds", "4"]):
        said = run("train", folder / "d.csv", "--classifier", "top-down-logistic", *option, "-o", tmp_path / "m.clade", "--force")
        assert "--decide, --decide-for and --decide-folds have no effect: every sample has one label" in said.stderr


@pytest.mark.parametrize("given, noted", [("--cv-folds 4", "--cv-folds has no effect without --select-lambda cv"),
                                          ("--gap 0.1", "--gap has no effect without --solver exact")])
def test_selectors_note_them(folder, given, noted):
    assert noted in run("select", folder / "d.csv", "--method", "hirr-fam", *given.split()).stderr


def test_values_that_count_pass(folder, tmp_path):
    for options in (f"{SVM} --kernel polynomial --degree 2 --coef0 1 --gamma 0.5 --kernel-cache 9",
                    f"{SVM} --c-grid 0.5,1 --c-folds 2", f"{SVM} --loss weighted --missed-cost 2 --extra-cost 1",
                    "--classifier top-down-svm --calibrate sigmoid --calibration-folds 3 --loss hinge --bias 1",
                    "--classifier top-down-svm --multiclass crammer-singer --bias 1"):
        run("train", folder / "d.csv", *options.split(), "-o", tmp_path / "m.clade", "--force")
    for options in ("--nodes --node-threshold 0.1 --align-features", "--explain 1 --reasons 2", "--policy best --beam 2"):
        run("predict", folder / "m.clade", folder / "d.csv", *options.split())
