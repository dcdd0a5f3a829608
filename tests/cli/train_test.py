"""clade train: the whole line from data to measures, scikit-learn, features, weights, bad input, interruption."""

import json
import os
import random
import signal
import subprocess
import time

import numpy as np
import pytest
from clade_tool import CLADE, attempt, error_line, measures, run, run_json
from hierarchy_cases import DAG, DEEP, Problem, predictions
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

CLASSIFIERS = ["top-down-svm", "top-down-logistic", "path-svm", "dnc-svm"]
JOINT = ["hierarchical-svm", "flat-svm"]
KINDS = {
    "tree": lambda: Problem(1, DEEP, 90, 12),
    "dag": lambda: Problem(2, DAG, 90, 10),
    "multi": lambda: Problem(3, DEEP, 80, 9, multi=True, inner=True),
    "wide": lambda: Problem(4, DEEP, 40, 80, density=0.15),
}
EXACT = ["--scale", "none", "--prune", 0, "--weights", "double"]


def write(kind, folder):
    folder.mkdir(exist_ok=True)
    return KINDS[kind]().write(folder, sparse=kind == "wide")


# ---- the whole line


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_from_data_to_measures(tmp_path, classifier, kind):
    problem, arguments = KINDS[kind](), write(kind, tmp_path / "d")
    model = tmp_path / "m.clade"
    shown = run_json("train", *arguments, "--classifier", classifier, "-o", model)
    described = run_json("info", model)
    assert shown.pop("seconds") > 0 and described["seconds"] is None  # a file does not depend on how long it took
    assert {k: described[k] for k in shown} == shown
    assert described["classifier"] == classifier and described["samples"] == len(problem.labels)
    assert described["features"] == problem.x.shape[1] and described["multilabel"] == (kind == "multi")
    assert described["file_bytes"] == model.stat().st_size
    run("predict", model, *arguments, "-o", tmp_path / "p.csv")
    found = predictions(tmp_path / "p.csv")
    names = [f"s{k}" if kind != "wide" else str(k) for k in range(len(problem.labels))]
    assert list(found) == names
    by_hand = measures("evaluate", "--predictions", tmp_path / "p.csv", *arguments)
    at_once = measures("evaluate", model, *arguments, "--node-measures", "no")
    assert at_once == by_hand
    # Classes lie apart: most of what was trained on is known again.
    assert at_once["hierarchical_f1"] > 0.7


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classifier", CLASSIFIERS + JOINT)
def test_threads_change_nothing(tmp_path, classifier, kind):
    arguments = write(kind, tmp_path / "d")
    written = []
    for threads in (1, 2, 3):
        model, out = tmp_path / f"{threads}.clade", tmp_path / f"{threads}.csv"
        run("train", *arguments, "--classifier", classifier, "-o", model, "--threads", threads)
        run("predict", model, *arguments, "-o", out, "--threads", threads)
        written.append((model.read_bytes(), out.read_bytes()))
    assert written[0] == written[1] == written[2]


def test_the_seed_is_all_that_chance_has(tmp_path):
    arguments = write("tree", tmp_path / "d")
    command = ["train", *arguments, "--classifier", "top-down-svm", "--tolerance", 1]
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(*command, "-o", tmp_path / f"{name}.clade", "--seed", seed)
        run("predict", tmp_path / f"{name}.clade", *arguments, "-o", tmp_path / f"{name}.csv")
    a, b, c = ((tmp_path / f"{name}.csv").read_bytes() for name in "abc")
    assert a == b and a != c


def test_list():
    entries = run_json("train", "--list")
    names = [entry["name"] for entry in entries]
    assert names[:len(CLASSIFIERS)] == CLASSIFIERS and set(JOINT) <= set(names) and len(set(names)) == len(names)
    text = run("train", "--list").stdout
    for entry in entries:
        assert entry["name"] in text and entry["help"] in text and entry["source"]
        for parameter in entry["parameters"]:
            assert {"name", "type", "default", "help"} <= set(parameter)
            assert f"--{parameter['name']}" in text


