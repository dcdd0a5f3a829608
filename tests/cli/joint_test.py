"""Joint classifiers through the tool: bad input, streams, kernels, sequences."""

import json

import numpy as np
import pytest
from clade_tool import error_line, measures, run, run_json

TREE = "child,parent\na,root\nb,root\na1,a\na2,a\nb1,b\nb2,b\n"
ROWS = ["a1,1,0,0,0.1", "a1,0.9,0.1,0,0", "a2,0.8,0.7,0,0", "a2,0.7,0.9,0.1,0", "b1,0,0,1,0.2", "b1,0.1,0,0.9,0.1",
        "b2,0,0.1,0.7,0.9", "b2,0.1,0,0.8,0.8"]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "tree.csv").write_text(TREE)
    return tmp_path


def data(folder, rows, name="data.csv"):
    path = folder / name
    path.write_text("label,x,y,z,w\n" + "\n".join(rows) + "\n")
    return [path, "--taxonomy", folder / "tree.csv", "--label-column", "label"]


@pytest.mark.parametrize("classifier", ["hierarchical-svm", "flat-svm", "hierarchical-perceptron", "flat-perceptron", "hieron"])
def test_all_learn_what_is_easy(files, classifier):
    given = data(files, ROWS)
    run("train", *given, "--classifier", classifier, "-o", files / "m.clade")
    measured = run_json("evaluate", files / "m.clade", *given)
    assert measured["accuracy"] >= 0.875 and measured["average_precision"] >= 0.875 and measured["ranking_loss"] < 0.1
    run("predict", files / "m.clade", *given, "--top-k", 4, "-o", files / "p.csv")
    lines = (files / "p.csv").read_text().splitlines()
    assert len(lines) == 1 + 4 * len(ROWS)
    # From the file of the ranking the measures are the same.
    again = measures("evaluate", "--predictions", files / "p.csv", *given)
    assert {k: v for k, v in again.items() if v is not None} == {k: measured[k] for k, v in again.items() if v is not None}


