"""clade evaluate MODEL DATA, and cross-validation of classifiers."""

import csv
import json

import numpy as np
import pytest
from clade_tool import error_line, measures, run, run_json
from hierarchy_cases import DAG, DEEP, Problem, predictions

CLASSIFIERS = ["top-down-svm", "top-down-logistic", "path-svm"]


@pytest.fixture
def problem():
    return Problem(21, DEEP, 80, 7)


def test_a_model_is_measured_as_its_predictions(tmp_path):
    for k, problem in enumerate((Problem(21, DEEP, 80, 7), Problem(22, DAG, 80, 7), Problem(23, DEEP, 80, 7, multi=True, inner=True))):
        folder = tmp_path / str(k)
        folder.mkdir()
        arguments = problem.part(list(range(0, 80, 2))).write(folder)
        for classifier in CLASSIFIERS:
            run("train", *arguments, "--classifier", classifier, "-o", folder / f"{classifier}.clade")
        arguments = problem.part(list(range(1, 80, 2))).write(folder)
        for classifier in CLASSIFIERS:
            model, out = folder / f"{classifier}.clade", folder / f"{classifier}.csv"
            run("predict", model, *arguments, "-o", out)
            for more in ([], ["--breakdown"], ["--protocol", "published"], ["--bootstrap"]):
                expected = measures("evaluate", "--predictions", out, *arguments, *more)
                found = measures("evaluate", model, *arguments, *more, "--node-measures", "no")
                assert found == expected, (classifier, more)


@pytest.mark.parametrize("policy", [["--policy", "greedy"], ["--policy", "best"], ["--confidence", 0.7]])
def test_policies_are_those_of_predict(tmp_path, problem, policy):
    arguments = problem.write(tmp_path)
    run("train", *arguments, "--classifier", "top-down-logistic", "-o", tmp_path / "m.clade")
    run("predict", tmp_path / "m.clade", *arguments, *policy, "-o", tmp_path / "p.csv")
    expected = measures("evaluate", "--predictions", tmp_path / "p.csv", *arguments)
    assert measures("evaluate", tmp_path / "m.clade", *arguments, *policy, "--node-measures", "no") == expected


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_cross_validation_is_training_on_the_other_folds(tmp_path, problem, classifier):
    arguments = problem.write(tmp_path)
    generator = np.random.default_rng(4)
    folds = generator.permutation(80) % 4
    (tmp_path / "folds.csv").write_text("".join(f"{fold}\n" for fold in folds))
    found = measures("evaluate", *arguments, "--classifier", classifier, "--fold-file", tmp_path / "folds.csv",
                     "--node-measures", "no")
    rows = {}
    for fold in range(4):
        folder = tmp_path / str(fold)
        folder.mkdir()
        inside = [s for s in range(80) if folds[s] == fold]
        run("train", *problem.part([s for s in range(80) if folds[s] != fold]).write(folder), "--classifier", classifier, "-o",
            folder / "m.clade")
        run("predict", folder / "m.clade", *problem.part(inside).write(folder), "-o", folder / "p.csv")
        rows.update(zip(inside, predictions(folder / "p.csv").values(), strict=True))
    with open(tmp_path / "p.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sample", "rank", "label", "score"])
        for s in range(80):
            writer.writerows([f"s{s}", r, label, repr(score)] for r, (label, score) in enumerate(zip(*rows[s]), 1))
    expected = measures("evaluate", "--predictions", tmp_path / "p.csv", *arguments, "--fold-file", tmp_path / "folds.csv")
    assert found == expected


def test_folds_are_dealt_by_the_seed(tmp_path, problem):
    command = ["evaluate", *problem.write(tmp_path), "--classifier", "top-down-svm", "--folds", 4]
    one = run_json(*command)
    assert one == run_json(*command, "--threads", 1) == run_json(*command, "--threads", 3)
    assert one["samples"] == 80 and one["hierarchical_f1"] > 0.5
    assert one != run_json(*command, "--seed", 2)


def test_weights_and_selection_in_every_fold(tmp_path, problem):
    arguments = problem.write(tmp_path)
    (tmp_path / "w.txt").write_text("".join(f"{1 + k % 3}\n" for k in range(80)))
    command = ["evaluate", *arguments, "--classifier", "top-down-svm", "--folds", 4]
    assert run_json(*command, "--sample-weights", tmp_path / "w.txt")["samples"] == 80
    selected = run_json(*command, "--select", "hier-fisher", "--top", 3)
    assert selected["samples"] == 80 and selected != run_json(*command)


