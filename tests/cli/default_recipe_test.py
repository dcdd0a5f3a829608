"""clade train without --classifier, --auto, --test and --holdout; samples without labels; the baseline."""

import itertools
import json

import numpy as np
import pytest
from clade_tool import error_line, measures, run, run_json
from hierarchy_cases import DAG, DEEP, Problem


def texts(path, count=40):
    rows = [{"text": f"word{k % 4} filler{k % 3} common", "doc_label": [f"top{k % 2}--leaf{k % 4}"]} for k in range(count)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_text_gets_calibrated_svms(tmp_path):
    process = run("train", texts(tmp_path / "t.jsonl"), "-o", tmp_path / "m.clade", "--json")
    found = json.loads(process.stdout)
    assert found["classifier"] == "path-svm" and found["parameters"]["calibrate"] == "auto" and found["parameters"]["loss"] == "hinge"
    assert "no --classifier given: path-svm --calibrate auto --loss hinge" in process.stderr
    assert "the data are text with one label per document" in process.stderr
    several = texts(tmp_path / "s.jsonl")
    several.write_text(several.read_text() + json.dumps({"text": "word1 word2", "doc_label": ["top1--leaf1", "top0--leaf2"]}) + "\n")
    found = run_json("train", several, "-o", tmp_path / "s.clade")
    assert found["classifier"] == "top-down-svm" and found["parameters"]["calibrate"] == "sigmoid"
    chosen = run_json("train", texts(tmp_path / "u.jsonl"), "--select", "hier-fisher", "--top", 3, "-o", tmp_path / "u.clade")
    assert chosen["classifier"] == "top-down-svm"  # features per node


@pytest.mark.parametrize("samples, features, density, several, expected", [
    (60, 30, 1.0, False, "kernel-ridge"), (120, 6, 1.0, False, "blend"), (120, 6, 1.0, True, "kernel-ridge"),
    (60, 30, 0.1, False, "kernel-ridge")])
def test_samples_that_are_no_text_are_compared(tmp_path, samples, features, density, several, expected):
    problem = Problem(1, DEEP, samples, features, density=density, multi=several)
    assert run_json("train", *problem.write(tmp_path), "-o", tmp_path / "m.clade")["classifier"] == expected
    sparse = run_json("train", *problem.write(tmp_path, sparse=True), "-o", tmp_path / "n.clade")
    assert sparse["classifier"] == expected and sparse["unit_rows"]


@pytest.mark.parametrize("name, flags, expected", [
    ("d.npz", ["--features", 3, "--fanout", 2, "--samples", 10001, "--single-label"], "hierarchical-svm"),
    ("d.svm", ["--text", "--levels", "2,4", "--documents", 10001, "--words", 100], "top-down-svm")])
def test_the_kind_of_many_samples_decides(tmp_path, name, flags, expected):
    run("synth", "-o", tmp_path / name, *flags)
    assert run_json("train", tmp_path / name, "-o", tmp_path / "m.clade")["classifier"] == expected


def test_selected_features_need_a_classifier_that_takes_them(tmp_path):
    problem = Problem(1, DEEP, 120, 6)
    found = run_json("train", *problem.write(tmp_path), "--select", "hier-fisher", "--top", 3, "-o", tmp_path / "m.clade")
    assert found["classifier"] == "top-down-logistic"


def test_the_best_of_several(tmp_path):
    problem = Problem(2, DAG, 90, 8)
    arguments = problem.write(tmp_path)
    found = run_json("train", *arguments, "--auto", "-o", tmp_path / "m.clade")
    recipes = found["tried"]["recipes"]
    taken = [recipe for recipe in recipes if recipe["taken"]]
    assert len(recipes) >= 4 and len(taken) == 1 and found["classifier"] == taken[0]["classifier"]
    best = max(recipe["hierarchical_f1"] for recipe in recipes)
    needed = recipes[0]["hierarchical_f1"] + 0.1 / 90 ** 0.5  # a smaller lead over the first is chance
    assert taken[0] == recipes[0] if best <= needed else taken[0]["hierarchical_f1"] == best
    # Each value is that of cross-validation.
    for recipe in recipes[:2]:
        flags = [part for name, value in recipe["parameters"].items() for part in (f"--{name}", value)]
        expected = run_json("evaluate", *arguments, "--classifier", recipe["classifier"], *flags, "--folds", 3)
        assert recipe["hierarchical_f1"] == expected["hierarchical_f1"] and recipe["accuracy"] == expected["accuracy"]
    # What is tried without probabilities is trained with them.
    assert found["parameters"].get("calibrate", "auto") != "none"
    shown = run("train", *arguments, "--auto", "-o", tmp_path / "n.clade").stdout
    assert shown.startswith("recipes, cross-validated on 90 samples\n")


@pytest.mark.parametrize("options", [{}, {"multi": True}, {"density": 0.1}])
def test_the_default_is_tried_first(tmp_path, options):
    data = Problem(1, DEEP, 120, 6, **options).write(tmp_path)
    found = run_json("train", *data, "--auto", "--budget", "0.000001s", "-o", tmp_path / "m.clade")
    assert found["classifier"] == run_json("train", *data, "-o", tmp_path / "n.clade")["classifier"]


def test_the_default_for_text_is_tried_first(tmp_path):
    found = run_json("train", texts(tmp_path / "t.jsonl"), "--auto", "-o", tmp_path / "m.clade")
    assert found["tried"]["recipes"][0]["classifier"] == "path-svm"
    assert "kernel-ridge" in [recipe["classifier"] for recipe in found["tried"]["recipes"]]


def test_the_best_has_probabilities(tmp_path):
    (tmp_path / "t.fasta").write_text("".join(f">s{k} label={'ab'[k % 2]}\n{'ACGT' * 3 if k % 2 else 'TTAGG' * 3}{'AC'[k % 3 == 0]}\n"
                                              for k in range(40)))
    found = run_json("train", tmp_path / "t.fasta", "--auto", "-o", tmp_path / "m.clade")
    assert all("calibrate" not in recipe["parameters"] for recipe in found["tried"]["recipes"])
    assert found["classifier"].endswith("-svm") and found["parameters"]["calibrate"] == "auto"


def test_the_first_is_tried_even_without_time(tmp_path):
    problem = Problem(2, DEEP, 90, 8)
    found = run_json("train", *problem.write(tmp_path), "--auto", "--budget", "0.000001s", "-o", tmp_path / "m.clade")
    recipes = found["tried"]["recipes"]
    assert recipes[0]["taken"] and all(recipe["problem"] == "no time left" for recipe in recipes[1:])


def test_held_out_samples(tmp_path):
    problem = Problem(3, DEEP, 100, 6)
    arguments = problem.write(tmp_path)
    command = ["train", *arguments, "--classifier", "top-down-svm"]
    found = run_json(*command, "-o", tmp_path / "m.clade", "--holdout", "20%")
    assert found["samples"] == 100 and 18 <= found["held_out"]["samples"] <= 22
    assert found["held_out"] == run_json(*command, "-o", tmp_path / "n.clade", "--holdout", 0.2)["held_out"]
    shown = run(*command, "-o", tmp_path / "o.clade", "--holdout", "20%").stdout
    assert f"{found['held_out']['samples']} of 100 samples held out" in shown and "the model written is trained on all" in shown
    # Texts, too, have their words from the other samples alone.
    assert run_json("train", texts(tmp_path / "t.jsonl"), "-o", tmp_path / "p.clade", "--holdout", "25%")["held_out"]["accuracy"] == 1


def test_a_test_file(tmp_path):
    problem = Problem(4, DEEP, 100, 6)
    (tmp_path / "b").mkdir()
    test = problem.part(list(range(60, 100))).write(tmp_path / "b")
    arguments = problem.part(list(range(60))).write(tmp_path)
    found = run_json("train", *arguments, "--classifier", "top-down-svm", "-o", tmp_path / "m.clade", "--test", test[0])["test"]
    expected = run_json("evaluate", tmp_path / "m.clade", *test)
    assert found["samples"] == 40
    for name in ("accuracy", "hierarchical_f1", "tie"):
        assert found[name] == expected[name] and found[name + "_baseline"] == expected["baseline"][name]


@pytest.mark.parametrize("classifier", ["top-down-svm", "hierarchical-svm", "path-svm"])
def test_samples_without_labels_are_left_out(tmp_path, classifier):
    problem = Problem(5, DEEP, 60, 6)
    arguments = problem.write(tmp_path)
    lines = (tmp_path / "data.csv").read_text().splitlines()
    for k in (7, 20, 31):
        lines[k] = lines[k].rsplit(",", 1)[0] + ","
    (tmp_path / "holes.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "whole.csv").write_text("\n".join(line for line in lines if not line.endswith(",")) + "\n")
    for name in ("holes", "whole"):
        weights = tmp_path / f"{name}.txt"
        weights.write_text("".join(f"{int(line.split(',')[0][1:]) % 3 + 1}\n"
                                   for line in (tmp_path / f"{name}.csv").read_text().splitlines()[1:]))
        process = run("train", tmp_path / f"{name}.csv", *arguments[1:], "--classifier", classifier, "--sample-weights", weights,
                      "-o", tmp_path / f"{name}.clade")
        assert ("samples without a label, left out of training: 3" in process.stderr) == (name == "holes")
    assert (measures("evaluate", tmp_path / "holes.clade", *arguments, "--breakdown") ==
            measures("evaluate", tmp_path / "whole.clade", *arguments, "--breakdown"))
    found = run_json("evaluate", tmp_path / "holes.csv", *arguments[1:], "--classifier", classifier, "--folds", 3)
    assert found["samples"] == 57


def test_no_labels_at_all(tmp_path):
    (tmp_path / "d.csv").write_text("a,b,label\n1,2,\n2,3,\n")
    error_line("train", tmp_path / "d.csv", "-o", tmp_path / "m.clade", "--quiet")


@pytest.mark.parametrize("classifier", ["top-down-svm", "hierarchical-svm"])
def test_unknown_labels_rank_last(tmp_path, classifier):
    problem = Problem(6, DEEP, 60, 6)
    run("train", *problem.write(tmp_path), "--classifier", classifier, "-o", tmp_path / "m.clade")
    known = run_json("evaluate", tmp_path / "m.clade", *problem.write(tmp_path))
    problem.parents["new"] = ["n3"]
    problem.parents["far"] = ["n0"]
    problem.names += ["new", "far"]
    wrong = {3: "new", 17: "far", 40: "new"}
    problem.labels = [[wrong.get(s, labels[0])] for s, labels in enumerate(problem.labels)]
    process = run("evaluate", tmp_path / "m.clade", *problem.write(tmp_path), "--json", "--breakdown")
    found = json.loads(process.stdout)
    assert found["unknown_labels"] == {"labels": 2, "samples": 3, "names": ["far", "new"]}
    assert "labels that the model does not know: 2, at 3 samples" in process.stderr
    assert found["samples"] == 60 and found["accuracy"] <= known["accuracy"]
    assert next(node for node in found["nodes"] if node["node"] == "new")["support"] == 2
    assert (found["average_precision"] is None) == (known["average_precision"] is None) == (classifier == "top-down-svm")


def f1_of(problem, labels, chosen):
    truth = [set().union(*(problem.above(label) for label in of)) - {"n0"} for of in labels]
    found = set().union(*(problem.above(label) for label in chosen)) - {"n0"}
    return 2 * sum(len(t & found) for t in truth) / sum(len(t) + len(found) for t in truth)


@pytest.mark.parametrize("parents", [DEEP, DAG])
@pytest.mark.parametrize("multi", [False, True])
def test_the_baseline_is_the_best_constant(tmp_path, parents, multi):
    problem = Problem(7, parents, 50, 5, multi=multi)
    generator = np.random.default_rng(8)
    leaves = [n for n in problem.names if n not in problem.internal]
    chances = generator.dirichlet(np.full(len(leaves), 0.4))
    problem.labels = [sorted(set(generator.choice(leaves, 2 if multi else 1, p=chances))) for _ in range(50)]
    arguments = problem.write(tmp_path)
    (tmp_path / "p.csv").write_text("sample,label\n" + "".join(f"s{k},{leaves[0]}\n" for k in range(50)))
    baseline = run_json("evaluate", "--predictions", tmp_path / "p.csv", *arguments)["baseline"]
    assert baseline["chosen_on"] == "evaluated samples"
    used = {label for labels in problem.labels for label in labels}
    if multi:
        nodes = problem.names[1:]
        sets = itertools.chain.from_iterable(itertools.combinations(nodes, k) for k in range(1, len(nodes) + 1))
    else:
        sets = ((label,) for label in used)
    assert baseline["hierarchical_f1"] == pytest.approx(max(f1_of(problem, problem.labels, chosen) for chosen in sets))
    assert baseline["hierarchical_f1"] == pytest.approx(f1_of(problem, problem.labels, baseline["labels"]))
    # A model keeps the labels of its training samples.
    run("train", *arguments, "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    kept = run_json("evaluate", tmp_path / "m.clade", *arguments)["baseline"]
    assert kept["labels"] == baseline["labels"] and kept["chosen_on"] == "training samples"


def test_the_baseline_of_a_fold_is_chosen_on_the_others(tmp_path):
    problem = Problem(9, DEEP, 60, 5)
    folds = [k % 3 for k in range(60)]
    (tmp_path / "folds.csv").write_text("".join(f"{fold}\n" for fold in folds))
    found = run_json("evaluate", *problem.write(tmp_path), "--classifier", "top-down-svm", "--fold-file", tmp_path / "folds.csv")
    expected = []
    for fold in range(3):
        inside = [problem.labels[s] for s in range(60) if folds[s] == fold]
        outside = [problem.labels[s] for s in range(60) if folds[s] != fold]
        names = [n for n in problem.names if [n] in outside]
        best = max(f1_of(problem, outside, [n]) for n in names)
        ties = {round(f1_of(problem, inside, [n]), 12) for n in names if f1_of(problem, outside, [n]) > best - 1e-12}
        expected.append(ties)
    assert round(found["baseline"]["hierarchical_f1"], 9) in {round(sum(c) / 3, 9) for c in itertools.product(*expected)}


def test_what_is_no_better_than_the_baseline_is_said(tmp_path):
    generator = np.random.default_rng(3)
    problem = Problem(10, DEEP, 80, 4)
    problem.x = generator.normal(size=problem.x.shape)  # nothing to learn
    problem.labels = [["n8"] if s % 8 else labels for s, labels in enumerate(problem.labels)]
    said = "hierarchical_f1 is not above the baseline"
    shown = run("train", *problem.write(tmp_path), "--classifier", "top-down-svm", "-o", tmp_path / "m.clade", "--holdout", "40%").stdout
    assert said in shown
    easy = Problem(10, DEEP, 80, 12)
    shown = run("train", *easy.write(tmp_path), "--classifier", "top-down-svm", "-o", tmp_path / "n.clade", "--holdout", "40%").stdout
    assert said not in shown


def gaps(tmp_path, samples=120, features=6):
    """A table in which every ninth value is missing, and the same with means in their place."""
    problem = Problem(9, DEEP, samples, features)
    x = problem.x.copy()
    missing = np.arange(x.size).reshape(x.shape) % 9 == 4
    means = np.where(missing, np.nan, x)
    means = np.nanmean(means, axis=0)
    paths = []
    for name, of in {"gaps.csv": lambda s, f: "", "means.csv": lambda s, f: repr(float(means[f]))}.items():
        rows = [",".join([f"f{f}" for f in range(features)] + ["label"])]
        for s, labels in enumerate(problem.labels):
            rows.append(",".join([of(s, f) if missing[s, f] else repr(float(x[s, f])) for f in range(features)] + ["|".join(labels)]))
        paths.append(tmp_path / name)
        paths[-1].write_text("\n".join(rows) + "\n")
    return *paths, problem.write(tmp_path)[1:], int(missing.sum())


@pytest.mark.parametrize("samples, options, classifier", [(120, [], "blend"), (60, [], "kernel-ridge"),
                                                          (120, ["--select", "hier-fisher", "--top", 3], "top-down-logistic")])
def test_missing_values_need_no_flag(tmp_path, samples, options, classifier):
    with_gaps, with_means, taxonomy, missing = gaps(tmp_path, samples)
    options = [*taxonomy, *options]
    process = run("train", with_gaps, *options, "-o", tmp_path / "g.clade")
    assert f"no --classifier given: {classifier}" in process.stderr
    assert f"{missing} missing values replaced by their feature's mean" in process.stderr
    assert "missing value" in error_line("train", with_gaps, *options, "--missing", "error", "-o", tmp_path / "e.clade")
    # New samples may lack values too.
    run("predict", tmp_path / "g.clade", with_gaps, "-o", tmp_path / "g.csv")
    if classifier == "blend":
        return  # its trees treat missing values in their own way
    # Calibration learns the means again without the samples that it looks at, so that a file of means is not the same.
    same = [with_means] if classifier == "kernel-ridge" else [with_gaps, "--missing", "mean"]
    run("train", *same, *options, "-o", tmp_path / "m.clade")
    found = [run("predict", tmp_path / f"{name}.clade", with_means).stdout for name in "gm"]
    scores = [[float(line.rsplit(",", 1)[1]) for line in text.splitlines()[1:]] for text in found]
    assert scores[0] == pytest.approx(scores[1], abs=1e-9)


def test_missing_values_and_several_recipes(tmp_path):
    with_gaps, _, taxonomy, _ = gaps(tmp_path)
    found = run_json("train", with_gaps, *taxonomy, "--auto", "-o", tmp_path / "m.clade")
    assert all("problem" not in recipe for recipe in found["tried"]["recipes"])


def test_a_table_without_text_is_none(tmp_path):
    rows = ["size;weight;colour;kind"]
    for k in range(120):
        rows.append(f"{k % 4 + 0.1 * (k % 3)};{'' if k % 9 == 0 else k % 5};{['red', 'blue'][k % 2]};a/{k % 4}")
    (tmp_path / "t.csv").write_text("\n".join(rows).replace(".", ",") + "\n")
    process = run("train", tmp_path / "t.csv", "--label-column", "kind", "-o", tmp_path / "m.clade")
    assert "no --classifier given: blend, because of the data (120 samples, no raw text)" in process.stderr
    assert "14 missing values in columns of numbers count as the mean of the column" in process.stderr