BAD_TABLES = {
    "diagonal": ("--loss-matrix", "class,a1,a2,b1,b2\na1,1,1,1,1\na2,1,0,1,1\nb1,1,1,0,1\nb2,1,1,1,0\n", "expected 0 on the diagonal"),
    "negative": ("--loss-matrix", "class,a1,a2,b1,b2\na1,0,-1,1,1\na2,1,0,1,1\nb1,1,1,0,1\nb2,1,1,1,0\n", "expected a positive loss"),
    "missing class": ("--loss-matrix", "class,a1,a2\na1,0,1\na2,1,0\n", "no "),
    "not symmetric": ("--class-similarity", "class,a1,a2,b1,b2\na1,1,0.5,0,0\na2,0,1,0,0\nb1,0,0,1,0\nb2,0,0,0,1\n", "not symmetric"),
    "not positive": ("--class-similarity", "class,a1,a2,b1,b2\na1,0,1,0,0\na2,1,0,0,0\nb1,0,0,1,0\nb2,0,0,0,1\n",
                     "expected a positive semidefinite matrix"),
    "no number": ("--class-attributes", "class,p\na1,1\na2,x\nb1,0\nb2,0\n", "'x' is no number"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables_are_one_line(files, case):
    option, text, expected = BAD_TABLES[case]
    (files / "t.csv").write_text(text)
    line = error_line("train", *data(files, ROWS), "--classifier", "hierarchical-svm", option, files / "t.csv", "-o", files / "m.clade")
    assert expected in line
    assert not (files / "m.clade").exists()


def test_given_tables_are_used(files):
    given = data(files, ROWS)
    (files / "similar.csv").write_text("class,a1,a2,b1,b2\na1,1,0.5,0,0\na2,0.5,1,0,0\nb1,0,0,1,0.5\nb2,0,0,0.5,1\n")
    (files / "loss.csv").write_text("class,b2,b1,a2,a1\na1,2,2,1,0\na2,2,2,0,1\nb1,1,0,2,2\nb2,0,1,2,2\n")
    # What the hierarchy says, written down: half the nodes above, and two of the three levels below the root.
    objectives = []
    for tables in [[], ["--class-similarity", files / "similar.csv", "--loss-matrix", files / "loss.csv"]]:
        trained = run_json("train", *given, "--classifier", "hierarchical-svm", "--tolerance", 1e-7, *tables, "-o", files / "m.clade",
                           "--force")
        objectives.append(float(trained["summary"]["primal objective"]))
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-6)


BAD = {
    "all classes": (["a1;a2;b1;b2,1,0,0,0", *ROWS], ["--classifier", "hierarchical-svm"], "has all 4 classes as labels"),
    "C": (ROWS, ["--classifier", "flat-svm", "--c", 0], "above 0"),
    "C grid": (ROWS, ["--classifier", "flat-svm", "--c-grid", "1,-2"], "expected positive numbers"),
    "kernel": (ROWS, ["--classifier", "flat-svm", "--kernel", "subsequence"], "sequences"),
    "precomputed": (ROWS, ["--classifier", "flat-svm", "--kernel", "precomputed"], "expected"),
    "minover": (["b1,1,0,0,0.1", *ROWS], ["--classifier", "flat-perceptron", "--variant", "minover"], "have the same values but different labels"),
    "bias and kernel": (ROWS, ["--classifier", "flat-svm", "--kernel", "rbf", "--bias", 1], "--bias has no effect with a kernel"),
    "volumes": (ROWS, ["--classifier", "hierarchical-svm", "--node-volumes", "x.csv"], "--node-volumes has no effect"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line(files, case):
    rows, options, expected = BAD[case]
    assert expected in error_line("train", *data(files, rows), *options, "-o", files / "m.clade", "--quiet")
    assert not (files / "m.clade").exists()


@pytest.mark.parametrize("variant", ["online", "averaged"])
def test_hieron_takes_dags_and_several_labels(files, variant):
    (files / "tree.csv").write_text(TREE + "a2,b\n")
    given = data(files, [*ROWS, "a1;b2,0.9,0,0.6,0.9", "b1;a1,1,0,1,0.1"])
    run("train", *given, "--classifier", "hieron", "--variant", variant, "--weights", "double", "-o", files / "m.clade")
    measured = run_json("evaluate", files / "m.clade", *given)
    assert measured["ranking_loss"] < 0.1 and measured["hierarchical_f1"] > 0.8


def test_samples_of_zeros_are_counted(files):
    done = run("train", *data(files, [*ROWS, "a1,0,0,0,0"]), "--classifier", "hierarchical-svm", "-o", files / "m.clade")
    assert "1 sample has no value that is not 0" in done.stderr


@pytest.mark.parametrize("classifier", [["hierarchical-perceptron"], ["flat-perceptron", "--variant", "online"], ["hieron"]])
def test_a_stream_in_two_parts(files, classifier):
    classifier = [*classifier, "--scale", "none"]
    first = data(files, ROWS[::2], "first.csv")
    second = data(files, ROWS[1::2], "second.csv")
    whole = data(files, ROWS[::2] + ROWS[1::2], "whole.csv")
    run("train", *whole, "--classifier", *classifier, "--epochs", 1, "-o", files / "whole.clade")
    run("train", *first, "--classifier", *classifier, "--epochs", 1, "-o", files / "part.clade")
    run("train", "--append", files / "part.clade", *second)
    for name in ["whole", "part"]:
        run("predict", files / f"{name}.clade", *whole, "--top-k", 4, "-o", files / f"{name}-found.csv")
    assert (files / "whole-found.csv").read_text() == (files / "part-found.csv").read_text()


def scores_of(folder, model, given):
    run("predict", model, *given, "--top-k", 4, "-o", folder / "scores.csv", "--force")
    rows = [line.split(",") for line in (folder / "scores.csv").read_text().splitlines()[1:]]
    return {(row[0], row[2]): float(row[-1]) for row in rows}


@pytest.mark.parametrize("classifier", ["hierarchical-perceptron", "flat-perceptron", "hieron"])
def test_dense_data_are_standardised_and_go_on_with_the_first_scales(files, classifier):
    """What the tool does by itself is done by hand: all samples, by the means and deviations of the first part."""
    random = np.random.default_rng(4)
    labels = random.choice(["a1", "a2", "b1", "b2"], 60)
    x = random.normal(size=(60, 4)) + np.array([[labels[k] > "b", labels[k][1] == "1", 0, 0] for k in range(60)])
    x = x * [1, 100, 0.01, 3] + [5, -200, 0, 1]
    x[40:, 2] = 0  # where the second part is 0 throughout, it still differs from the mean of the first
    z = (x - x[:40].mean(0)) / x[:40].std(0)
    found = []
    for name, values, scale in [("plain", x, []), ("by-hand", z, ["--scale", "none"])]:
        rows = [",".join([label, *map(repr, map(float, row))]) for label, row in zip(labels, values)]
        first, second, whole = (data(files, part, f"{name}-{k}.csv") for k, part in enumerate([rows[:40], rows[40:], rows]))
        model = files / f"{name}.clade"
        run("train", *first, "--classifier", classifier, "--epochs", 3, "--weights", "double", *scale, "-o", model)
        found.append(scores_of(files, model, whole))
        run("train", "--append", model, *second)
        found.append(scores_of(files, model, whole))
    assert found[0] == pytest.approx(found[2], abs=1e-6) and found[1] == pytest.approx(found[3], abs=1e-6)
    assert found[0] != pytest.approx(found[1], abs=1e-3)
    sparse = [files / "plain-1.csv", "--taxonomy", files / "tree.csv", "--label-column", "label", "--storage", "sparse"]
    assert "with --storage dense" in error_line("train", "--append", files / "plain.clade", *sparse)


def test_sparse_data_are_brought_to_length_1(files):
    given = [*data(files, ROWS), "--storage", "sparse"]
    for scale in ["auto", "unit"]:
        run("train", *given, "--classifier", "hieron", "--scale", scale, "-o", files / f"{scale}.clade")
    assert scores_of(files, files / "auto.clade", given) == scores_of(files, files / "unit.clade", given)


def test_features_that_were_not_chosen_stay_without_weights(files):
    """Going on with a model keeps to the features that it began with."""
    first, second = data(files, ROWS[::2], "first.csv"), data(files, ROWS[1::2], "second.csv")
    changed = data(files, [row[:row.rindex(",")] + ",7" for row in ROWS[1::2]], "changed.csv")
    run("select", *first, "--method", "fisher", "--top", 3, "-o", files / "r.json")
    ranking = json.loads((files / "r.json").read_text())
    assert 3 not in ranking["nodes"][0]["ranking"]
    found = []
    for part in [second, changed]:
        run("train", *first, "--classifier", "flat-perceptron", "--features", files / "r.json", "--scale", "none", "-o", files / "m.clade", "--force")
        run("train", "--append", files / "m.clade", *part)
        found.append(scores_of(files, files / "m.clade", first))
    assert found[0] == found[1]


def test_what_cannot_go_on_is_one_line(files):
    given = data(files, ROWS)
    run("train", *given, "--classifier", "hierarchical-svm", "-o", files / "svm.clade")
    before = (files / "svm.clade").read_bytes()
    assert "cannot go on learning" in error_line("train", "--append", files / "svm.clade", *given)
    assert (files / "svm.clade").read_bytes() == before
    run("train", *given, "--classifier", "flat-perceptron", "-o", files / "p.clade")
    assert "expected --epochs at most" in error_line("train", "--append", files / "p.clade", *given, "--variant", "online")
    assert "it knows its classifier" in error_line("train", "--append", files / "p.clade", *given, "--classifier", "hieron")
    other = data(files, ["c,1,0,0,0"], "other.csv")
    (files / "tree.csv").write_text(TREE + "c,root\n")
    assert "'c'" in error_line("train", "--append", files / "p.clade", *other)


def test_sequences_with_the_subsequence_kernel(tmp_path):
    words = {"alpha": ["MKVLAAGIV", "MKVLSAGIV", "MKVLAAGLV", "MRVLAAGIV"], "beta": ["GGSTWWPQD", "GGSTWYPQD", "GASTWWPQD", "GGSTFWPQD"]}
    fasta = "".join(f">{label}{k} label={label}\n{word}\n" for label, below in words.items() for k, word in enumerate(below))
    (tmp_path / "train.fasta").write_text(fasta)
    (tmp_path / "new.fasta").write_text(">one\nMKVLAAGILLIVPA\n>two\nGGSTWWPQE\n")
    for classifier in ["flat-svm", "flat-perceptron"]:
        run("train", tmp_path / "train.fasta", "--classifier", classifier, "--kernel", "subsequence", "-o", tmp_path / "m.clade", "--force")
        run("predict", tmp_path / "m.clade", tmp_path / "new.fasta", "-o", tmp_path / "p.csv", "--force")
        lines = [line.split(",") for line in (tmp_path / "p.csv").read_text().splitlines()[1:]]
        assert [line[2] for line in lines] == ["alpha", "beta"]


def test_threads_change_nothing(tmp_path):
    run("synth", "-o", tmp_path / "s.arff", "--samples", 150)
    given = [tmp_path / "s.arff"]
    for threads in [1, 2, 3]:
        run("train", *given, "--classifier", "hierarchical-svm", "--threads", threads, "-o", tmp_path / f"{threads}.clade")
        run("predict", tmp_path / f"{threads}.clade", *given, "--top-k", 3, "--threads", threads, "-o", tmp_path / f"{threads}.csv")
    assert (tmp_path / "1.csv").read_text() == (tmp_path / "2.csv").read_text() == (tmp_path / "3.csv").read_text()
