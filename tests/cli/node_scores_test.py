"""Scores at every node (clade predict --nodes), and the areas under their precision-recall curves, which scikit-learn
and plain definitions give too."""

import csv
import json

import numpy as np
import pytest
from clade_tool import attempt, error_line, run, run_json
from hierarchy_cases import DAG, DEEP, Problem, predictions
from sklearn.metrics import average_precision_score, coverage_error

CLASSIFIERS = [method["name"] for method in run_json("methods")["classifiers"]]
AREAS = ["au_prc", "au_prc_clus", "au_prc_macro", "au_prc_weighted"]


def trained(folder, problem, classifier, *options):
    """A model of the even samples and the arguments that name the odd ones; None where the classifier refuses."""
    model = folder / "model.clade"
    arguments = problem.part(list(range(0, len(problem.labels), 2))).write(folder)
    process = attempt("train", *arguments, "--classifier", classifier, *options, "-o", model)
    test = problem.part(list(range(1, len(problem.labels), 2)))
    return (None, None, None) if process.returncode == 2 else (model, test, test.write(folder))


def node_scores(problem, model, arguments, *options):
    """samples x nodes but the root, from the rows that the tool writes."""
    table = np.zeros((len(problem.labels), len(problem.names)))
    rows = csv.DictReader(run("predict", model, *arguments, "--nodes", *options).stdout.splitlines())
    for row in rows:
        table[int(row["sample"][1:]), problem.names.index(row["node"])] = float(row["score"])
    assert not table[:, 0].any()
    return table[:, 1:]


def closed_labels(problem):
    table = np.zeros((len(problem.labels), len(problem.names)))
    for s, labels in enumerate(problem.labels):
        for label in labels:
            table[s, [problem.names.index(node) for node in problem.above(label)]] = 1
    return table[:, 1:]


def calibration_error(p, is_true):
    bins = np.minimum((p * 15).astype(int), 14)
    return sum(abs(p[bins == b].sum() - is_true[bins == b].sum()) for b in range(15)) / len(p)


@pytest.mark.parametrize("classifier, options", [("kernel-ridge", []), ("top-down-svm", ["--calibrate", "sigmoid"]),
                                                 ("hierarchical-svm", ["--calibrate", "auto"])])
@pytest.mark.parametrize("parents, multi", [(DEEP, True), (DAG, True), (DEEP, False)])
def test_calibration_of_nodes(tmp_path, classifier, options, parents, multi):
    problem = Problem(31, parents, 120, 6, multi=multi)
    model, test, arguments = trained(tmp_path, problem, classifier, *options)
    scores, truth = node_scores(test, model, arguments), closed_labels(test)
    run("predict", model, *arguments, "-o", tmp_path / "p.csv")
    found = predictions(tmp_path / "p.csv")
    for s in range(len(test.labels)):
        test.labels[s] = found[f"s{s}"][0]
    is_predicted = closed_labels(test) == 1
    measured = run_json("evaluate", model, *arguments)
    assert measured["pair_calibration_error"] == pytest.approx(calibration_error(scores.ravel(), truth.ravel()))
    assert measured["node_calibration_error"] == pytest.approx(calibration_error(scores[is_predicted], truth[is_predicted]))
    kept = [name != "n4" for name in test.names[1:]]
    assert (run_json("evaluate", model, *arguments, "--exclude-nodes", "n4")["pair_calibration_error"] ==
            pytest.approx(calibration_error(scores[:, kept].ravel(), truth[:, kept].ravel())))
    none = run_json("evaluate", model, *arguments, "--node-measures", "no")
    assert none["pair_calibration_error"] is None and none["expected_calibration_error"] is not None
    assert "scores of nodes as probabilities" in run("evaluate", model, *arguments).stdout


def clus_area(truth, scores):
    """All points of the curve in (TP, FP), with those between for every true positive; the first precision holds from
    recall 0 on."""
    points, right, wrong = [], 0, 0
    for threshold in sorted(set(scores), reverse=True):
        block = truth[scores == threshold]
        more_right, more_wrong = int(block.sum()), int(len(block) - block.sum())
        if not points:
            points.append((0, more_right / len(block)))
        elif more_right:
            for k in range(1, more_right):
                tp, fp = right + k, wrong + more_wrong * k / more_right
                points.append((tp, tp / (tp + fp)))
        right, wrong = right + more_right, wrong + more_wrong
        points.append((right, right / (right + wrong)))
    recall, precision = np.array(points).T
    return float(np.sum(np.diff(recall) * (precision[1:] + precision[:-1]) / 2) / truth.sum())


