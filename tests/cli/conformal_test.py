"""Answers with a guarantee: clade train --conformal, predict --coverage, evaluate --coverage."""

import csv
import json
import re

import pytest
from clade_tool import error_line, run, run_json
from hierarchy_cases import DAG, DEEP, Problem

PROBLEMS = {"tree": Problem(61, DEEP, 400, 4), "inner": Problem(62, DEEP, 400, 4, inner=True), "dag": Problem(63, DAG, 400, 4),
            "several": Problem(64, DEEP, 400, 4, multi=True), "several-dag": Problem(65, DAG, 400, 4, multi=True, inner=True)}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Per problem and way the model of the even samples, the odd samples, and the arguments that name their file."""
    made = {}
    for name, problem in PROBLEMS.items():
        for way in ["split:40%", "cross:3"]:
            folder = tmp_path_factory.mktemp("conformal")
            model = folder / "model.clade"
            arguments = problem.part(list(range(0, 400, 2))).write(folder)
            run("train", *arguments, "--classifier", "top-down-logistic", "--conformal", way, "-o", model)
            test = problem.part(list(range(1, 400, 2)))
            made[name, way] = model, test, test.write(folder)
    return made


def answers(text):
    """Per sample the answered nodes, from CSV."""
    found = {}
    for row in csv.DictReader(text.splitlines()):
        found.setdefault(row["sample"], []).append(row["label"])
    return found


def is_complete(problem, nodes, labels):
    return all(any(node in problem.above(label) for node in nodes) for label in labels)


def is_correct(problem, nodes, labels):
    return all(any(node in problem.above(label) for label in labels) for node in nodes)


CASES = [(name, way, guarantee, size) for name in PROBLEMS for way, guarantee, size in
         [("split:40%", "complete", 1), ("split:40%", "complete", 3), ("cross:3", "complete", 10), ("cross:3", "correct", None)]]


@pytest.mark.parametrize("name, way, guarantee, size", CASES)
def test_what_is_reported_is_what_the_answers_are(models, name, way, guarantee, size):
    """Counts by plain definitions over the answers that predict writes."""
    model, problem, arguments = models[name, way]
    options = ["--coverage", "0.8", "--guarantee", guarantee] + (["--set-size", size] if size else [])
    found = answers(run("predict", model, *arguments, *options).stdout)
    assert len(found) == 200 and max(map(len, found.values())) <= (size or 100)
    holds = is_complete if guarantee == "complete" else is_correct
    depth = {node: 0 for node in problem.names}
    for node in problem.names:  # parents come first
        depth[node] = max((depth[p] + 1 for p in problem.parents[node]), default=0)
    levels = {}
    for s, labels in enumerate(problem.labels):
        nodes = found[f"s{s}"]
        level = max(depth[label] for label in labels)
        levels.setdefault(level, []).append((holds(problem, nodes, labels), len(nodes), sum(depth[v] for v in nodes) / len(nodes), nodes == ["n0"]))
    report = run_json("evaluate", model, *arguments, *options)["conformal"]
    assert (report["coverage"], report["guarantee"], report["set_size"]) == (0.8, guarantee, size)
    assert [entry["level"] for entry in report["levels"]] == sorted(levels)
    for entry, rows in [(report, sum(levels.values(), []))] + [(entry, levels[entry["level"]]) for entry in report["levels"]]:
        assert entry["samples"] == len(rows) and entry["covered"] == sum(row[0] for row in rows)
        assert entry["size"] == pytest.approx(sum(row[1] for row in rows) / len(rows))
        assert entry["depth"] == pytest.approx(sum(row[2] for row in rows) / len(rows))
        assert entry["roots"] == sum(row[3] for row in rows)
        assert entry["low"] <= entry["share"] <= entry["high"]
    # Five standard deviations of what one calibration with 80 samples may give, and 200 tests.
    assert report["share"] > 0.8 - 5 * (0.16 / 80 + 0.16 / 200) ** 0.5


def test_more_coverage_gives_wider_answers(models):
    for name in ["tree", "dag", "several"]:
        model, problem, arguments = models[name, "cross:3"]
        last = None
        for coverage in ["0.3", "60%", "0.9", "0.99"]:
            found = answers(run("predict", model, *arguments, "--coverage", coverage, "--set-size", "4").stdout)
            if last:
                for s in found:
                    for node in last[s]:
                        assert any(above in problem.above(node) for above in found[s])
            last = found


def test_both_forms_of_output_say_the_same(models):
    model, _, arguments = models["several", "split:40%"]
    table = list(csv.DictReader(run("predict", model, *arguments, "--coverage", "0.7", "--set-size", "3", "--keep", "x0").stdout.splitlines()))
    lines = run("predict", model, *arguments, "--coverage", "0.7", "--set-size", "3", "--keep", "x0", "--to", "json-lines").stdout.splitlines()
    rows = [(row["sample"], label["label"], label["score"], row["coverage"], row["kept"]["x0"])
            for row in map(json.loads, lines) for label in row["labels"]]
    assert list(table[0]) == ["sample", "rank", "label", "score", "coverage", "x0"]
    assert [(r["sample"], r["label"], float(r["score"]), float(r["coverage"]), float(r["x0"])) for r in table] == [
        (s, label, score, coverage, float(x)) for s, label, score, coverage, x in rows]
    for row in map(json.loads, lines):
        scores = [label["score"] for label in row["labels"]]
        assert scores == sorted(scores, reverse=True) and row["coverage"] == 0.7


def test_answers_are_files_of_predictions(models, tmp_path):
    model, _, arguments = models["tree", "split:40%"]
    run("predict", model, *arguments, "--coverage", "0.8", "-o", tmp_path / "answers.csv")
    found = run_json("evaluate", "--predictions", tmp_path / "answers.csv", *arguments)
    assert found["samples"] == 200 and found["hierarchical_precision"] > 0.8


def test_by_class(tmp_path):
    problem = PROBLEMS["tree"]
    model = tmp_path / "model.clade"
    arguments = problem.write(tmp_path)
    run("train", *arguments, "--classifier", "top-down-logistic", "--conformal", "cross", "--conformal-by-class", "-o", model)
    assert run_json("info", model)["conformal"] == {"way": "cross", "samples": 400, "by_class": True}
    new = Problem(61, DEEP, 400, 4)  # the same centres
    found = answers(run("predict", model, *new.write(tmp_path), "--coverage", "0.8", "--set-size", "3").stdout)
    for label in {labels[0] for labels in new.labels}:
        own = [s for s, labels in enumerate(new.labels) if labels == [label]]
        assert sum(is_complete(new, found[f"s{s}"], [label]) for s in own) > 0.7 * len(own)
    line = error_line("predict", model, *arguments, "--coverage", "0.8", "--guarantee", "correct")
    assert "by class" in line and "--conformal-by-class" in line


def test_info_says_how_a_model_was_calibrated(models):
    model, _, _ = models["tree", "split:40%"]
    assert "  conformal   split, 80 calibration samples\n" in run("info", model).stdout
    assert run_json("info", model)["conformal"] == {"way": "split", "samples": 80, "by_class": False}


def test_too_few_calibration_samples_give_the_root_and_a_note(models):
    model, _, arguments = models["tree", "split:40%"]
    process = run("predict", model, *arguments, "--coverage", "0.995")
    assert {tuple(nodes) for nodes in answers(process.stdout).values()} == {("n0",)}
    assert "--coverage 0.995 needs at least 199 calibration samples, and the model has 80: every answer is the root" in process.stderr
    process = run("evaluate", model, *arguments, "--coverage", "0.995")
    assert "needs at least 199" in process.stderr and "answers with coverage 0.995 (complete, at most 1 node)" in process.stdout


def test_labels_that_the_model_does_not_know_are_covered_by_what_is_above_them(models, tmp_path):
    model, problem, _ = models["tree", "split:40%"]
    (tmp_path / "tree.csv").write_text("child,parent\n" + "".join(f"{n},{p}\n" for n in problem.names for p in problem.parents[n]) + "new,n1\n")
    (tmp_path / "data.csv").write_text("x0,x1,x2,x3,label\n" + "".join(",".join(map(repr, map(float, row))) + ",new\n" for row in problem.x))
    arguments = [tmp_path / "data.csv", "--taxonomy", tmp_path / "tree.csv"]
    found = answers(run("predict", model, *arguments, "--coverage", "0.9").stdout)
    report = run_json("evaluate", model, *arguments, "--coverage", "0.9")["conformal"]
    assert report["covered"] == sum(nodes[0] in ("n0", "n1") for nodes in found.values())
    assert 0 < report["covered"] < 200


def test_append_drops_the_calibration(tmp_path):
    arguments = PROBLEMS["tree"].write(tmp_path)
    model = tmp_path / "model.clade"
    run("train", *arguments, "--classifier", "hierarchical-perceptron", "--conformal", "split", "-o", model)
    process = run("train", "--append", model, *arguments)
    assert "--coverage needs a model trained with --conformal" in process.stderr
    assert run_json("info", model)["conformal"] is None


@pytest.mark.parametrize("value", ["0", "1", "1.5", "abc", "-0.5", "nan", "100%", "0%", "0.9x", "inf", " 0.9"])
def test_bad_coverages_are_refused(models, value):
    model, _, arguments = models["tree", "split:40%"]
    for command in ["predict", "evaluate"]:
        assert error_line(command, model, *arguments, f"--coverage={value}") == (
            f"--coverage: '{value}'; expected a share above 0 and below 1, such as 0.9 or 90%")


@pytest.mark.parametrize("value", ["0", "-1", "11", "2.5", "abc", "99999999999999999999"])
def test_bad_set_sizes_are_refused(models, value):
    model, _, arguments = models["tree", "split:40%"]
    for command in ["predict", "evaluate"]:
        assert error_line(command, model, *arguments, "--coverage", "0.9", f"--set-size={value}") == (
            f"--set-size: '{value}'; expected a whole number from 1 to 10")


def test_what_does_not_go_together_is_refused(models, tmp_path):
    model, problem, arguments = models["several", "split:40%"]
    several = PROBLEMS["several"].write(tmp_path)
    plain = tmp_path / "plain.clade"
    run("train", *several, "--classifier", "top-down-svm", "-o", plain)
    for command in ["predict", "evaluate"]:
        line = error_line(command, plain, *several, "--coverage", "0.9")
        assert line == "the model has no calibration samples, which --coverage needs; expected one trained with --conformal cross or --conformal split"
        assert "--set-size and --guarantee have no effect" in error_line(command, model, *arguments, "--set-size", "2")
        assert "--set-size and --guarantee have no effect" in error_line(command, model, *arguments, "--guarantee", "correct")
    for option in [["--nodes"], ["--explain", "1", "-o", tmp_path / "x.csv"], ["--top-k", "2"], ["--policy", "best"], ["--confidence", "0.5"], ["--threshold", "0.5"], ["--levels"]]:
        assert "coverage" in error_line("predict", model, *arguments, "--coverage", "0.9", *option)
    assert "--coverage concerns models" in error_line("evaluate", *several, "--coverage", "0.9", "--classifier", "top-down-svm", "--folds", "2")
    train = ["train", *several, "--classifier", "top-down-svm", "-o", tmp_path / "no.clade"]
    for way in ["x", "split:0", "split:1.5", "cross:1", "cross:x", ""]:
        assert "--conformal" in error_line(*train, f"--conformal={way}") if way else True
    assert "expected --conformal WAY with it" in error_line(*train, "--conformal-by-class")
    assert "samples have several labels" in error_line(*train, "--conformal", "cross", "--conformal-by-class")
    assert "--conformal does not concern --append" in error_line("train", "--append", model, *several, "--conformal", "split")
    assert "expected at least 500" in error_line(*train, "--conformal", "cross:500")
    assert not (tmp_path / "no.clade").exists()


def test_a_model_that_keeps_samples_for_calibration_says_so(tmp_path):
    data = [*PROBLEMS["tree"].write(tmp_path), "--classifier", "top-down-logistic", "--holdout", "25%"]
    said = run("train", *data, "--conformal", "split:20%", "-o", tmp_path / "m.clade").stdout
    left_out = int(re.search(r"the model written is trained on all but (\d+), which calibrate it", said)[1])
    assert abs(left_out - 80) <= 8 and run_json("info", tmp_path / "m.clade")["samples"] == 400 - left_out
    said = run("train", *data, "--conformal", "cross:3", "-o", tmp_path / "n.clade").stdout
    assert "the model written is trained on all\n" in said