def test_parameters_are_kept_in_the_model(tmp_path):
    model = tmp_path / "m.clade"
    run("train", *write("tree", tmp_path / "d"), "--classifier", "top-down-svm", "--c", 3, "--loss", "squared-hinge", "-o", model)
    parameters = run_json("info", model)["parameters"]
    assert (parameters["c"], parameters["loss"], parameters["multiclass"]) == ("3", "squared-hinge", "one-vs-rest")


# ---- scikit-learn


class TopDown:
    """One classifier of scikit-learn per node over its children that have samples."""

    def __init__(self, problem, order, make):
        self.problem, self.nodes = problem, {}
        for node in problem.internal:
            rows = [s for s, labels in enumerate(problem.labels) if node in problem.above(labels[0])]
            child = [next(c for c in problem.above(problem.labels[s][0]) if node in problem.parents[c]) for s in rows]
            present = sorted(set(child), key=order.index)
            self.nodes[node] = make(problem.x[rows], child, present)

    def greedy(self, x):
        node = "n0"
        while node in self.nodes:
            node = self.nodes[node](x)[0]
        return node


def constant(name):
    return lambda x: (name, {name: 1.0})


@pytest.fixture(scope="module")
def single():
    """A tree of one label per sample, to train on and to test on, classes not quite apart."""
    problem = Problem(7, DEEP, 260, 6)
    problem.x += 1.5 * np.random.default_rng(7).normal(size=problem.x.shape)
    return problem.part(list(range(130))), problem.part(list(range(130, 260)))


def run_both(single, tmp_path, train, predict=()):
    training, test = single
    for name, part in (("train", training), ("test", test)):
        (tmp_path / name).mkdir()
        part.write(tmp_path / name)
    order = training.in_id_order(tmp_path / "train")
    model = tmp_path / "m.clade"
    run("train", *training.write(tmp_path / "train"), *train, "-o", model)
    run("predict", model, *test.write(tmp_path / "test"), *predict, "-o", tmp_path / "p.csv")
    return order, predictions(tmp_path / "p.csv")


@pytest.mark.parametrize("bias", [1, 0])
@pytest.mark.parametrize("c", [1, 0.05])
@pytest.mark.parametrize("loss", ["hinge", "squared-hinge"])
def test_one_vs_rest_is_that_of_scikit_learn(tmp_path, single, loss, c, bias):
    order, found = run_both(single, tmp_path, ["--classifier", "top-down-svm", "--loss", loss, "--c", c, "--bias", bias,
                                               "--tolerance", 1e-9, "--iterations", 1000000, *EXACT])

    def make(x, child, present):
        machine = LinearSVC(loss=loss.replace("-", "_"), C=c, intercept_scaling=1, fit_intercept=bias == 1, dual=True, tol=1e-9,
                            max_iter=1000000)
        if len(present) == 1:
            return constant(present[0])
        machine.fit(x, [present.index(k) for k in child])
        return lambda row: (present[machine.predict(row.reshape(1, -1))[0]], None)

    reference = TopDown(single[0], order, make)
    for s, row in enumerate(single[1].x):
        assert found[f"s{s}"][0] == [reference.greedy(row)]


def test_one_vs_one_is_that_of_scikit_learn(tmp_path, single):
    order, found = run_both(single, tmp_path, ["--classifier", "top-down-svm", "--multiclass", "one-vs-one", "--tolerance", 1e-6,
                                               "--scale", "none"])

    def make(x, child, present):
        present = list(dict.fromkeys(child))  # of equal votes the class that came first
        if len(present) == 1:
            return constant(present[0])
        machine = SVC(kernel="linear", C=1, tol=1e-6).fit(x, [present.index(k) for k in child])
        return lambda row: (present[machine.predict(row.reshape(1, -1))[0]], None)

    reference = TopDown(single[0], order, make)
    for s, row in enumerate(single[1].x):
        assert found[f"s{s}"][0] == [reference.greedy(row)]


