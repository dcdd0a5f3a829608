"""clade select --solver exact, --path and --select-lambda: against scikit-learn's MultiTaskLasso, and as users run them."""

import re

import numpy as np
import pytest
from clade_tool import error_line, run, run_json
from sklearn.linear_model import MultiTaskLasso


def problem(samples, features, seed, correlation=0.0, classes=4):
    random = np.random.default_rng(seed)
    x = random.standard_normal((samples, features))
    for j in range(1, features):
        x[:, j] = correlation * x[:, j - 1] + np.sqrt(1 - correlation**2) * x[:, j]
    weights = random.standard_normal((features, classes)) * (random.random((features, 1)) < 0.3)
    labels = (x @ weights + random.standard_normal((samples, classes))).argmax(1)
    y = (labels[:, None] == np.unique(labels)).astype(float)
    return x, labels, y


def write(folder, x, labels):
    path = folder / "data.npz"
    np.savez(path, X=x, y=labels)
    return path


def largest_lambda(x, y):
    return 2 * np.linalg.norm(x.T @ y, axis=1).max()


CASES = [(200, 30, 0.0), (200, 30, 0.9), (40, 90, 0.0), (40, 90, 0.9)]


@pytest.mark.parametrize("samples, features, correlation", CASES)
@pytest.mark.parametrize("share", [0.5, 0.1, 0.02])
def test_reaches_the_minimum_that_scikit_learn_finds(tmp_path, samples, features, correlation, share):
    x, labels, y = problem(samples, features, 1, correlation)
    penalty = share * largest_lambda(x, y)
    ranking = run_json("select", write(tmp_path, x, labels), "--method", "hier-fs", "--solver", "exact", "--lambda", penalty,
                       "--gap", 1e-8)
    # scikit-learn minimises (1 / 2n) ||Y - XW||^2 + a ||W||_21: the same for a = lambda / 2n.
    lasso = MultiTaskLasso(alpha=penalty / (2 * samples), fit_intercept=False, tol=1e-10, max_iter=1000000).fit(x, y)
    w = lasso.coef_.T
    norms = np.linalg.norm(w, axis=1)
    expected = ((x @ w - y) ** 2).sum() + penalty * norms.sum()
    assert ranking["objective"][-1] == pytest.approx(expected, rel=1e-6)
    assert 0 <= ranking["gap"] <= 1e-8
    (node,) = ranking["nodes"]
    found = np.zeros(features)
    found[node["ranking"]] = node["weight"]
    assert np.abs(found - norms).max() < 0.01 * norms.max()
    kept = found > 0
    assert (norms[kept] > 0).sum() >= 0.95 * kept.sum()


def test_never_above_reweighting(tmp_path):
    x, labels, y = problem(200, 30, 2, 0.9)
    data = write(tmp_path, x, labels)
    for share in (0.5, 0.05, 0.001):
        penalty = share * largest_lambda(x, y)
        common = ["select", data, "--method", "hier-fs", "--lambda", penalty]
        irls = run_json(*common)
        exact = run_json(*common, "--solver", "exact")
        assert irls["gap"] is None
        assert exact["objective"][: len(irls["objective"])] == irls["objective"]
        assert exact["objective"][-1] <= irls["objective"][-1]


def test_above_the_largest_lambda_nothing_is_left(tmp_path):
    x, labels, y = problem(60, 10, 3)
    ranking = run_json("select", write(tmp_path, x, labels), "--method", "hier-fs", "--solver", "exact", "--lambda",
                       1.001 * largest_lambda(x, y), "--allow-zero-weights")
    assert ranking["gap"] == 0
    assert set(ranking["nodes"][0]["weight"]) == {0}
    # With all weights zero, features are in the order of ||X_j'Y||.
    order = np.argsort(-np.linalg.norm(x.T @ y, axis=1), kind="stable")
    assert ranking["nodes"][0]["ranking"] == order.tolist()