def areas(truth, scores):
    positive = truth.sum(axis=0) > 0
    own = [average_precision_score(truth[:, v], scores[:, v]) for v in np.flatnonzero(positive)]
    weights = truth.sum(axis=0)[positive]
    return {"au_prc": average_precision_score(truth, scores, average="micro"), "au_prc_macro": np.mean(own),
            "au_prc_weighted": np.average(own, weights=weights), "au_prc_clus": clus_area(truth.ravel(), scores.ravel())}


PROBLEMS = [Problem(31, DEEP, 120, 6), Problem(32, DAG, 120, 6), Problem(33, DEEP, 120, 6, multi=True, inner=True),
            Problem(34, DAG, 120, 6, multi=True)]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_scores_never_rise_on_the_way_down(tmp_path, classifier):
    tried = 0
    for problem in PROBLEMS:
        model, test, arguments = trained(tmp_path, problem, classifier)
        if model is None:
            continue
        tried += 1
        for rule in ("descendants", "ancestors"):
            scores = node_scores(test, model, arguments, "--consistency", rule)
            assert (scores >= 0).all() and (scores <= 1).all()
            for k, node in enumerate(test.names[1:]):
                for parent in test.parents[node]:
                    if parent != test.names[0]:
                        assert (scores[:, k] <= scores[:, test.names.index(parent) - 1]).all()
    assert tried > 0


@pytest.mark.parametrize("classifier", ["top-down-svm", "top-down-logistic", "path-svm", "hierarchical-svm"])
def test_areas_are_those_of_scikit_learn(tmp_path, classifier):
    for k, problem in enumerate(PROBLEMS):
        folder = tmp_path / str(k)
        folder.mkdir()
        model, test, arguments = trained(folder, problem, classifier)
        found = run_json("evaluate", model, *arguments)
        expected = areas(closed_labels(test), node_scores(test, model, arguments))
        assert {name: found[name] for name in AREAS} == pytest.approx(expected, abs=1e-12)
        # The baseline is every node's frequency.
        truth = closed_labels(test)
        constant = areas(truth, np.tile(truth.mean(axis=0), (len(truth), 1)))
        assert {name: found["baseline"][name] for name in AREAS} == pytest.approx(constant, abs=1e-12)


def test_excluded_nodes_folds_and_intervals(tmp_path):
    model, test, arguments = trained(tmp_path, PROBLEMS[3], "top-down-logistic")
    truth, scores = closed_labels(test), node_scores(test, model, arguments)
    found = run_json("evaluate", model, *arguments, "--exclude-nodes", "n1,n3")
    kept = [k for k, node in enumerate(test.names[1:]) if node not in ("n1", "n3")]
    assert {name: found[name] for name in AREAS} == pytest.approx(areas(truth[:, kept], scores[:, kept]), abs=1e-12)
    folds = np.arange(len(truth)) * 7 % 3
    (tmp_path / "folds.csv").write_text("".join(f"{fold}\n" for fold in folds))
    found = run_json("evaluate", model, *arguments, "--fold-file", tmp_path / "folds.csv", "--bootstrap", "--resamples", 50)
    apart = [areas(truth[folds == fold], scores[folds == fold]) for fold in range(3)]
    for name in AREAS:
        assert found[name] == pytest.approx(np.mean([values[name] for values in apart]), abs=1e-12)
        assert found[name + "_deviation"] == pytest.approx(np.std([values[name] for values in apart], ddof=1), abs=1e-12)
        assert [fold[name] for fold in found["folds"]] == pytest.approx([values[name] for values in apart], abs=1e-12)
        assert found[name + "_low"] <= found[name] <= found[name + "_high"]


