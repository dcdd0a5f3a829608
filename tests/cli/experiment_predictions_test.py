"""clade experiment: kept predictions are those that were measured, whatever happens to the run; nothing is learnt from test
samples; samples are left out as by clade split."""

import csv
import random
import signal
import subprocess
import time

import pytest
from clade_tool import CLADE, error_line, run, run_json
from study import rows, small_sets, spec, values

MEASURES = ["accuracy", "hierarchical_f1", "tie"]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = small_sets(tmp_path_factory.mktemp("inputs"), "one", "two")
    run("synth", "-o", folder / "several.arff", "--samples", 150, "--features", 12)
    run("synth", "--text", "-o", folder / "texts.jsonl", "--documents", 300, "--levels", "3,9")
    (folder / "folds.txt").write_text("".join(f"{k % 3}\n" for k in range(150)))
    return folder


def files(folder):
    return {path.name: path.read_bytes() for path in (folder / "predictions").iterdir()}


RECIPES = """
[[recipe]]
name = "down"
classifier = "top-down-svm"
[[recipe]]
name = "ridge"
classifier = "kernel-ridge"
[[recipe]]
name = "joint"
classifier = "hierarchical-svm"
"""


@pytest.mark.parametrize("data", ["one", "several"])
def test_predictions_of_folds_give_the_values_again(inputs, tmp_path, data):
    study = spec(inputs, f"""
predictions = true
measures = {MEASURES}
[[data]]
name = "{data}"
file = "{data}.arff"
fold-file = "folds.txt"
""" + RECIPES)
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    for recipe in ("down", "ridge", "joint"):
        own = [row for row in rows(tmp_path / "out") if row["recipe"] == recipe]
        assert len({row["predictions"] for row in own}) == 1
        again = run_json("evaluate", inputs / f"{data}.arff", "--predictions", tmp_path / "out" / own[0]["predictions"],
                         "--fold-file", inputs / "folds.txt")
        for measure in MEASURES:
            assert [fold[measure] for fold in again["folds"]] == \
                [float(row["value"]) for row in own if row["metric"] == measure], (recipe, measure)
        with open(tmp_path / "out" / own[0]["predictions"], newline="") as file:
            assert {(int(row["sample"]), int(row["fold"])) for row in csv.DictReader(file)} == \
                {(sample, sample % 3 + 1) for sample in range(150)}