def test_labels_that_the_model_does_not_know(tmp_path, problem):
    run("train", *problem.write(tmp_path), "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    header = (tmp_path / "data.csv").read_text().splitlines()[0]
    row = ",".join(["q", *["1"] * 7])
    (tmp_path / "e.csv").write_text(f"{header}\n{row},n8\n{row},mars\n")
    process = run("evaluate", tmp_path / "m.clade", tmp_path / "e.csv", "--json")
    assert "labels that the model does not know: 1, at 1 samples, which count as wrong: mars" in process.stderr
    found = json.loads(process.stdout)
    assert found["samples"] == 2 and found["accuracy"] <= 0.5
    assert found["unknown_labels"] == {"labels": 1, "samples": 1, "names": ["mars"]}
    # The data need not bring the hierarchy: labels are found by name, inner ones too.
    (tmp_path / "e.csv").write_text(f"{header}\n{row},n8\n{row},n1\n")
    assert run_json("evaluate", tmp_path / "m.clade", tmp_path / "e.csv")["samples"] == 2


def test_unknown_labels_share_the_ancestors_that_are_known(tmp_path):
    rows = ["x,y,label"] + [f"{k % 4 // 2},{k % 2},{'ab'[k % 4 // 2]}/{k % 4}/{'st'[k % 2]}" for k in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    run("train", tmp_path / "t.csv", "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    # Predicted is a/0/s for x = y = 0; the share of nodes in common, of two paths of three or fewer nodes.
    for label, expected in (("a/0/new", 2 / 3), ("a/new/new", 0.4), ("new/0/s", 0), ("new", 0), ("a/0/s/new", 6 / 7)):
        (tmp_path / "e.csv").write_text(f"x,y,label\n0,0,{label}\n")
        found = run_json("evaluate", tmp_path / "m.clade", tmp_path / "e.csv")
        assert found["unknown_labels"] == {"labels": 1, "samples": 1, "names": [label]}
        assert found["hierarchical_f1"] == pytest.approx(expected), label
    # The same with a level per column.
    levels = ["x,y,word,lvl1,lvl2,lvl3"] + [f"{k % 4 // 2},{k % 2},w{k % 4} w,{'ab'[k % 4 // 2]},{k % 4}!,{'st'[k % 2]}" for k in range(40)]
    (tmp_path / "l.csv").write_text("\n".join(levels) + "\n")
    run("train", tmp_path / "l.csv", "--classifier", "top-down-svm", "-o", tmp_path / "l.clade")
    (tmp_path / "e.csv").write_text("x,y,word,lvl1,lvl2,lvl3\n0,0,w0 w,a,0!,new\n")
    assert run_json("evaluate", tmp_path / "l.clade", tmp_path / "e.csv")["hierarchical_f1"] == pytest.approx(2 / 3)


def test_labels_that_others_imply_are_noted(tmp_path, problem):
    run("train", *problem.write(tmp_path), "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    header = (tmp_path / "data.csv").read_text().splitlines()[0]
    row = ",".join(["q", *["1"] * 7])
    (tmp_path / "e.csv").write_text(f"{header}\n{row},n8;n3\n")
    (tmp_path / "f.csv").write_text(f"{header}\n{row},n8\n")
    process = run("evaluate", tmp_path / "m.clade", tmp_path / "e.csv", "--json")
    assert "1 labels are, in the model's hierarchy, ancestors" in process.stderr
    assert run_json("evaluate", tmp_path / "m.clade", tmp_path / "e.csv") == run_json("evaluate", tmp_path / "m.clade", tmp_path / "f.csv")


def test_features_are_found_by_name(tmp_path, problem):
    arguments = problem.write(tmp_path)
    run("train", *arguments, "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    expected = run_json("evaluate", tmp_path / "m.clade", *arguments)
    rows = [line.split(",") for line in (tmp_path / "data.csv").read_text().splitlines()]
    (tmp_path / "data.csv").write_text("\n".join(",".join([r[0], *reversed(r[1:8]), r[8]]) for r in rows) + "\n")
    found = run_json("evaluate", tmp_path / "m.clade", *arguments)
    assert found["hierarchical_f1"] == pytest.approx(expected["hierarchical_f1"])


BAD = {
    "nothing": ([], "nothing to measure"),
    "no folds": (["--classifier", "top-down-svm"], "expected either --folds N or --fold-file FILE"),
    "one fold": (["--classifier", "top-down-svm", "--folds", 1], "expected"),
    "folds of nothing": (["--predictions", "p.csv", "--folds", 3], "--folds has no effect"),
    "several things": (["--classifier", "top-down-svm", "--predictions", "p.csv"], "several things to measure"),
    "unknown classifier": (["--classifier", "magic", "--folds", 3], "no classifier 'magic'"),
    "parameter of another": (["--classifier", "path-svm", "--folds", 3, "--multiclass", "one-vs-one"], "path-svm has no parameter"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(tmp_path, problem, case):
    arguments, expected = BAD[case]
    assert expected in error_line("evaluate", *problem.write(tmp_path), *arguments, "--quiet")


def test_what_is_no_model(tmp_path, problem):
    arguments = problem.write(tmp_path)
    assert "data.csv: is not a model" in error_line("evaluate", tmp_path / "data.csv", *arguments)


def test_missing_values_that_are_kept(tmp_path, problem):
    run("train", *problem.write(tmp_path), "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    header = (tmp_path / "data.csv").read_text().splitlines()[0]
    (tmp_path / "e.csv").write_text(f"{header}\nq,1,2,,4,5,6,7,n8\n")
    error_line("evaluate", tmp_path / "m.clade", tmp_path / "e.csv", "--missing", "keep", "--quiet")