def test_cross_validation_scores_nodes_by_models_of_the_other_folds(tmp_path):
    problem = PROBLEMS[1]
    arguments = problem.write(tmp_path)
    folds = np.arange(120) * 7 % 3
    (tmp_path / "folds.csv").write_text("".join(f"{fold}\n" for fold in folds))
    found = run_json("evaluate", *arguments, "--classifier", "flat-svm", "--fold-file", tmp_path / "folds.csv")
    apart = []
    for fold in range(3):
        inside, outside = problem.part(np.flatnonzero(folds == fold)), problem.part(np.flatnonzero(folds != fold))
        inside.labels = [problem.labels[s] for s in np.flatnonzero(folds == fold)]
        run("train", *outside.write(tmp_path), "--classifier", "flat-svm", "-o", tmp_path / "m.clade", "--force")
        apart.append(areas(closed_labels(inside), node_scores(inside, tmp_path / "m.clade", inside.write(tmp_path))))
    for name in AREAS:
        assert found[name] == pytest.approx(np.mean([values[name] for values in apart]), abs=1e-12)


def test_threads_change_nothing(tmp_path):
    model, _, arguments = trained(tmp_path, PROBLEMS[2], "top-down-svm")
    documents = {run("evaluate", model, *arguments, "--bootstrap", "--resamples", 20, "--json", "--threads", threads).stdout
                 for threads in (1, 2, 3)}
    assert len(documents) == 1
    rows = {run("predict", model, *arguments, "--nodes", "--threads", threads).stdout for threads in (1, 2, 3)}
    assert len(rows) == 1


def test_rows_above_a_threshold_and_json_lines(tmp_path):
    model, test, arguments = trained(tmp_path, PROBLEMS[0], "top-down-logistic")
    scores = node_scores(test, model, arguments)
    some = node_scores(test, model, arguments, "--node-threshold", 0.1)
    assert (some == np.where(scores > 0.1, scores, 0)).all() and 0 < (some > 0).sum() < (scores > 0).sum()
    lines = run("predict", model, *arguments, "--nodes", "--to", "json-lines", "--node-threshold", 0.1).stdout.splitlines()
    assert len(lines) == len(test.labels)
    for s, line in enumerate(map(json.loads, lines)):
        assert line["sample"] == f"s{s}"
        assert {e["node"]: e["score"] for e in line["nodes"]} == \
            {node: some[s, k] for k, node in enumerate(test.names[1:]) if some[s, k] > 0}
    run("predict", model, *arguments, "--nodes", "-o", tmp_path / "nodes.csv")
    assert (tmp_path / "nodes.csv").read_text() == run("predict", model, *arguments, "--nodes").stdout
    assert "expected --nodes" in error_line("predict", model, *arguments, "--node-threshold", 0.1)
    assert "expected one of them" in error_line("predict", model, *arguments, "--nodes", "--explain", 1)


def test_labels_that_the_model_does_not_know_come_last(tmp_path):
    problem = PROBLEMS[0]
    known = problem.part([s for s, labels in enumerate(problem.labels) if labels != ["n8"]])
    known.names = [node for node in problem.names if node != "n8"]
    run("train", *known.write(tmp_path), "--classifier", "flat-svm", "-o", tmp_path / "m.clade")
    found = run_json("evaluate", tmp_path / "m.clade", *problem.write(tmp_path))
    scores = node_scores(problem, tmp_path / "m.clade", problem.write(tmp_path))
    scores[:, problem.names.index("n8") - 1] = -1
    expected = areas(closed_labels(problem), scores)
    assert {name: found[name] for name in AREAS} == pytest.approx(expected, abs=1e-12)
    # Measures of rankings apply, and samples of the unknown class have it in the last place.
    classes = [n for n in problem.names if n not in problem.internal]
    assert found["coverage_error"] >= len(classes) * sum(labels == ["n8"] for labels in problem.labels) / 120
    assert found["average_precision"] is not None


def test_rankings_survive_classes_that_a_fold_does_not_see(tmp_path):
    problem = Problem(40, DEEP, 60, 5)
    problem.labels[10] = ["n11"]
    for s in range(60):
        if s != 10 and problem.labels[s] == ["n11"]:
            problem.labels[s] = ["n10"]  # n11 has one sample: when it is held out, nobody knows it
    arguments = problem.write(tmp_path)
    process = run("evaluate", *arguments, "--classifier", "flat-svm", "--classes", "seen", "--folds", 3, "--json")
    found = json.loads(process.stdout)
    assert found["coverage_error"] is not None and found["ranking_loss"] is not None
    assert "which is ranked last: 1" in process.stderr