def test_ranked_predictions_give_the_measures_of_rankings_too(inputs, tmp_path):
    study = spec(inputs, """
measures = ["accuracy", "average_precision", "coverage_error"]
[[data]]
name = "one"
file = "one.arff"
fold-file = "folds.txt"
[[recipe]]
name = "joint"
classifier = "flat-svm"
predictions = "ranked"
[[recipe]]
name = "prior"
classifier = "prior"
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    assert {row["predictions"] for row in rows(tmp_path / "out") if row["recipe"] == "prior"} == {""}
    again = run_json("evaluate", inputs / "one.arff", "--predictions", tmp_path / "out" / "predictions" / "1.csv",
                     "--fold-file", inputs / "folds.txt")
    for measure in ("accuracy", "average_precision", "coverage_error"):
        assert [fold[measure] for fold in again["folds"]] == values(tmp_path / "out", recipe="joint", metric=measure)


def test_predictions_of_test_samples_alone(inputs, tmp_path):
    """Over every kind of taxonomy; samples that have none are left out on request only."""
    study = spec(inputs, f"""
predictions = true
measures = {MEASURES}
[[data]]
name = "apart"
train = "one.arff"
test = "two.arff"
[[data]]
name = "held out"
file = "one.arff"
holdout = 0.3
[[data]]
name = "few"
file = "one.arff"
per-class = 3
[[taxonomy]]
name = "given"
kind = "given"
[[taxonomy]]
name = "flat"
kind = "flat"
[[taxonomy]]
name = "learned"
kind = "learned"
[[recipe]]
name = "down"
classifier = "top-down-logistic"
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    found = rows(tmp_path / "out")
    assert len(files(tmp_path / "out")) == 9
    for row in found:
        data = inputs / ("two.arff" if row["dataset"] == "apart" else "one.arff")
        again = run_json("evaluate", data, "--predictions", tmp_path / "out" / row["predictions"], "--only-predicted")
        assert again[row["metric"]] == float(row["value"]), row
        assert again["samples"] == int(row["samples"])
    held_out = next(row["predictions"] for row in found if row["dataset"] == "held out")
    assert "without a prediction" in error_line("evaluate", inputs / "one.arff", "--predictions", tmp_path / "out" / held_out)
    assert "has no effect" in error_line("evaluate", inputs / "one.arff", "--classifier", "prior", "--folds", 2,
                                         "--only-predicted")


def test_predictions_survive_death_and_are_made_again_if_lost(inputs, tmp_path):
    study = spec(inputs, """
predictions = true
[[data]]
name = "one"
file = "one.arff"
folds = 2
repeats = 8
[[recipe]]
name = "svm"
classifier = "top-down-svm"
parameters = { c = [0.1, 1, 10] }
""")
    start = time.monotonic()
    run("experiment", study, "-o", tmp_path / "whole", "--quiet")
    seconds = time.monotonic() - start
    draw = random.Random(3)
    for _ in range(4):
        process = subprocess.Popen([CLADE, "experiment", study, "-o", tmp_path / "broken", "--resume", "--quiet"],
                                   stdout=subprocess.DEVNULL)
        time.sleep(draw.uniform(0, seconds / 2))
        process.send_signal(signal.SIGKILL)
        process.wait()
    run("experiment", study, "-o", tmp_path / "broken", "--resume", "--quiet")
    assert len(files(tmp_path / "whole")) == 24
    assert files(tmp_path / "broken") == files(tmp_path / "whole")
    (tmp_path / "broken" / "predictions" / "03.csv").unlink()
    (tmp_path / "broken" / "predictions" / "07.csv").write_text("sample,rank")
    again = run_json("experiment", study, "-o", tmp_path / "broken", "--resume")
    assert again["cells"] - again["resumed"] == 2
    assert files(tmp_path / "broken") == files(tmp_path / "whole")


def test_taxonomies_are_learnt_from_the_words_of_training_documents(inputs, tmp_path):
    """The accuracy is that of a taxonomy learnt from a file that holds the training documents alone."""
    study = spec(inputs, """
[[data]]
name = "texts"
file = "texts.jsonl"
holdout = 0.3
repeats = 3
min-documents = 4
[[taxonomy]]
name = "learned"
kind = "learned"
method = "agglomerative"
[[recipe]]
name = "svm"
classifier = "top-down-svm"
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    for seed in (1, 2, 3):
        parts = tmp_path / f"parts{seed}"
        run("split", inputs / "texts.jsonl", "--test", "0.3", "--seed", seed, "-o", parts)
        run("learn-taxonomy", parts / "train.jsonl", "--min-documents", 4, "-o", parts / "taxonomy.csv", "--seed", seed)
        alone = run_json("train", parts / "train.jsonl", "--taxonomy", parts / "taxonomy.csv", "--min-documents", 4,
                         "--classifier", "top-down-svm", "--test", parts / "test.jsonl", "-o", parts / "m.clade", "--seed", seed)
        assert values(tmp_path / "out", repeat=str(seed), metric="accuracy") == [alone["test"]["accuracy"]]


def test_what_is_learnt_does_not_depend_on_test_samples(inputs, tmp_path):
    """Other words and labels of the test documents change no prediction: the shares of mistakes follow from the labels."""
    lines = (inputs / "texts.jsonl").read_text().splitlines()
    for name, odd in (("plain", ""), ("odd", " zzunseen zzunseen zzother")):
        (tmp_path / f"{name}.jsonl").write_text("".join(
            (line[:-2] + odd + line[-2:] if k % 4 == 0 else line) + "\n" for k, line in enumerate(lines)))
    (tmp_path / "folds.txt").write_text("".join(f"{0 if k % 4 == 0 else 1}\n" for k in range(300)))
    study = spec(tmp_path, "predictions = true\n" + "".join(f"""
[[data]]
name = "{name}"
file = "{name}.jsonl"
fold-file = "folds.txt"
min-documents = 2
""" for name in ("plain", "odd")) + """
[tune]
folds = 2
[[taxonomy]]
name = "given"
kind = "given"
[[taxonomy]]
name = "learned"
kind = "learned"
[[recipe]]
name = "svm"
classifier = "top-down-svm"
select = "hier-fisher"
tune = { top = ["10%", "50%"], parameters = { c = [0.1, 10] } }
""")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    names = {(row["dataset"], row["taxonomy"]): row["predictions"] for row in rows(tmp_path / "out")}
    for taxonomy in ("given", "learned"):
        first, second = ((tmp_path / "out" / names[data, taxonomy]).read_text().splitlines() for data in ("plain", "odd"))
        of_fold_0 = [line for line in first[1:] if int(line.split(",")[0]) % 4 == 0]
        assert of_fold_0 == [line for line in second[1:] if int(line.split(",")[0]) % 4 == 0]
        assert {row["tuned"] for row in rows(tmp_path / "out") if row["fold"] == "1" and row["taxonomy"] == taxonomy} == \
            {next(row["tuned"] for row in rows(tmp_path / "out") if row["fold"] == "1" and row["taxonomy"] == taxonomy)}


def test_a_fold_file_has_a_line_for_samples_that_are_left_out_too(inputs, tmp_path):
    text = """
[[data]]
name = "part"
file = "several.arff"
fold-file = "folds.txt"
single-labels = true
[[recipe]]
name = "svm"
classifier = "top-down-svm"
predictions = true
"""
    study = spec(inputs, text)
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    assert len(run_json("experiment", study, "--dry-run")["cells"]) == 1
    lines = [line for line in (inputs / "several.arff").read_text().splitlines() if line[0:1] in "-0123456789" and line]
    expected = {(k, k % 3 + 1) for k, line in enumerate(lines) if "@" not in line.split(",")[-1]}
    with open(tmp_path / "out" / "predictions" / "1.csv", newline="") as file:
        assert {(int(row["sample"]), int(row["fold"])) for row in csv.DictReader(file)} == expected
    assert 0 < len(expected) < 150


KEPT = {"subtree": '"1"', "single-labels": "true", "first-label": "true", "without-duplicates": "true", "merge-below": "8"}


@pytest.mark.parametrize("key", KEPT)
def test_samples_are_left_out_as_by_split(tmp_path, key):
    run("synth", "-o", tmp_path / "all.arff", "--samples", 120, "--features", 6)
    text = (tmp_path / "all.arff").read_text()
    samples = [line for line in text.splitlines(keepends=True) if line[0] in "-0123456789"]
    (tmp_path / "all.arff").write_text(text + "".join(samples[:30]))
    value = KEPT[key]
    study = spec(tmp_path, f"""
[[data]]
name = "part"
file = "all.arff"
folds = 3
{key} = {value}
[[recipe]]
name = "svm"
classifier = "top-down-svm"
""")
    flag = [f"--{key}"] if value == "true" else [f"--{key}", value.strip('"')]
    run("split", tmp_path / "all.arff", *flag, "-o", tmp_path / "part.arff")
    run("experiment", study, "-o", tmp_path / "out", "--quiet")
    alone = run_json("evaluate", tmp_path / "part.arff", "--folds", 3, "--classifier", "top-down-svm")
    for measure in ("accuracy", "hierarchical_f1"):
        assert values(tmp_path / "out", metric=measure) == [fold[measure] for fold in alone["folds"]]
    assert alone["samples"] < 150 or key in ("first-label", "merge-below")
