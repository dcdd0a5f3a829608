"""clade experiment: the same digits as the commands that do one cell, whatever the threads and interruptions."""

import itertools
import json
import os
import random
import re
import signal
import subprocess
import time

import numpy as np
import pytest
from clade_tool import CLADE, error_line, run, run_json
from study import rows, small_sets, spec, values

TIMES = ("fit_seconds", "predict_seconds", "memory_mib")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return small_sets(tmp_path_factory.mktemp("inputs"), "one", "two", "three")


def without_times(folder):
    return [{key: value for key, value in row.items() if key not in TIMES} for row in rows(folder)]


def test_folds_are_those_of_evaluate(inputs, tmp_path):
    """Selection is done once for all numbers of features, and repeats go on from the seed."""
    study = spec(inputs, """
seed = 5
measures = ["accuracy", "hierarchical_f1", "tie", "au_prc"]
[[data]]
name = "one"
file = "one.arff"
folds = 3
repeats = 2
[[recipe]]
name = "svm"
classifier = "top-down-svm"
parameters = { c = [0.1, 1] }
select = "hier-fisher"
top = [3, "50%", 12]
[[recipe]]
name = "kernel"
classifier = "kernel-ridge"
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    for repeat in (1, 2):
        for c, top in itertools.product(("0.1", "1"), ("3", "50%", "12")):
            alone = run_json("evaluate", inputs / "one.arff", "--folds", 3, "--seed", 4 + repeat, "--classifier", "top-down-svm",
                             "--c", c, "--select", "hier-fisher", "--top", top)
            for measure in ("accuracy", "hierarchical_f1", "tie", "au_prc"):
                found = values(tmp_path / "out", method=f"svm c={c} top={top}", repeat=str(repeat), metric=measure)
                assert found == [fold[measure] for fold in alone["folds"]], (c, top, measure)
        alone = run_json("evaluate", inputs / "one.arff", "--folds", 3, "--seed", 4 + repeat, "--classifier", "kernel-ridge")
        assert values(tmp_path / "out", method="kernel", repeat=str(repeat), metric="tie") == \
            [fold["tie"] for fold in alone["folds"]]


def test_a_test_file_and_a_holdout_are_those_of_train(inputs, tmp_path):
    study = spec(inputs, """
[[data]]
name = "apart"
train = "one.arff"
test = "two.arff"
[[data]]
name = "held out"
file = "one.arff"
holdout = 0.3
[[recipe]]
name = "logistic"
classifier = "top-down-logistic"
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    train = ["train", inputs / "one.arff", "--classifier", "top-down-logistic", "-o"]
    apart = run_json(*train, tmp_path / "a.clade", "--test", inputs / "two.arff")["test"]
    held_out = run_json(*train, tmp_path / "b.clade", "--holdout", "0.3")["held_out"]
    for measure in ("accuracy", "hierarchical_f1"):
        assert values(tmp_path / "out", dataset="apart", metric=measure) == [apart[measure]]
        assert values(tmp_path / "out", dataset="held out", metric=measure) == [held_out[measure]]


def test_texts_are_vectorised_inside_the_folds(tmp_path):
    run("synth", "--text", "-o", tmp_path / "texts.jsonl", "--documents", 200, "--levels", "3,9")
    study = spec(tmp_path, """
[[data]]
name = "texts"
file = "texts.jsonl"
folds = 3
min-documents = 2
[[recipe]]
name = "svm"
classifier = "top-down-svm"
parameters = { c = [1, 10] }
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet", "--threads", 2)
    for c in ("1", "10"):
        alone = run_json("evaluate", tmp_path / "texts.jsonl", "--folds", 3, "--classifier", "top-down-svm", "--c", c,
                         "--min-documents", 2)
        assert values(tmp_path / "out", parameters=f"c={c}", metric="hierarchical_f1") == \
            [fold["hierarchical_f1"] for fold in alone["folds"]]


def test_samples_per_class_are_those_of_split(tmp_path):
    """Texts, whose vocabulary is that of the drawn samples; the test file is read for it."""
    run("synth", "--text", "-o", tmp_path / "train.jsonl", "--documents", 200, "--levels", "3,9")
    run("synth", "--text", "-o", tmp_path / "test.jsonl", "--documents", 100, "--first", 200, "--levels", "3,9")
    study = spec(tmp_path, """
[[data]]
name = "texts"
train = "train.jsonl"
test = "test.jsonl"
per-class = 4
repeats = 2
[[recipe]]
name = "svm"
classifier = "top-down-svm"
parameters = { c = [1, 10] }
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    for seed, c in itertools.product((1, 2), ("1", "10")):
        run("split", tmp_path / "train.jsonl", "--per-class", 4, "--seed", seed, "-o", tmp_path / f"part{seed}-{c}")
        alone = run_json("train", tmp_path / f"part{seed}-{c}" / "train.jsonl", "--classifier", "top-down-svm", "--c", c,
                         "--seed", seed, "--test", tmp_path / "test.jsonl", "-o", tmp_path / f"{seed}-{c}.clade")["test"]
        for measure in ("accuracy", "hierarchical_f1"):
            assert values(tmp_path / "out", repeat=str(seed), parameters=f"c={c}", metric=measure) == [alone[measure]]


TUNED = """
[tune]
folds = 3
measure = "accuracy"
{halving}
[[data]]
name = "one"
file = "one.arff"
folds = 3
[[recipe]]
name = "tuned"
classifier = "top-down-logistic"
tune = {{ parameters = {{ c = [0.001, 0.1, 10] }} }}
[[recipe]]
name = "fixed"
classifier = "top-down-logistic"
parameters = {{ c = [0.001, 0.1, 10] }}
"""


def test_tuning_chooses_inside_the_training_part(inputs, tmp_path):
    """A fold's value is that of the recipe with the chosen parameter, which inner cross-validation by hand chooses too."""
    folds = [k % 3 for k in range(150)]
    (inputs / "folds.txt").write_text("\n".join(map(str, folds)) + "\n")
    study = spec(inputs, TUNED.format(halving="").replace("arff\"\nfolds = 3", "arff\"\nfold-file = \"folds.txt\""))
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    tuned = [row for row in rows(tmp_path / "out") if row["recipe"] == "tuned" and row["metric"] == "accuracy"]
    assert len(tuned) == 3
    for row in tuned:
        fixed = values(tmp_path / "out", recipe="fixed", parameters=row["tuned"], fold=row["fold"], metric="accuracy")
        assert fixed == [float(row["value"])]
    # The training part of the first fold, as a file, gives the same choice.
    header, body = re.split("(?i)@data\n", (inputs / "one.arff").read_text())
    samples = [line for line in body.splitlines() if line.strip()]
    (tmp_path / "part.arff").write_text(header + "@data\n" + "".join(
        line + "\n" for line, fold in zip(samples, folds) if fold != 0))
    reached = {c: run_json("evaluate", tmp_path / "part.arff", "--folds", 3, "--classifier", "top-down-logistic", "--c",
                           c)["accuracy"] for c in ("0.001", "0.1", "10")}
    assert tuned[0]["tuned"] == "c=" + max(reached, key=reached.get)


def test_halving_ends_with_one_candidate(inputs, tmp_path):
    study = spec(inputs, TUNED.format(halving="halving = true"))
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    for row in rows(tmp_path / "out"):
        if row["recipe"] != "tuned":
            continue
        assert row["tuned"] in ("c=0.001", "c=0.1", "c=10")
        assert values(tmp_path / "out", recipe="fixed", parameters=row["tuned"], fold=row["fold"], metric=row["metric"]) == \
            [float(row["value"])]


def test_other_taxonomies_are_learnt_with_and_the_given_one_is_measured_over(inputs, tmp_path):
    study = spec(inputs, """
measures = ["accuracy", "hierarchical_f1", "tie"]
[[data]]
name = "one"
file = "one.arff"
folds = 3
[[taxonomy]]
name = "given"
kind = "given"
[[taxonomy]]
name = "flat"
kind = "flat"
[[taxonomy]]
name = "random"
kind = "random"
draws = 3
[[taxonomy]]
name = "learned"
kind = "learned"
method = "agglomerative"
[[recipe]]
name = "flat"
classifier = "flat-svm"
[[recipe]]
name = "down"
classifier = "top-down-logistic"
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    # A flat classifier does not look at the taxonomy, and the measures look at the given one.
    given = values(tmp_path / "out", recipe="flat", taxonomy="given")
    for taxonomy in ("flat", "learned"):
        found = values(tmp_path / "out", recipe="flat", taxonomy=taxonomy)
        assert np.mean(found) == pytest.approx(np.mean(given), abs=0.03)
    down = {taxonomy: np.mean(values(tmp_path / "out", recipe="down", taxonomy=taxonomy, metric="accuracy"))
            for taxonomy in ("given", "random", "learned", "flat")}
    assert len(values(tmp_path / "out", recipe="down", taxonomy="random", metric="accuracy")) == 9
    assert down["given"] > down["random"]  # the data follow the given one
    draws = {tuple(values(tmp_path / "out", recipe="down", taxonomy="random", draw=str(draw))) for draw in (1, 2, 3)}
    assert len(draws) > 1


def test_samples_per_class_and_orders(inputs, tmp_path):
    study = spec(inputs, """
[[data]]
name = "few"
file = "one.arff"
per-class = [1, 5]
repeats = 3
[[recipe]]
name = "online"
classifier = "hierarchical-perceptron"
parameters = { epochs = 1 }
orders = 4
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    for k in (1, 5):
        found = [row for row in rows(tmp_path / "out") if row["dataset"] == f"few k={k}" and row["metric"] == "accuracy"]
        assert len(found) == 3 * 4
        assert len({row["samples"] for row in found}) == 1
    means = [np.mean(values(tmp_path / "out", dataset=f"few k={k}", metric="accuracy")) for k in (1, 5)]
    assert means[1] > means[0]
    assert len(set(values(tmp_path / "out", dataset="few k=5", repeat="1", metric="accuracy"))) > 1


CHEAP = """
[[data]]
name = "one"
file = "one.arff"
folds = 2
repeats = {repeats}
[[data]]
name = "two"
file = "two.arff"
holdout = 0.2
repeats = {repeats}
[[recipe]]
name = "prior"
classifier = "prior"
[[recipe]]
name = "svm"
classifier = "top-down-svm"
parameters = {{ c = {grid} }}
select = "hier-fisher"
top = [1, 2, 6]
"""


def killed(study, folder, kills, seconds):
    """Runs an experiment that dies at random moments, and then to its end."""
    draw = random.Random(7)
    for _ in range(kills):
        process = subprocess.Popen([CLADE, "experiment", study, "-o", folder, "--resume", "--quiet"], stdout=subprocess.DEVNULL)
        time.sleep(draw.uniform(0, seconds))
        process.send_signal(signal.SIGKILL)
        process.wait()
    run("experiment", study, "-o", folder, "--resume", "--quiet")


def test_death_at_any_moment_changes_nothing(inputs, tmp_path):
    full = bool(os.environ.get("CLADE_FULL"))
    repeats, grid = (77, [0.1, 1, 10, 100]) if full else (6, [1])  # 2 x 77 x 13 = 2,002 cells, or 48
    study = spec(inputs, CHEAP.format(repeats=repeats, grid=grid))
    start = time.monotonic()
    run("experiment", study, "-o", tmp_path / "whole", "--quiet")
    seconds = time.monotonic() - start
    killed(study, tmp_path / "broken", 10 if full else 5, seconds / (4 if full else 2))
    assert len(rows(tmp_path / "whole")) == (2 + 1) * 2 * repeats * (1 + 3 * len(grid))
    assert without_times(tmp_path / "broken") == without_times(tmp_path / "whole")
    again = run_json("experiment", study, "-o", tmp_path / "broken", "--resume")
    assert again["resumed"] == again["cells"]


def test_a_request_to_stop_is_heard(inputs, tmp_path):
    study = spec(inputs, CHEAP.format(repeats=60, grid=[1, 10]))
    process = subprocess.Popen([CLADE, "experiment", study, "-o", tmp_path / "out"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "out" / "journal.sqlite-wal").exists() and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    assert "stopped before the end, as asked; --resume goes on from here" in process.communicate()[1]
    assert process.returncode == 1
    assert not (tmp_path / "out" / "results.csv").exists()
    again = run_json("experiment", study, "-o", tmp_path / "out", "--resume")
    assert again["cells"] == 2 * 60 * 7 and again["failed"] == []


def test_threads_change_nothing(inputs, tmp_path):
    study = spec(inputs, CHEAP.format(repeats=2, grid=[1]))
    for threads in (1, 3):
        run("experiment", study, "-o", tmp_path / str(threads), "--threads", threads, "--quiet")
    assert without_times(tmp_path / "1") == without_times(tmp_path / "3")
    files = [json.loads((tmp_path / name / "summary.json").read_text()) for name in ("1", "3")]
    assert files[0] == files[1]


def test_a_run_goes_on_only_with_the_same_experiment_and_data(inputs, tmp_path):
    run("convert", inputs / "one.arff", "-o", tmp_path / "one.arff")
    text = '[[data]]\nname = "one"\nfile = "one.arff"\nfolds = 2\n[[recipe]]\nname = "p"\nclassifier = "prior"\n'
    study = spec(tmp_path, text)
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    assert "is not empty" in error_line("experiment", study, "-o", tmp_path / "out")
    spec(tmp_path, "# a comment changes nothing\n" + text)
    run("experiment", study, "-o", tmp_path / "out", "--resume", "--quiet")
    spec(tmp_path, text.replace("folds = 2", "folds = 3"))
    assert "data set 'one' changed since" in error_line("experiment", study, "-o", tmp_path / "out", "--resume", "--quiet")
    spec(tmp_path, text + '[[recipe]]\nname = "q"\nclassifier = "prior"\n')
    assert "recipe 'q' was added" in error_line("experiment", study, "-o", tmp_path / "out", "--resume", "--quiet")
    spec(tmp_path, text)
    assert "the seed changed" in error_line("experiment", study, "-o", tmp_path / "out", "--resume", "--seed", 2, "--quiet")
    (tmp_path / "one.arff").write_text((tmp_path / "one.arff").read_text() + "\n")
    assert "one.arff changed since" in error_line("experiment", study, "-o", tmp_path / "out", "--resume", "--quiet")


def test_a_cell_that_fails_is_recorded_and_the_rest_goes_on(inputs, tmp_path):
    study = spec(inputs, """
[[data]]
name = "one"
file = "one.arff"
folds = 2
[[recipe]]
name = "too many"
classifier = "top-down-svm"
select = "hier-fisher"
top = [3, 500]
[[recipe]]
name = "prior"
classifier = "prior"
""")
    process = run("experiment", study, "-o", tmp_path / "out", "--quiet", status=1)
    assert "cells that failed: 1 of 3" in process.stderr
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert [failed["cell"] for failed in summary["failed"]] == ["one, too many top=500, repeat 1, draw 1, order 1"]
    assert "500 features of 12" in summary["failed"][0]["error"]
    by_method = {row["method"]: row["value"] for row in rows(tmp_path / "out")}
    assert by_method["too many top=500"] == "" and by_method["prior"] != "" and by_method["too many top=3"] != ""


@pytest.fixture(scope="module")
def compared(inputs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    data = "".join(f'[[data]]\nname = "{name}"\nfile = "{name}.arff"\nfolds = 4\n' for name in ("one", "two", "three"))
    study = spec(inputs, 'measures = ["accuracy", "tie"]\n' + data + """
[[recipe]]
name = "prior"
classifier = "prior"
[[recipe]]
name = "svm"
classifier = "top-down-svm"
[[recipe]]
name = "logistic|odd_name"
classifier = "top-down-logistic"
""", "compared.toml")
    run("experiment", study, "-o", folder / "out", "--quiet")
    return folder / "out"


def test_compare_reads_the_results(compared):
    for measure in ("accuracy", "tie"):
        found = run_json("compare", compared, "--metric", measure)
        summary = json.loads((compared / "summary.json").read_text())
        tests = next(test for test in summary["tests"] if test["measure"] == measure)["over_datasets"]
        for method in found["methods"]:
            assert tests["average_ranks"][method["name"]] == pytest.approx(method["average_rank"])
        assert tests["friedman"]["p"] == pytest.approx(found["friedman"]["p_tie_corrected"])
        assert len(found["datasets"]) == 3
    assert run_json("compare", compared, "--metric", "fit_seconds")["better"] == "lower"


def test_means_and_best_values_are_those_of_the_rows(compared):
    summary = json.loads((compared / "summary.json").read_text())
    table = (compared / "tables.md").read_text()
    latex = (compared / "tables.tex").read_text()
    for entry in summary["values"]:
        own = values(compared, dataset=entry["dataset"], method=entry["method"], metric=entry["measure"])
        assert entry["mean"] == pytest.approx(np.mean(own)) and entry["deviation"] == pytest.approx(np.std(own, ddof=1))
        others = [other["mean"] for other in summary["values"]
                  if (other["dataset"], other["measure"]) == (entry["dataset"], entry["measure"])]
        is_best = entry["mean"] == (max(others) if entry["measure"] == "accuracy" else min(others))
        assert entry["best"] == is_best
        assert (f"**{entry['mean']:.4f}** ± {entry['deviation']:.4f}" in table) >= is_best
        assert (f"\\textbf{{{entry['mean']:.4f}}}" in latex) >= is_best
    assert "logistic\\|odd_name" in table and "logistic|odd\\_name" in latex


def test_pairs_over_folds_by_all_signs(compared):
    summary = json.loads((compared / "summary.json").read_text())
    for test in summary["tests"]:
        assert len(test["over_folds"]) == 3 * 3
        for pair in test["over_folds"]:
            a, b = (np.array(values(compared, dataset=pair["dataset"], method=pair[side], metric=test["measure"]))
                    for side in "ab")
            assert pair["difference"] == pytest.approx((a - b).mean())
            signs = np.array(list(itertools.product((-1, 1), repeat=4)))
            share = np.mean(np.abs((signs * (a - b)).mean(axis=1)) >= abs((a - b).mean()) - 1e-12)
            assert pair["p"] == pytest.approx(share)


def test_a_dry_run_shows_the_cells_and_runs_none(inputs, tmp_path):
    study = spec(inputs, CHEAP.format(repeats=4, grid=[1, 10]))
    text = run("experiment", study, "--dry-run", "--quiet", "--threads", 2).stdout
    assert "56 cells" in text and "on 2 threads" in text and "at most 400 samples" in text
    found = run_json("experiment", study, "--dry-run")
    assert len(found["cells"]) == 56 and {group["recipe"] for group in found["groups"]} == {"prior", "svm"}
    assert sum(group["cells"] for group in found["groups"]) == 56
    assert all(group["seconds_per_cell"] > 0 for group in found["groups"])


def test_one_process_at_a_time(inputs, tmp_path):
    study = spec(inputs, CHEAP.format(repeats=40, grid=[1, 10]))
    process = subprocess.Popen([CLADE, "experiment", study, "-o", tmp_path / "out", "--quiet"], stdout=subprocess.DEVNULL)
    while not (tmp_path / "out" / "journal.sqlite-wal").exists() and process.poll() is None:
        time.sleep(0.001)
    message = error_line("experiment", study, "-o", tmp_path / "out", "--resume", "--quiet")
    process.kill()
    process.wait()
    assert "another process is running this experiment" in message


def test_a_folder_that_is_none_and_a_journal_that_is_none(inputs, tmp_path):
    study = spec(inputs, CHEAP.format(repeats=1, grid=[1]))
    (tmp_path / "file").write_text("")
    assert "is no folder" in error_line("experiment", study, "-o", tmp_path / "file")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "journal.sqlite").write_text("not a database, but long enough to be looked at" * 100)
    assert "not a journal" in error_line("experiment", study, "-o", tmp_path / "other", "--resume", "--quiet")
    assert "nowhere to put" in error_line("experiment", study)


def test_a_small_memory_only_takes_longer(inputs, tmp_path):
    study = spec(inputs, CHEAP.format(repeats=2, grid=[1]))
    run("experiment", study, "-o", tmp_path / "a", "--quiet", "--threads", 3)
    run("experiment", study, "-o", tmp_path / "b", "--quiet", "--threads", 3, "--memory", "1M")
    assert without_times(tmp_path / "a") == without_times(tmp_path / "b")
    assert "expected an amount" in error_line("experiment", study, "-o", tmp_path / "c", "--memory", "much")


def test_features_selected_on_another_file(inputs, tmp_path, monkeypatch):
    """The protocol of published tables: select on one file, cross-validate on another. Files may be named by variables."""
    monkeypatch.setenv("STUDY_INPUTS", str(inputs))
    study = spec(tmp_path, """
seed = 3
measures = ["hierarchical_f1", "accuracy"]
[[data]]
name = "two"
file = "${STUDY_INPUTS}/two.arff"
select-on = "${STUDY_INPUTS}/one.arff"
folds = 3
[[recipe]]
name = "svm"
classifier = "top-down-svm"
select = ["hier-fisher", "hier-fs"]
top = [3, 6]
[[recipe]]
name = "all"
classifier = "top-down-svm"
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    for selector in ("hier-fisher", "hier-fs"):
        ranking = tmp_path / f"{selector}.json"
        run("select", inputs / "one.arff", "--method", selector, "--seed", 3, "-o", ranking)
        for top in (3, 6):
            alone = run_json("evaluate", inputs / "two.arff", "--folds", 3, "--seed", 3, "--classifier", "top-down-svm",
                             "--features", ranking, "--top", top)
            for measure in ("hierarchical_f1", "accuracy"):
                found = values(tmp_path / "out", method=f"svm select={selector} top={top}", metric=measure)
                assert found == [fold[measure] for fold in alone["folds"]], (selector, top, measure)
    alone = run_json("evaluate", inputs / "two.arff", "--folds", 3, "--seed", 3, "--classifier", "top-down-svm")
    assert values(tmp_path / "out", method="all", metric="accuracy") == [fold["accuracy"] for fold in alone["folds"]]


def test_labels_that_no_training_sample_has_are_ranked_last(tmp_path):
    """They leave no measure of rankings out; every class but the rare one ranks as before."""
    rows = [("x", 0.9, 0.1), ("x", 0.8, 0.2), ("x", 0.7, 0.1), ("y", 0.1, 0.9), ("y", 0.2, 0.8), ("y", 0.1, 0.7)]
    text = "a,b,label\n" + "".join(f"{a},{b},{label}\n" for label, a, b in rows * 3)
    (tmp_path / "train.csv").write_text(text)
    (tmp_path / "test.csv").write_text(text + "0.5,0.5,rare\n")
    (tmp_path / "tree.csv").write_text("child,parent\nx,all\ny,all\nrare,all\n")
    study = spec(tmp_path, """
measures = ["average_precision", "ranking_loss", "one_accuracy"]
[[data]]
name = "few"
train = "train.csv"
test = "test.csv"
taxonomy = "tree.csv"
[[taxonomy]]
name = "flat"
kind = "flat"
[[recipe]]
name = "svm"
classifier = "flat-svm"
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    count = len(rows) * 3 + 1
    assert values(tmp_path / "out", metric="one_accuracy") == [pytest.approx((count - 1) / count)]
    assert values(tmp_path / "out", metric="average_precision") == [pytest.approx((count - 1 + 1 / 3) / count)]
    assert values(tmp_path / "out", metric="ranking_loss") == [pytest.approx(1 / count)]


def test_no_selection_beside_several(inputs, tmp_path):
    """It takes all features, once."""
    study = spec(inputs, """
[[data]]
name = "one"
file = "one.arff"
folds = 3
[[recipe]]
name = "svm"
classifier = "top-down-svm"
select = ["none", "fisher"]
top = [3, 6]
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    assert sorted({row["method"] for row in rows(tmp_path / "out")}) == ["svm select=fisher top=3", "svm select=fisher top=6", "svm select=none"]
    alone = run_json("evaluate", inputs / "one.arff", "--folds", 3, "--classifier", "top-down-svm")
    assert values(tmp_path / "out", method="svm select=none", metric="accuracy") == [fold["accuracy"] for fold in alone["folds"]]
