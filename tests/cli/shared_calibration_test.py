"""Probabilities of classifiers that compare all classes at once: against a search by brute force, and as properties."""

import csv
import io
import math

import numpy as np
import pytest
from clade_tool import error_line, run, run_json

FOLDS = 3
SINGLE = ["--classifier flat-svm --scale none --c 0.5 --weights double --tolerance 1e-4",
          "--classifier hierarchical-svm --kernel rbf --c 10 --tolerance 1e-4",
          "--classifier hierarchical-perceptron --weights double"]


@pytest.fixture(scope="module")
def single(tmp_path_factory):
    """Two levels of classes that overlap: (path, rows of [name, x, y, z, label])."""
    folder = tmp_path_factory.mktemp("single")
    rng = np.random.RandomState(5)
    rows = []
    for i in range(240):
        c = rng.randint(6)
        centre = (2 * (c // 2) - 2, 1.5 * (c % 2), 0)
        rows.append([f"s{i}", *(f"{v:.4f}" for v in rng.normal(centre, 1.0)), f"n{c // 2}/n{c // 2}{c % 2}"])
    return write(folder / "data.csv", rows), rows


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    folder = tmp_path_factory.mktemp("several")
    rng = np.random.RandomState(6)
    rows = []
    for i in range(300):
        x = rng.normal(0, 1, 3)
        labels = [f"t/{'abc'[k]}" for k in range(3) if x[k] + rng.normal(0, 0.5) > 0.3] or ["t/none"]
        rows.append([f"s{i}", *(f"{v:.4f}" for v in x), ";".join(labels)])
    return write(folder / "data.csv", rows), rows


def write(path, rows):
    path.write_text("\n".join(",".join(row) for row in [["id", "x", "y", "z", "label"], *rows]) + "\n")
    return path


def predictions(*arguments):
    return list(csv.DictReader(io.StringIO(run("predict", *arguments, "--quiet").stdout)))


def scores_of(model, data, classes):
    """samples x classes"""
    found = {}
    for row in predictions(model, data, "--top-k", len(classes)):
        found.setdefault(row["sample"], {})[row["label"]] = float(row["score"])
    return np.array([[of[name] for name in classes] for of in found.values()])


def softmax(scores, temperature, doubt):
    powers = np.exp(temperature * (scores - scores.max(1, keepdims=True)))
    return (1 - doubt) * powers / powers.sum(1, keepdims=True) + doubt / scores.shape[1]


def squared_error(scores, truth, temperature, doubt):
    wrong = softmax(scores, temperature, doubt)
    unsure = 1 / (len(truth) + 2)
    wrong[np.arange(len(truth)), truth] -= 1 - unsure
    return ((wrong - unsure / scores.shape[1]) ** 2).sum()


@pytest.mark.parametrize("classifier", SINGLE)
def test_the_softmax_has_the_least_squared_error_on_samples_held_out(single, tmp_path, classifier):
    path, rows = single
    classes = sorted({row[4] for row in rows})
    truth = np.array([classes.index(row[4]) for row in rows])
    model = tmp_path / "m.clade"
    run("train", path, *classifier.split(), "--calibrate", "auto", "--calibration-folds", FOLDS, "-o", model)
    facts = run_json("info", model)["summary"]["softmax of scores"]
    temperature, doubt = (float(part.split()[1]) for part in facts.split(", "))

    # The samples of a class are dealt to the folds in turn; a class begins with the fold of its number.
    held_out = np.zeros((len(rows), len(classes)))
    # Nodes in breadth-first order: the root, three inner nodes, the classes from 4 on.
    turn = {name: (4 + k) % FOLDS for k, name in enumerate(classes)}
    fold = []
    for row in rows:
        fold.append(turn[row[4]])
        turn[row[4]] = (turn[row[4]] + 1) % FOLDS
    for k in range(FOLDS):
        inside = [i for i in range(len(rows)) if fold[i] == k]
        part = write(tmp_path / "part.csv", [rows[i] for i in range(len(rows)) if fold[i] != k])
        rest = write(tmp_path / "rest.csv", [rows[i] for i in inside])
        run("train", part, *classifier.split(), "-o", tmp_path / "part.clade", "--force")
        held_out[inside] = scores_of(tmp_path / "part.clade", rest, classes)

    own = squared_error(held_out, truth, temperature, doubt)
    grid = [squared_error(held_out, truth, t, d)
            for t in np.geomspace(temperature / 20, temperature * 20, 200) for d in np.linspace(0, 0.5, 51)]
    assert own <= min(grid) * (1 + 1e-3)

    # And prediction applies it to the scores of the model.
    run("train", path, *classifier.split(), "-o", tmp_path / "plain.clade")
    expected = softmax(scores_of(tmp_path / "plain.clade", path, classes), temperature, doubt)
    assert np.allclose(scores_of(model, path, classes), expected, atol=2e-3)


@pytest.mark.parametrize("classifier", [*SINGLE, "--classifier path-svm", "--classifier hieron"])
def test_probabilities_sum_to_one_and_inner_nodes_have_the_sum_of_their_classes(single, tmp_path, classifier):
    path, rows = single
    classes = sorted({row[4] for row in rows})
    model = tmp_path / "m.clade"
    run("train", path, *classifier.split(), "--calibrate", "temperature", "-o", model)
    probabilities = scores_of(model, path, classes)
    assert np.allclose(probabilities.sum(1), 1)
    for k, row in enumerate(predictions(model, path, "--levels", "--keep", "z,label")):
        best = probabilities[k].argmax()
        above = classes[best].split("/")[0]
        assert (row["label"], row["level_1"], row["level_2"]) == (classes[best], above, classes[best])
        inside = sum(p for name, p in zip(classes, probabilities[k]) if name.startswith(above + "/"))
        assert float(row["level_1_probability"]) == pytest.approx(inside)
        assert float(row["level_2_probability"]) == pytest.approx(probabilities[k].max())
        assert [row["z"], row["input_label"]] == rows[k][3:]
    for least in (0.4, 0.7, 0.95):
        for k, row in enumerate(predictions(model, path, "--confidence", least)):
            sums = {}
            for name, p in zip(classes, probabilities[k]):
                sums[name] = p
                sums[name.split("/")[0]] = sums.get(name.split("/")[0], 0) + p
            top = max("n0 n1 n2".split(), key=lambda name: sums[name])
            below = max((name for name in classes if name.startswith(top)), key=lambda name: sums[name])
            expected = below if sums[below] >= least else top if sums[top] >= least else "(root)"
            assert row["label"] == expected
    found = run_json("evaluate", model, path)
    assert found["expected_calibration_error"] is not None
    steps = run_json("predict", model, path, "--explain", 1)["explanations"][0]["steps"]
    assert steps[0]["probability"] == pytest.approx(probabilities[0].max())


@pytest.mark.parametrize("classifier", ["--classifier hierarchical-svm --scale none", "--classifier path-svm",
                                        "--classifier hierarchical-svm --kernel rbf --c 10"])
def test_several_labels_are_judged_by_one_sigmoid(several, tmp_path, classifier):
    path, rows = several
    classes = sorted({name for row in rows for name in row[4].split(";")})
    model = tmp_path / "m.clade"
    run("train", path, *classifier.split(), "--calibrate", "sigmoid", "-o", model)
    probabilities = scores_of(model, path, classes)
    truth = np.array([[name in row[4].split(";") for name in classes] for row in rows])
    # Of pairs with about the same probability, about that share are labels.
    for low in (0, 0.25, 0.5, 0.75):
        chosen = (probabilities >= low) & (probabilities < low + 0.25)
        if chosen.sum() < 50:
            continue
        assert abs(truth[chosen].mean() - probabilities[chosen].mean()) < 0.12
    for least in (0.2, 0.6):
        found = {}
        for row in predictions(model, path, "--threshold", least):
            found.setdefault(row["sample"], set()).add(row["label"])
        for k, labels in enumerate(found.values()):
            expected = {name for name, p in zip(classes, probabilities[k]) if p >= least}
            assert labels == (expected or {classes[probabilities[k].argmax()]})
    assert "several" in error_line("predict", model, path, "--levels")
    assert "--threshold" in error_line("predict", model, path, "--confidence", 0.5)


def test_calibration_does_not_change_which_labels_a_joint_model_gives(several, tmp_path):
    path, _ = several
    answers = []
    for calibrate in ("none", "auto"):
        model = tmp_path / f"{calibrate}.clade"
        run("train", path, "--classifier", "hierarchical-svm", "--scale", "none", "--calibrate", calibrate, "--decide",
            "own", "-o", model)
        answers.append([(row["sample"], row["label"]) for row in predictions(model, path)])
    assert answers[0] == answers[1]


def test_what_is_refused(single, several, tmp_path):
    plain = tmp_path / "plain.clade"
    run("train", single[0], "--classifier", "flat-svm", "-o", plain)
    assert "--calibrate" in error_line("predict", plain, single[0], "--levels")
    assert "--calibrate" in error_line("predict", plain, single[0], "--confidence", 0.9)
    assert "one label" in error_line("train", single[0], "--classifier", "flat-svm", "--calibrate", "sigmoid",
                                     "-o", tmp_path / "x.clade", "--quiet")
    assert "several" in error_line("train", several[0], "--classifier", "flat-svm", "--calibrate", "temperature",
                                   "-o", tmp_path / "x.clade", "--quiet")
    calibrated = tmp_path / "calibrated.clade"
    run("train", single[0], "--classifier", "flat-svm", "--calibrate", "auto", "-o", calibrated)
    assert "did you mean 'label'?" in error_line("predict", calibrated, single[0], "--keep", "labell", "--quiet")
    assert "--confidence" in error_line("predict", calibrated, single[0], "--threshold", 0.5)


def test_results_do_not_depend_on_threads(single, tmp_path):
    path, _ = single
    bytes_of = []
    for threads in (1, 2, 3):
        model = tmp_path / f"{threads}.clade"
        run("train", path, "--classifier", "path-svm", "--calibrate", "auto", "--threads", threads, "-o", model)
        bytes_of.append(model.read_bytes())
    assert bytes_of[0] == bytes_of[1] == bytes_of[2]


def rbf(a, b, gamma):
    return math.exp(-gamma * sum((x - y) ** 2 for x, y in zip(a, b)))


def test_a_kernel_is_explained_by_training_samples(single, tmp_path):
    path, rows = single
    model = tmp_path / "m.clade"
    gamma = 0.5
    run("train", path, "--classifier", "flat-svm", "--kernel", "rbf", "--gamma", gamma, "--scale", "none", "-o", model)
    values = {row[0]: [float(v) for v in row[1:4]] for row in rows}
    labels = {row[0]: row[4] for row in rows}
    for one in run_json("predict", model, path, "--explain", 5, "--reasons", 1000)["explanations"]:
        step = one["steps"][0]
        assert step["reasons"] == [] and step["examples"]
        # The score is the sum over the training samples, so the contributions make up the lead.
        assert sum(e["contribution"] for e in step["examples"]) == pytest.approx(step["margin"], abs=1e-6)
        for example in step["examples"]:
            assert example["labels"] == labels[example["sample"]]
            expected = rbf(values[one["sample"]], values[example["sample"]], gamma)
            assert example["similarity"] == pytest.approx(expected, abs=1e-6)
    decision = run_json("explain", model, "--class", "n1/n10", "--top", 3)["decisions"][0]
    assert [e["labels"] for e in decision["for"]] == ["n1/n10"] * 3
    assert all(e["weight"] < 0 and e["labels"] != "n1/n10" for e in decision["against"])


def test_swapped_files_are_noticed(single, tmp_path):
    path, _ = single
    model = tmp_path / "m.clade"
    found = tmp_path / "found.csv"
    run("train", path, "--classifier", "flat-svm", "-o", model)
    run("predict", model, path, "-o", found)
    assert "looks like predictions" in error_line("evaluate", found, "--predictions", path, "--quiet")
    run("evaluate", path, "--predictions", found)


def test_selection_without_a_number_of_features_is_noted(single, tmp_path):
    arguments = ["train", single[0], "--classifier", "top-down-svm", "--select", "fisher", "-o", tmp_path / "m.clade"]
    assert "all features that it ranks are kept" in run(*arguments).stderr
    assert "are kept" not in run(*arguments, "--top", 2, "--force").stderr


def test_probabilities_of_node_models_hold_on_other_samples(tmp_path):
    run("synth", "-o", tmp_path / "d.npz", "--samples", 2000, "--features", 8, "--single-label")
    run("split", tmp_path / "d.npz", "-o", tmp_path / "parts", "--test", "70%")
    train, test, model = tmp_path / "parts/train.npz", tmp_path / "parts/test.npz", tmp_path / "m.clade"
    run("train", train, "--classifier", "kernel-ridge", "--kernel", "rbf", "--width", 1, "--penalty", 0.2, "--scale", "none", "-o", model)
    found = run_json("evaluate", model, test)
    assert found["accuracy"] < 0.9 and found["expected_calibration_error"] < 0.05
    run("predict", model, test, "--top-k", 27, "-o", tmp_path / "p.csv")
    rows = np.loadtxt(tmp_path / "p.csv", delimiter=",", skiprows=1, usecols=3).reshape(found["samples"], -1)
    assert rows.sum(axis=1) == pytest.approx(1) and (np.diff(rows, axis=1) <= 0).all()