@pytest.mark.parametrize("c", [1, 0.1])
def test_logistic_regression_is_that_of_scikit_learn(tmp_path, single, c):
    order, found = run_both(single, tmp_path, ["--classifier", "top-down-logistic", "--c", c, "--tolerance", 1e-9, "--iterations",
                                               10000, *EXACT], ["--policy", "best", "--top-k", 100])

    def make(x, child, present):
        if len(present) == 1:
            return constant(present[0])
        # Of two classes scikit-learn has one weight vector, the difference of two: its penalty is twice theirs.
        machine = LogisticRegression(C=c * (2 if len(present) == 2 else 1), tol=1e-10, max_iter=100000)
        machine.fit(x, [present.index(k) for k in child])
        return lambda row: (None, dict(zip(present, machine.predict_proba(row.reshape(1, -1))[0])))

    reference = TopDown(single[0], order, make)
    for s, row in enumerate(single[1].x):
        expected = {}

        def walk(node, p):
            if node not in reference.nodes:
                expected[node] = p
                return
            for child, q in reference.nodes[node](row)[1].items():
                walk(child, p * q)

        walk("n0", 1.0)
        labels, scores = found[f"s{s}"]
        assert set(labels) == set(expected)
        assert scores == pytest.approx([expected[label] for label in labels], abs=1e-3)
        assert scores == sorted(scores, reverse=True)


# ---- features and weights


def test_selecting_first_is_training_on_the_ranking(tmp_path):
    arguments = write("tree", tmp_path / "d")
    run("select", *arguments, "--method", "hier-fs", "--lambda", 5, "-o", tmp_path / "r.json")
    for classifier in CLASSIFIERS[:2]:
        for name, choice in (("a", ["--features", tmp_path / "r.json"]), ("b", ["--select", "hier-fs", "--select-parameters", "lambda=5"])):
            run("train", *arguments, "--classifier", classifier, *choice, "--top", 4, "-o", tmp_path / f"{name}.clade", "--force")
            run("predict", tmp_path / f"{name}.clade", *arguments, "-o", tmp_path / f"{name}.csv", "--force")
        assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
        ranking = json.loads((tmp_path / "r.json").read_text())
        assert {n["features"] for n in run_json("info", tmp_path / "a.clade")["largest_nodes"]} == {4}
        assert len(ranking["nodes"]) == 5
    run("train", *arguments, "--classifier", "path-svm", "--select", "fisher", "--top", 4, "-o", tmp_path / "c.clade")
    assert run_json("info", tmp_path / "c.clade")["largest_nodes"][0]["features"] == 4


def test_a_share_of_the_features(tmp_path):
    arguments = write("tree", tmp_path / "d")
    run("train", *arguments, "--classifier", "top-down-svm", "--select", "hier-fisher", "--top", "50%", "-o", tmp_path / "m.clade")
    assert {n["features"] for n in run_json("info", tmp_path / "m.clade")["largest_nodes"]} == {6}


@pytest.mark.parametrize("classifier", CLASSIFIERS + JOINT)
def test_weight_zero_leaves_samples_out(tmp_path, classifier):
    problem = KINDS["tree"]()
    arguments = write("tree", tmp_path / "d")
    kept = [s for s in range(90) if s % 5 != 2]
    (tmp_path / "part").mkdir()
    part = problem.part(kept).write(tmp_path / "part")
    weights = tmp_path / "w.txt"
    weights.write_text("weight\n" + "".join("0\n" if s % 5 == 2 else "1.0\n" for s in range(90)))
    run("train", *arguments, "--classifier", classifier, "--sample-weights", weights, "-o", tmp_path / "a.clade")
    run("train", *part, "--classifier", classifier, "-o", tmp_path / "b.clade")
    for name in "ab":
        run("predict", tmp_path / f"{name}.clade", *arguments, "-o", tmp_path / f"{name}.csv")
    a, b = (predictions(tmp_path / f"{name}.csv") for name in "ab")
    assert {k: v[0] for k, v in a.items()} == {k: v[0] for k, v in b.items()}
    assert [v[1] for v in a.values()] == [pytest.approx(v[1], abs=1e-6) for v in b.values()]


# ---- bad input