def test_path_is_ordered_by_entry(tmp_path):
    x, labels, y = problem(150, 20, 4, 0.5)
    data = write(tmp_path, x, labels)
    ranking = run_json("select", data, "--method", "hier-fs", "--path", 9, "--path-ratio", 0.01)
    lambdas = largest_lambda(x, y) * 0.01 ** (np.arange(9) / 8)
    assert len(ranking["objective"]) == 9
    (note,) = [note for note in ranking["notes"] if "lambdas:" in note]
    assert [float(v) for v in re.findall(r"[\d.e+-]+", note.split("lambdas:")[1])] == pytest.approx(lambdas, rel=1e-4)
    entered = {}
    for penalty in lambdas:
        one = run_json("select", data, "--method", "hier-fs", "--solver", "exact", "--lambda", penalty, "--gap", 1e-9,
                       "--allow-zero-weights")
        for feature, weight in zip(one["nodes"][0]["ranking"], one["nodes"][0]["weight"]):
            if weight > 1e-6:  # at the largest lambda nothing enters but by rounding
                entered.setdefault(feature, penalty)
    node = ranking["nodes"][0]
    assert node["weight"] == sorted(node["weight"], reverse=True)
    for feature, weight in zip(node["ranking"], node["weight"]):
        assert weight == pytest.approx(entered.get(feature, 0), rel=1e-9)


def test_cross_validation_names_its_lambda(tmp_path):
    x, labels, y = problem(150, 20, 5)
    data = write(tmp_path, x, labels)
    common = ["select", data, "--method", "hier-fs", "--solver", "exact"]
    chosen = run_json(*common, "--select-lambda", "cv", "--path", 12, "--cv-folds", 4, "--seed", 3)
    penalty = chosen["parameters"]["lambda"]
    assert 0 < penalty < largest_lambda(x, y)
    assert any(note.startswith(f"lambda {penalty:.6g}") for note in chosen["notes"]), chosen["notes"]
    given = run_json(*common, "--lambda", repr(penalty))
    assert given["nodes"][0]["ranking"] == chosen["nodes"][0]["ranking"]
    again = run_json(*common, "--select-lambda", "cv", "--path", 12, "--cv-folds", 4, "--seed", 3)
    assert again["nodes"] == chosen["nodes"]


IDLE = [
    (["--gap", 1e-4], ["--solver", "exact"], "--gap has no effect without --solver exact, --path or --select-lambda cv"),
    (["--cv-folds", 3], ["--select-lambda", "cv"], "--cv-folds has no effect without --select-lambda cv"),
    (["--path-ratio", 0.1], ["--path", 3], "--path-ratio has no effect without --path or --select-lambda cv"),
    (["--path", 3, "--lambda", 5], [], "--lambda has no effect with --path, which tries many"),
    (["--select-lambda", "cv", "--lambda", 5], [], "--lambda has no effect with --select-lambda cv, which chooses it"),
]


@pytest.mark.parametrize("flags, needed, note", IDLE, ids=[case[0][-2] for case in IDLE])
def test_parameters_without_effect_are_noted(tmp_path, flags, needed, note):
    x, labels, _ = problem(60, 10, 6)
    command = ["select", write(tmp_path, x, labels), "--method", "hier-fs", *flags]
    assert note in run_json(*command)["notes"]
    assert run(*command).stderr.count(f"clade: {note}\n") == 1
    assert run_json(*command[:4])["notes"] == []
    if needed:
        assert not any("no effect" in found for found in run_json(*command, *needed)["notes"])


@pytest.mark.parametrize("flags", [["--solver", "exact"], ["--path", "5"], ["--select-lambda", "cv"]])
def test_methods_without_a_convex_problem_say_what_to_do(tmp_path, flags):
    x, labels, _ = problem(60, 10, 6)
    data = write(tmp_path, x, labels)
    for method, advice in [("hfscn", "--solver irls"), ("hfsdk", "--solver irls"), ("fs-mgkc", "--redundancy psd")]:
        own = ["--redundancy", "distances"] if method == "fs-mgkc" else []
        assert advice in error_line("select", data, "--method", method, *flags, *own)