def test_coverage_and_first_labels_are_those_of_scikit_learn(tmp_path):
    generator = np.random.default_rng(3)
    classes = [f"c{k}" for k in range(12)]
    truth = generator.random((50, 12)) < 0.2
    truth[np.arange(50), generator.integers(0, 12, 50)] = True
    scores = generator.integers(0, 8, (50, 12)) / 8
    data = [f"s{s},0,{';'.join(c for k, c in enumerate(classes) if truth[s, k])}\n" for s in range(50)]
    (tmp_path / "data.csv").write_text("sample,x,label\n" + "".join(data))
    order = np.argsort(-scores, axis=1, kind="stable")
    rows = [f"s{s},{r + 1},{classes[k]},{scores[s, k]!r}\n" for s in range(50) for r, k in enumerate(order[s])]
    (tmp_path / "p.csv").write_text("sample,rank,label,score\n" + "".join(rows))
    found = run_json("evaluate", "--predictions", tmp_path / "p.csv", tmp_path / "data.csv", "--at", 8)
    assert found["coverage_error"] == pytest.approx(coverage_error(truth, scores), abs=1e-12)
    for name, k in (("1", 1), ("3", 3), ("5", 5), ("k", 8)):
        hits = np.take_along_axis(truth, order[:, :k], axis=1).sum(axis=1)
        assert found[f"precision_at_{name}"] == pytest.approx(np.mean(hits / k), abs=1e-12)
        assert found[f"recall_at_{name}"] == pytest.approx(np.mean(hits / truth.sum(axis=1)), abs=1e-12)


def test_the_curve_has_the_area(tmp_path):
    model, test, arguments = trained(tmp_path, PROBLEMS[3], "top-down-logistic")
    found = run_json("evaluate", model, *arguments, "--curve", tmp_path / "curve.csv")
    with open(tmp_path / "curve.csv") as file:
        points = [tuple(map(float, row.values())) for row in csv.DictReader(file)]
    threshold, recall, precision = np.array(points).T
    assert np.sum(np.diff(recall, prepend=0) * precision) == pytest.approx(found["au_prc"], abs=1e-9)
    assert recall[-1] == 1 and (np.diff(threshold) < 0).all()
    run("evaluate", model, *arguments, "--curve", tmp_path / "curve.svg")
    text = (tmp_path / "curve.svg").read_text()
    assert text.startswith("<svg") and f"area {found['au_prc']:.4f}" in text
    assert "exists" in error_line("evaluate", model, *arguments, "--curve", tmp_path / "curve.svg")
    run("evaluate", model, *arguments, "--curve", tmp_path / "curve.svg", "--force")


def test_bad_requests(tmp_path):
    model, test, arguments = trained(tmp_path, PROBLEMS[0], "top-down-svm")
    assert "no node 'nobody'" in error_line("evaluate", model, *arguments, "--exclude-nodes", "n1,nobody")
    assert ".csv or .svg" in error_line("evaluate", model, *arguments, "--curve", tmp_path / "curve.png")
    assert "--node-measures no" in error_line("evaluate", model, *arguments, "--curve", tmp_path / "c.csv",
                                              "--node-measures", "no")
    assert "expected --curve" in error_line("evaluate", model, *arguments, "--force")
    assert "--fold-average has no effect" in error_line("evaluate", model, *arguments, "--fold-average", "samples")
    run("predict", model, *arguments, "-o", tmp_path / "p.csv")
    for idle in (["--exclude-nodes", "n1"], ["--node-measures", "yes"], ["--curve", tmp_path / "c.csv"]):
        assert "expected a model or --classifier C" in \
            error_line("evaluate", "--predictions", tmp_path / "p.csv", *arguments, *idle)
    found = run_json("evaluate", model, *arguments, "--node-measures", "no")
    assert all(found[name] is None for name in AREAS)


def test_many_scores_are_left_out_with_a_note(tmp_path):
    """20 million scores are the limit: 210,000 samples at 101 nodes are more."""
    (tmp_path / "train.csv").write_text("x,label\n" + "".join(f"{k},c{k}\n" for k in range(100)))
    run("train", tmp_path / "train.csv", "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    (tmp_path / "test.csv").write_text("x,label\n" + "1,c1\n" * 210_000)
    process = run("evaluate", tmp_path / "m.clade", tmp_path / "test.csv", "--json")
    assert json.loads(process.stdout)["au_prc"] is None
    assert "--node-measures yes measures them" in process.stderr
