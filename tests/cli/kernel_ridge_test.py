"""kernel-ridge on the command line: missing values, landmarks, memory."""

import numpy as np
import pytest
from clade_tool import error_line, run, run_json
from hierarchy_cases import DEEP, Problem


def with_holes(folder, problem, share, empty=()):
    """The problem as a table of which a share of the values is missing, and some columns have none at all."""
    missing = np.random.default_rng(4).random(problem.x.shape) < share
    missing[:, list(empty)] = True
    rows = [["label"] + [f"f{j}" for j in range(problem.x.shape[1])]]
    for own, x, is_missing in zip(problem.labels, problem.x, missing):
        rows.append(["|".join(own)] + ["" if lacks else repr(float(v)) for v, lacks in zip(x, is_missing)])
    (folder / "holes.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    _, *taxonomy = problem.write(folder)
    return [folder / "holes.csv", *taxonomy]


@pytest.mark.parametrize("scale", ["auto", "standard", "none", "unit"])
@pytest.mark.parametrize("empty", [(), (1, 3)])
def test_a_missing_value_is_the_mean(tmp_path, scale, empty):
    data = with_holes(tmp_path, Problem(31, DEEP, 90, 6), 0.15, empty)
    answers = []
    for options in ([], ["--missing", "mean"]):
        model = tmp_path / f"m{len(options)}.clade"
        trained = run("train", *data, "--classifier", "kernel-ridge", "--scale", scale, "--width", 1, *options, "-o", model)
        assert "missing values replaced by their feature's mean" in trained.stderr
        assert ("2 features have no value at all" in trained.stderr) == bool(empty)
        answers.append(run("predict", model, *data, "--nodes").stdout)
    assert answers[0] == answers[1]


def test_new_samples_may_lack_values_where_the_training_samples_did_not(tmp_path):
    problem = Problem(32, DEEP, 80, 5)
    model = tmp_path / "m.clade"
    run("train", *with_holes(tmp_path, problem, 0), "--classifier", "kernel-ridge", "--width", 1, "-o", model)
    means = Problem(32, DEEP, 80, 5)
    means.x[:, 2] = problem.x[:, 2].mean()
    by_hand = run("predict", model, *with_holes(tmp_path, means, 0), "--nodes").stdout.splitlines()
    found = run("predict", model, *with_holes(tmp_path, problem, 0, (2,)), "--nodes").stdout.splitlines()
    assert len(found) == len(by_hand)
    for one, other in zip(found[1:], by_hand[1:]):
        assert float(one.split(",")[-1]) == pytest.approx(float(other.split(",")[-1]), abs=1e-6)


def test_folds_take_missing_values(tmp_path):
    data = with_holes(tmp_path, Problem(33, DEEP, 80, 5), 0.1)
    options = ["--classifier", "kernel-ridge", "--width", 1, "--penalty", 0.5, "--folds", 3]
    measured = [run_json("evaluate", *data, *options, *more) for more in ([], ["--missing", "mean"])]
    assert measured[0]["hierarchical_f1"] == measured[1]["hierarchical_f1"]


def test_landmarks_keep_some_samples_and_most_of_the_scores(tmp_path):
    problem = Problem(34, DEEP, 300, 4)
    data = problem.write(tmp_path)
    scores, files = {}, {}
    for landmarks in (0, 150, 300):
        model = tmp_path / f"m{landmarks}.clade"
        trained = run_json("train", *data, "--classifier", "kernel-ridge", "--kernel", "rbf", "--width", 0.5, "--penalty", 0.5,
                           "--landmarks", landmarks, "--threads", 1, "-o", model)
        assert trained["summary"].get("landmarks") == ("150" if landmarks == 150 else None)
        files[landmarks] = model.stat().st_size
        rows = run("predict", model, *data, "--nodes").stdout
        scores[landmarks] = {tuple(row.split(",")[:2]): float(row.split(",")[-1]) for row in rows.splitlines()[1:]}
    assert scores[300] == scores[0]
    assert files[150] < 0.7 * files[0]
    keys = set(scores[0]) | set(scores[150])
    assert max(abs(scores[0].get(key, 0) - scores[150].get(key, 0)) for key in keys) < 0.1
    run("train", *data, "--classifier", "kernel-ridge", "--kernel", "rbf", "--width", 0.5, "--penalty", 0.5, "--landmarks", 150,
        "--threads", 3, "-o", tmp_path / "three.clade")
    assert run("predict", tmp_path / "three.clade", *data, "--nodes").stdout == run("predict", tmp_path / "m150.clade", *data, "--nodes").stdout


def test_little_memory_is_enough_for_landmarks(tmp_path):
    data = Problem(35, DEEP, 900, 4).write(tmp_path)
    options = ["--classifier", "kernel-ridge", "--width", 1, "--scale", "none", "--search-samples", 100, "-o", tmp_path / "m.clade", "--force"]
    trained = run("train", *data, *options, "--memory", "8M")
    assert "the kernel of 900 samples would take 13 MiB" in trained.stderr and "all are compared with" in trained.stderr
    assert 100 <= int(run_json("info", tmp_path / "m.clade")["summary"]["landmarks"]) < 400
    line = error_line("train", *data, *options, "--memory", "8M", "--landmarks", 800)
    assert "kernel-ridge needs" in line and "8 MiB, the limit of memory: that is enough for" in line and "--landmarks" in line
    assert "the limit of memory" in error_line("train", *data, *options, "--memory", "100K")


def test_an_amount_of_memory_is_checked_before_data_are_read(tmp_path):
    line = error_line("train", tmp_path / "none.csv", "--classifier", "kernel-ridge", "--memory", "abc", "-o", tmp_path / "m.clade")
    assert "--memory" in line and "'abc'" in line