BAD = {
    "no classifier": (["--c", 1], "--c is a parameter of classifiers; expected --classifier C"),
    "auto and classifier": (["--auto", "--classifier", "top-down-svm"], "--auto together with --classifier"),
    "budget": (["--auto", "--budget", "soon"], "--budget: 'soon'; expected a time such as 60s"),
    "budget of nothing": (["--classifier", "top-down-svm", "--budget", "60s"], "--budget has no effect"),
    "holdout": (["--holdout", "120%"], "--holdout: '120%'; expected a share"),
    "unknown classifier": (["--classifier", "magic"], "no classifier 'magic'; expected one of top-down-svm"),
    "parameter of another classifier": (["--classifier", "path-svm", "--multiclass", "one-vs-one"],
                                        "path-svm has no parameter --multiclass; expected --c"),
    "unknown parameter": (["--classifier", "path-svm", "--magic", 1], "--magic"),
    "unknown word": (["--classifier", "path-svm", "--loss", "log"], "--loss: 'log'; expected one of hinge, squared-hinge"),
    "c 0": (["--classifier", "path-svm", "--c", 0], "--c: '0'; expected a number, above 0"),
    "c nan": (["--classifier", "top-down-logistic", "--c", "nan"], "--c: 'nan'"),
    "prune": (["--classifier", "path-svm", "--prune", 0.95], "--prune: '0.95'"),
    "top without features": (["--classifier", "top-down-svm", "--top", 3], "--top has no effect; expected --features"),
    "top beyond": (["--classifier", "top-down-svm", "--select", "hier-fs", "--top", 13], "13 features of 12"),
    "features and select": (["--classifier", "top-down-svm", "--select", "hier-fs", "--features", "r.json"], "expected one of them"),
    "unknown selector": (["--classifier", "top-down-svm", "--select", "magic"], "no selector 'magic'"),
    "selector's parameters": (["--classifier", "top-down-svm", "--select", "hier-fs", "--select-parameters", "lambda"],
                              "expected name=value"),
    "parameters of no selector": (["--classifier", "top-down-svm", "--select-parameters", "lambda=1"], "expected --select METHOD"),
    "no such ranking": (["--classifier", "top-down-svm", "--features", "none.json"], "none.json: no such file"),
    "calibrated votes": (["--classifier", "top-down-svm", "--multiclass", "one-vs-one", "--calibrate", "sigmoid"],
                         "--calibrate needs a score per child"),
    "no such weights": (["--classifier", "top-down-svm", "--sample-weights", "none.txt"], "none.txt: no such file"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(tmp_path, case):
    arguments, expected = BAD[case]
    out = tmp_path / "out"
    out.mkdir()
    assert expected in error_line("train", *write("tree", tmp_path / "d"), *arguments, "-o", out / "m.clade")
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("text, expected", [
    ("1\n" * 89, "weights for 89 samples; expected 90"),
    ("1\n" * 91, "w.txt:91: more weights than samples"),
    ("1\n" * 5 + "-1\n" + "1\n" * 84, "w.txt:6: '-1' is no weight"),
    ("1\n" * 5 + "\n" + "1\n" * 84, "w.txt:6: '' is no weight"),
    ("1\n" * 89 + "heavy\n", "w.txt:90: 'heavy' is no weight"),
    ("1\n" * 89 + "nan\n", "w.txt:90: 'nan' is no weight"),
    ("1\n" * 89 + "inf\n", "w.txt:90: 'inf' is no weight"),
    ("1\n" * 89 + "1 2\n", "w.txt:90: '1 2' is no weight"),
    ("0\n" * 90, "all weights are 0"),
    ("", "w.txt"),
])
def test_bad_weights(tmp_path, text, expected):
    weights = tmp_path / "w.txt"
    weights.write_text(text)
    command = ["train", *write("tree", tmp_path / "d"), "--classifier", "top-down-svm", "--sample-weights", weights]
    assert expected in error_line(*command, "-o", tmp_path / "m.clade")
    assert not (tmp_path / "m.clade").exists()


def test_rankings_that_do_not_fit(tmp_path):
    arguments = write("tree", tmp_path / "d")
    ranking = tmp_path / "r.json"
    command = ["train", *arguments, "--classifier", "top-down-svm", "--features", ranking, "-o", tmp_path / "m.clade"]
    run("select", *write("multi", tmp_path / "other"), "--method", "hier-fs", "-o", ranking)
    assert "ranks 9 features, the data have 12" in error_line(*command)
    run("select", *arguments, "--method", "hier-fs", "-o", ranking, "--force")
    document = json.loads(ranking.read_text())

    def refusal(change):
        changed = json.loads(json.dumps(document))
        change(changed)
        ranking.write_text(json.dumps(changed))
        return error_line(*command)

    assert "feature 3 is 'y', in the data 'x2'" in refusal(lambda r: r["features"].__setitem__(2, "y"))
    assert "no node 'mars'" in refusal(lambda r: r["nodes"][0].update(node="mars"))
    assert "no features for the node 'n1'" in refusal(lambda r: r["nodes"].pop(1))
    assert "out of range or ranked twice" in refusal(lambda r: r["nodes"][0]["ranking"].__setitem__(0, 12))
    assert "out of range or ranked twice" in refusal(lambda r: r["nodes"][0]["ranking"].append(r["nodes"][0]["ranking"][0]))
    assert "is empty" in refusal(lambda r: r["nodes"][2].update(ranking=[], weight=[]))
    assert "no ranking" in refusal(lambda r: r.pop("nodes"))
    assert "no ranking" in refusal(lambda r: r.update(features=5))
    assert "no ranking" in refusal(lambda r: r["nodes"][0].update(ranking="best"))
    ranking.write_text("{")
    assert "r.json" in error_line(*command)
    assert not (tmp_path / "m.clade").exists()


@pytest.mark.parametrize("content, expected", [
    ("a,b,label\n1,2,x\n,1,y\n", "d.csv:3"),
    ("a,b,label\n1,2,\n3,1,\n", "label"),
    ("", "d.csv: empty file"),
    ("a,b,label\n", "no samples"),
])
@pytest.mark.parametrize("classifier", CLASSIFIERS + JOINT)
def test_bad_data(tmp_path, classifier, content, expected):
    (tmp_path / "d.csv").write_text(content)
    line = error_line("train", tmp_path / "d.csv", "--classifier", classifier, "-o", tmp_path / "m.clade", "--quiet")
    assert expected in line
    assert not (tmp_path / "m.clade").exists()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_missing_values_that_are_kept(tmp_path, classifier):
    (tmp_path / "d.csv").write_text("sample,a,b,label\nq,1,2,x\nr,,1,y\n")
    command = ["train", tmp_path / "d.csv", "--classifier", classifier, "--missing", "keep", "-o", tmp_path / "m.clade"]
    assert "feature a of sample r is missing or infinite" in error_line(*command, "--quiet")


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_one_class_and_one_sample(tmp_path, classifier):
    for content in ("a,label\n1,x\n", "a,label\n1,x\n2,x\n", "a,label\n0,x\n0,y\n", "a,label\n1,x\n1,y\n"):
        (tmp_path / "d.csv").write_text(content)
        run("train", tmp_path / "d.csv", "--classifier", classifier, "-o", tmp_path / "m.clade", "--force")
        run("predict", tmp_path / "m.clade", tmp_path / "d.csv", "-o", tmp_path / "p.csv", "--force")
        assert {label for labels, _ in predictions(tmp_path / "p.csv").values() for label in labels} <= {"x", "y"}


def test_where_the_model_goes(tmp_path):
    arguments = ["train", *write("tree", tmp_path / "d"), "--classifier", "top-down-svm"]
    assert "expected -o MODEL" in error_line(*arguments)
    assert "No such file or directory" in attempt(*arguments, "-o", tmp_path / "none" / "m.clade").stderr
    (tmp_path / "m.clade").write_text("precious")
    assert "exists already; use --force" in error_line(*arguments, "-o", tmp_path / "m.clade")
    assert (tmp_path / "m.clade").read_text() == "precious"
    run(*arguments, "-o", tmp_path / "m.clade", "--force")
    run("info", tmp_path / "m.clade")
    assert "nothing to train on; expected DATA" in error_line("train", "--classifier", "top-down-svm", "-o", tmp_path / "x.clade")


# ---- interruption


@pytest.fixture(scope="module")
def larger(tmp_path_factory):
    path = tmp_path_factory.mktemp("larger") / "s.arff"
    run("synth", "-o", path, "--depth", 3, "--fanout", 3, "--features", 40, "--samples", 700, "--single-label")
    return path


@pytest.mark.parametrize("classifier", [*CLASSIFIERS, "hierarchical-svm"])
def test_a_killed_run_leaves_a_whole_model_or_none(tmp_path, larger, classifier):
    random.seed(5)
    command = ["train", larger, "--classifier", classifier, "--tolerance", 0.001]
    start = time.monotonic()
    run(*command, "-o", tmp_path / "whole.clade")
    seconds = time.monotonic() - start
    outcomes = set()
    for k in range(6):
        number = (signal.SIGINT, signal.SIGKILL)[k % 2]
        folder = tmp_path / str(k)
        folder.mkdir()
        process = subprocess.Popen([CLADE, *map(str, command), "-o", str(folder / "m.clade")], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(seconds * (0.2 + 0.2 * k) * random.uniform(0.9, 1.1))
        process.send_signal(number)
        _, errors = process.communicate()
        outcomes.add(process.returncode)
        if (folder / "m.clade").exists():
            run("info", folder / "m.clade")
        elif number == signal.SIGINT:
            assert list(folder.iterdir()) == []
            assert process.returncode == -number or errors.splitlines()[-1] == "clade: stopped before the end, as asked"
    assert outcomes <= {0, 1, -signal.SIGINT, -signal.SIGKILL}


def test_an_old_model_survives_a_killed_run(tmp_path, larger):
    model = tmp_path / "m.clade"
    run("train", *write("tree", tmp_path / "d"), "--classifier", "top-down-svm", "-o", model)
    before = model.read_bytes()
    endless = ["--classifier", "path-svm", "--loss", "hinge", "--tolerance", "1e-9", "--iterations", "100000000"]
    process = subprocess.Popen([CLADE, "train", larger, *endless, "-o", model, "--force"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert model.read_bytes() == before


@pytest.mark.parametrize("classifier, density, expected", [
    *[(classifier, 0.1, "unit") for classifier in ("top-down-svm", "top-down-logistic", "path-svm", "flat-perceptron")],
    # path-svm takes the scale that serves it better.
    *[(classifier, 0.5, "standard") for classifier in ("top-down-svm", "top-down-logistic", "flat-perceptron")],
])
def test_dense_data_of_mostly_zeros_are_brought_to_length_1(tmp_path, classifier, density, expected):
    data = Problem(5, DEEP, 80, 20, density=density).write(tmp_path)
    models = {}
    for scale in ("auto", "unit", "standard"):
        found = run_json("train", *data, "--classifier", classifier, "--scale", scale, "-o", tmp_path / f"{scale}.clade")
        models[scale] = run("predict", tmp_path / f"{scale}.clade", *data).stdout
        assert found["unit_rows"] == (scale == "unit" or (scale, expected) == ("auto", "unit"))
    assert models["auto"] == models[expected] != models["unit" if expected == "standard" else "standard"]


def test_where_memory_is_free_changes_nothing(tmp_path):
    """Vectorised sums begin at addresses that are multiples of their width, whatever the allocator does."""
    run("synth", "-o", tmp_path / "d.arff", "--samples", 150, "--features", 12, "--single-label")
    run("learn-taxonomy", tmp_path / "d.arff", "--method", "kmeans", "--branching", 20, "-o", tmp_path / "tree.csv")
    models = []
    for pad in (16, 4104, 8192, 65536):
        model = tmp_path / f"{pad}.clade"
        subprocess.run([CLADE, "train", tmp_path / "d.arff", "--taxonomy", tmp_path / "tree.csv", "--classifier", "top-down-logistic",
                        "--threads", "1", "-o", model, "--quiet"], check=True, env=os.environ | {"MALLOC_TOP_PAD_": str(pad)},
                       stdout=subprocess.DEVNULL)
        models.append(model.read_bytes())
    assert all(model == models[0] for model in models)
