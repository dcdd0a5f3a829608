"""hierarchical-svm and flat-svm on the command line: liblinear, files of attributes and losses, bad input, label sets, rankings."""

import shutil
import subprocess

import numpy as np
import pytest
from clade_tool import error_line, run, run_json
from hierarchy_cases import DAG, DEEP, Problem, predictions

JOINT = ["hierarchical-svm", "flat-svm"]
LIBLINEAR = shutil.which("liblinear-train")
EXACT = ["--scale", "none", "--weights", "double"]


# ---- liblinear


def liblinear_dual(folder, rows, labels, c):
    """The dual objective that liblinear's solver of Crammer and Singer's problem ends with; it minimises the negative."""
    lines = [f"{label}" + "".join(f" {j + 1}:{float(v)!r}" for j, v in enumerate(row) if v != 0) for label, row in zip(labels, rows)]
    (folder / "l.svm").write_text("\n".join(lines) + "\n")
    shown = subprocess.run([LIBLINEAR, "-s", "4", "-e", "1e-4", "-c", str(c), folder / "l.svm", folder / "l.model"], check=True,
                           capture_output=True, text=True).stdout
    return -float(shown.split("Objective value =")[1].split()[0])


@pytest.mark.skipif(LIBLINEAR is None, reason="no program liblinear-train (Debian package liblinear-tools)")
@pytest.mark.parametrize("c", [0.1, 1, 10])
@pytest.mark.parametrize("kind", ["tree", "dag", "wide", "noisy"])
def test_the_flat_svm_is_that_of_liblinear(tmp_path, kind, c):
    problem = {"tree": lambda: Problem(21, DEEP, 150, 12), "dag": lambda: Problem(22, DAG, 120, 8),
               "wide": lambda: Problem(23, DEEP, 60, 300, density=0.1), "noisy": lambda: Problem(24, DEEP, 200, 5)}[kind]()
    if kind == "noisy":
        problem.x += 2 * np.random.default_rng(1).normal(size=problem.x.shape)
    problem.x /= np.linalg.norm(problem.x, axis=1, keepdims=True) + 1e-12
    labels = [problem.names.index(own[0]) for own in problem.labels]
    expected = liblinear_dual(tmp_path, problem.x, labels, c)
    command = ["train", *problem.write(tmp_path, sparse=kind == "wide"), "--classifier", "flat-svm", "--c", c, *EXACT]
    trained = run_json(*command, "--tolerance", 1e-4, "--iterations", 100000, "-o", tmp_path / "m.clade")
    assert float(trained["summary"]["dual objective"]) == pytest.approx(expected, rel=1e-3)
    assert float(trained["summary"]["primal objective"]) == pytest.approx(expected, rel=1e-3)
    assert run_json("info", tmp_path / "m.clade")["summary"] == trained["summary"]


@pytest.mark.skipif(LIBLINEAR is None, reason="no program liblinear-train (Debian package liblinear-tools)")
@pytest.mark.parametrize("kernel, c", [("rbf", 1), ("rbf", 10), ("exponential", 1), ("polynomial", 0.1)])
def test_the_flat_svm_with_a_kernel_is_that_of_liblinear_on_the_features_of_the_kernel(tmp_path, kernel, c):
    problem = Problem(26, DEEP, 150, 6)
    squares = ((problem.x[:, None] - problem.x[None]) ** 2).sum(axis=2)
    gram = {"rbf": np.exp(-0.3 * squares), "exponential": np.exp(-0.3 * np.sqrt(squares)),
            "polynomial": (0.3 * problem.x @ problem.x.T + 1) ** 2}[kernel]
    values, vectors = np.linalg.eigh(gram)
    labels = [problem.names.index(own[0]) for own in problem.labels]
    expected = liblinear_dual(tmp_path, vectors * np.sqrt(np.maximum(values, 0)), labels, c)
    duals = set()
    for threads in (1, 2):
        trained = run_json("train", *problem.write(tmp_path), "--classifier", "flat-svm", "--c", c, "--scale", "none", "--kernel", kernel,
                           "--gamma", 0.3, *(["--degree", 2] if kernel == "polynomial" else []), "--tolerance", 1e-4, "--threads", threads, "-o", tmp_path / "m.clade", "--force")
        assert float(trained["summary"]["dual objective"]) == pytest.approx(expected, rel=1e-3)
        assert float(trained["summary"]["primal objective"]) == pytest.approx(expected, rel=1e-3)
        duals.add(trained["summary"]["dual objective"])
    assert len(duals) == 1


def liblinear_weights(path):
    """Class -> its weights, the constant feature's last."""
    head, rows = path.read_text().split("\nw\n")
    labels = [int(v) for v in next(line for line in head.splitlines() if line.startswith("label")).split()[1:]]
    return dict(zip(labels, np.array([[float(v) for v in row.split()] for row in rows.strip().splitlines()]).T))


@pytest.mark.skipif(LIBLINEAR is None, reason="no program liblinear-train (Debian package liblinear-tools)")
@pytest.mark.parametrize("classes, samples, features", [(3, 60, 4), (8, 150, 40), (70, 280, 12)])
def test_crammer_singer_at_a_node_is_that_of_liblinear(tmp_path, classes, samples, features):
    generator = np.random.default_rng(classes)
    labels = np.arange(samples) % classes
    x = generator.normal(size=(classes, features))[labels] + 0.8 * generator.normal(size=(samples, features))
    lines = [f"{y}" + "".join(f" {j + 1}:{float(v)!r}" for j, v in enumerate(row)) + "\n" for y, row in zip(labels, x)]
    (tmp_path / "d.svm").write_text("".join(lines))
    subprocess.run([LIBLINEAR, "-q", "-s", "4", "-e", "1e-7", "-B", "1", tmp_path / "d.svm", tmp_path / "l.model"], check=True)
    weights = liblinear_weights(tmp_path / "l.model")
    run("train", tmp_path / "d.svm", "--classifier", "top-down-svm", "--multiclass", "crammer-singer", "--prune", 0, *EXACT,
        "--tolerance", 1e-7, "--iterations", 100000, "-o", tmp_path / "m.clade")
    run("predict", tmp_path / "m.clade", tmp_path / "d.svm", "--policy", "best", "--top-k", classes, "-o", tmp_path / "p.csv")
    for sample, (found, probabilities) in predictions(tmp_path / "p.csv").items():
        expected = {str(y): w[:-1] @ x[int(sample)] + w[-1] for y, w in weights.items()}
        # Probabilities are a softmax of four times the scores: differences of logarithms are differences of scores.
        likely = [(label, p) for label, p in zip(found, probabilities) if p > 1e-12]
        for label, p in likely:
            assert np.log(p / likely[0][1]) / 4 == pytest.approx(expected[label] - expected[likely[0][0]], abs=2e-3)


# ---- files that say what classes share and what errors cost

TREE = "child,parent\na,top\nb,top\na1,a\na2,a\nb1,b\nb2,b\n"
CLASSES = ["a1", "a2", "b1", "b2"]


def matrix(values, names=CLASSES):
    return "class," + ",".join(names) + "\n" + "".join(f"{n}," + ",".join(map(str, row)) + "\n" for n, row in zip(names, values))


@pytest.fixture
def small(tmp_path):
    generator = np.random.default_rng(4)
    centre = generator.normal(size=(4, 5))
    rows = [f"s{k},{','.join(map(repr, (centre[k % 4] + generator.normal(size=5)).tolist()))},{CLASSES[k % 4]}" for k in range(60)]
    (tmp_path / "d.csv").write_text("sample,p,q,r,s,t,label\n" + "\n".join(rows) + "\n")
    (tmp_path / "tree.csv").write_text(TREE)
    return [tmp_path / "d.csv", "--taxonomy", tmp_path / "tree.csv"]


def objective(tmp_path, small, *arguments):
    command = ["train", *small, "--classifier", "hierarchical-svm", "--tolerance", 1e-6, "--iterations", 100000, *arguments]
    return float(run_json(*command, "-o", tmp_path / "o.clade", "--force")["summary"]["dual objective"])


def test_matrices_that_say_what_the_hierarchy_says(tmp_path, small):
    tree_loss = [[0, 1, 2, 2], [1, 0, 2, 2], [2, 2, 0, 1], [2, 2, 1, 0]]
    (tmp_path / "loss.csv").write_text(matrix(tree_loss))
    # Rows and columns in another order, and one of a class that the data do not have.
    order = [2, 0, 3, 1]
    shuffled = [[tree_loss[i][j] for j in order] + [1] for i in order] + [[1, 1, 1, 1, 0]]
    (tmp_path / "shuffled.csv").write_text(matrix(shuffled, [CLASSES[i] for i in order] + ["other"]))
    (tmp_path / "similarity.csv").write_text(matrix([[1, 0.5, 0, 0], [0.5, 1, 0, 0], [0, 0, 1, 0.5], [0, 0, 0.5, 1]]))
    root = 0.5 ** 0.5
    (tmp_path / "attributes.csv").write_text("class,under a,under b,1,2,3,4\n" + "".join(
        f"{name},{root * (k < 2)},{root * (k > 1)}," + ",".join(str(root * (k == j)) for j in range(4)) + "\n"
        for k, name in enumerate(CLASSES)))
    (tmp_path / "volumes.csv").write_text("node,volume\n" + "".join(f"{n},0.5\n" for n in ["a", "b", *CLASSES]))
    plain = objective(tmp_path, small)
    for same in (["--loss-matrix", "loss.csv"], ["--loss-matrix", "shuffled.csv"], ["--class-similarity", "similarity.csv"],
                 ["--class-attributes", "attributes.csv"], ["--loss", "weighted", "--node-volumes", "volumes.csv"],
                 ["--loss", "weighted", "--missed-cost", 0.5, "--extra-cost", 0.5]):
        same = [tmp_path / part if str(part).endswith(".csv") else part for part in same]
        assert objective(tmp_path, small, *same) == pytest.approx(plain, rel=1e-5), same
    for other in (["--loss", "zero-one"], ["--attributes", "flat"], ["--missed-cost", 2, "--loss", "weighted"]):
        assert objective(tmp_path, small, *other) != pytest.approx(plain, rel=1e-3), other


IDENTITY = np.eye(4).tolist()
LOSS = (np.ones((4, 4)) - np.eye(4)).tolist()


def changed(values, row, column, value):
    copy = [list(line) for line in values]
    copy[row][column] = value
    return matrix(copy)


BAD_FILES = {
    "diagonal of the loss": ("--loss-matrix", changed(LOSS, 1, 1, 0.5), "row 2, column 2 of the loss matrix is 0.5; expected 0 on the diagonal"),
    "negative loss": ("--loss-matrix", changed(LOSS, 0, 2, -1), "row 1, column 3 of the loss matrix is -1; expected a positive loss"),
    "loss of 0": ("--loss-matrix", changed(LOSS, 3, 0, 0), "row 4, column 1 of the loss matrix is 0; expected a positive loss"),
    "class without a row": ("--loss-matrix", matrix(LOSS[:3]), "f.csv: no row 'b2'; expected one for every class"),
    "class without a column": ("--loss-matrix", matrix([row[:3] for row in LOSS], CLASSES[:3]), "f.csv: no"),
    "loss that is no number": ("--loss-matrix", changed(LOSS, 3, 0, "far"), "f.csv:5: 'far' is no number"),
    "loss that is infinite": ("--loss-matrix", changed(LOSS, 2, 0, "inf"), "f.csv:4: 'inf' is no number"),
    "no such file": ("--loss-matrix", None, "f.csv: no such file"),
    "not positive semidefinite": ("--class-similarity", changed(IDENTITY, 0, 0, -1), "has the eigenvalue -1"),
    "not symmetric": ("--class-similarity", changed(IDENTITY, 0, 1, 0.5), "the class similarity is not symmetric"),
    "no similarity": ("--class-similarity", matrix(np.zeros((4, 4)).tolist()), "all similarities are 0"),
    "no attributes": ("--class-attributes", "class\n" + "".join(f"{n}\n" for n in CLASSES), "all class attributes are 0"),
    "attributes of 0": ("--class-attributes", "class,x\n" + "".join(f"{n},0\n" for n in CLASSES), "all class attributes are 0"),
    "class without attributes": ("--class-attributes", "class,x\na1,1\n", "f.csv: no row 'a2'"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(tmp_path, small, case):
    option, content, expected = BAD_FILES[case]
    if content is not None:
        (tmp_path / "f.csv").write_text(content)
    assert expected in error_line("train", *small, "--classifier", "hierarchical-svm", option, tmp_path / "f.csv", "-o", tmp_path / "m.clade")
    assert not (tmp_path / "m.clade").exists()


@pytest.mark.parametrize("content, expected", [
    ("node,volume\nmars,1\n", "no node 'mars' in the hierarchy"),
    ("node,volume\na1,-1\n", "the volume of 'a1' is negative"),
    ("node,volume,more\na1,1,1\n", "2 columns of numbers; expected node,volume"),
    ("node,volume\na1,0\na2,0\n", "the loss of taking 'a1' for 'a2' is 0"),
])
def test_bad_volumes(tmp_path, small, content, expected):
    (tmp_path / "v.csv").write_text(content)
    command = ["train", *small, "--classifier", "hierarchical-svm", "--loss", "weighted", "--node-volumes", tmp_path / "v.csv"]
    assert expected in error_line(*command, "-o", tmp_path / "m.clade")


BAD_ARGUMENTS = {
    "c 0": (["--c", 0], "--c: '0'; expected a number, above 0"),
    "c negative": (["--c", -1], "--c: '-1'; expected a number, above 0"),
    "grid of words": (["--c-grid", "small,large"], "--c-grid: 'small,large'; expected positive numbers"),
    "grid of 0": (["--c-grid", "0,1"], "--c-grid: '0,1'; expected positive numbers"),
    "grid with a hole": (["--c-grid", "1,,2"], "--c-grid: '1,,2'; expected positive numbers"),
    "more folds than samples": (["--c-grid", "1,2", "--c-folds", 90], "60 samples do not make 90 folds"),
    "unknown schedule": (["--schedule", "slow"], "--schedule: 'slow'; expected one of fast, published"),
}


@pytest.mark.parametrize("classifier", JOINT)
@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_arguments(tmp_path, small, case, classifier):
    arguments, expected = BAD_ARGUMENTS[case]
    assert expected in error_line("train", *small, "--classifier", classifier, *arguments, "-o", tmp_path / "m.clade")


def test_arguments_that_contradict(tmp_path, small):
    command = ["train", *small, "--classifier", "hierarchical-svm", "-o", tmp_path / "m.clade"]
    for name in ("a.csv", "v.csv"):
        (tmp_path / name).write_text(matrix(IDENTITY))
    assert "expected one of them" in error_line(*command, "--class-attributes", tmp_path / "a.csv", "--class-similarity", tmp_path / "a.csv")
    assert "--node-volumes has no effect" in error_line(*command, "--node-volumes", tmp_path / "v.csv")
    assert "flat-svm has no parameter --loss" in error_line("train", *small, "--classifier", "flat-svm", "--loss", "tree", "-o",
                                                            tmp_path / "m.clade")


# ---- samples


@pytest.mark.parametrize("classifier", JOINT)
def test_samples_that_do_not_fit(tmp_path, classifier):
    data = tmp_path / "d.csv"
    command = ["train", data, "--classifier", classifier, "-o", tmp_path / "m.clade", "--quiet"]
    data.write_text("sample,a,label\nq,1,x;y\nr,2,x\n")
    assert "sample q has all 2 classes as labels; expected a class at least that it does not have" in error_line(*command)
    data.write_text("sample,a,label\nq,1,x\nr,2,\n")  # r is left out
    assert "there is one class only; expected two classes or more" in error_line(*command)
    data.write_text("sample,a,label\nq,1,x\nr,2,x\n")
    assert "there is one class only; expected two classes or more" in error_line(*command)
    assert not (tmp_path / "m.clade").exists()


@pytest.mark.parametrize("classifier", JOINT)
def test_samples_of_zeros_are_noted(tmp_path, classifier):
    (tmp_path / "d.csv").write_text("sample,a,b,label\nq,1,0,x\nr,0,0,y\ns,0,0,z\nt,0,1,y\n")
    command = ["train", tmp_path / "d.csv", "--classifier", classifier, "-o", tmp_path / "m.clade"]
    assert "2 samples have no value that is not 0" in run(*command).stderr
    run("predict", tmp_path / "m.clade", tmp_path / "d.csv", "-o", tmp_path / "p.csv")
    found = predictions(tmp_path / "p.csv")
    assert found["q"][0] == ["x"] and found["t"][0] == ["y"] and found["r"][1] == [0]
    # All of them: nothing is learnt, and that is no error.
    (tmp_path / "d.csv").write_text("sample,a,label\nq,0,x\nr,0,y\n")
    run(*command, "--force")
    assert float(run_json("info", tmp_path / "m.clade")["summary"]["duality gap"]) == pytest.approx(0)


def test_a_ranking_for_all_nodes(tmp_path, small):
    run("select", *small, "--method", "fisher", "-o", tmp_path / "flat.json")
    for classifier in JOINT:
        command = ["train", *small, "--classifier", classifier, "--top", 2, "-o", tmp_path / f"{classifier}.clade"]
        run(*command, "--features", tmp_path / "flat.json")
        assert run_json("info", tmp_path / f"{classifier}.clade")["largest_nodes"][0]["features"] == 2


def test_the_grid_chooses_the_least_loss_held_out(tmp_path, small):
    command = ["train", *small, "--classifier", "hierarchical-svm", "-o", tmp_path / "m.clade", "--force"]
    summary = run_json(*command, "--c-grid", "10,0.01,1")["summary"]
    tried = {float(c): float(loss) for c, loss in (pair.split(": ") for pair in summary["loss held out by C"].split(", "))}
    assert list(tried) == [0.01, 1, 10]
    assert tried[float(summary["C"])] == min(tried.values())
    alone = run_json(*command, "--c", summary["C"])["summary"]
    assert alone["dual objective"] == summary["dual objective"]


# ---- prediction


@pytest.fixture(scope="module", params=JOINT)
def several(request, tmp_path_factory):
    """A model of samples of several labels, with the arguments that name its data."""
    folder = tmp_path_factory.mktemp(request.param)
    problem = Problem(31, DEEP, 120, 10, multi=True)
    arguments = problem.write(folder)
    run("train", *arguments, "--classifier", request.param, "--decide", "own", "-o", folder / "m.clade")
    return folder, problem, arguments


def predicted(several, *options):
    folder, _, arguments = several
    run("predict", folder / "m.clade", *arguments, *options, "-o", folder / "p.csv", "--force")
    return predictions(folder / "p.csv")


def test_label_sets(several):
    _, problem, _ = several
    leaves = sorted(n for n in problem.names if n not in problem.internal)
    whole = predicted(several, "--top-k", 100)
    for labels, scores in whole.values():
        assert sorted(labels) == leaves and scores == sorted(scores, reverse=True)
    for count in (1, 2, 5):
        part = predicted(several, "--top-k", count, "--label-set", "top-k")
        assert part == {s: (labels[:count], scores[:count]) for s, (labels, scores) in whole.items()}
        assert count == 1 or part == predicted(several, "--top-k", count)
    assert predicted(several, "--label-set", "top-1") == {s: (labels[:1], scores[:1]) for s, (labels, scores) in whole.items()}
    sets = predicted(several, "--label-set", "threshold")
    assert sets == predicted(several)
    assert {len(labels) for labels, _ in sets.values()} >= {1, 2}
    for s, (labels, scores) in sets.items():
        assert (labels, scores) == (whole[s][0][:len(labels)], whole[s][1][:len(scores)])


def test_a_model_without_a_threshold_has_none_to_cut_at(several, tmp_path):
    folder, _, arguments = several
    classifier = run_json("info", folder / "m.clade")["classifier"]
    run("train", *arguments, "--classifier", classifier, "--learn-threshold", "no", "-o", tmp_path / "m.clade")
    assert "threshold" in error_line("predict", tmp_path / "m.clade", *arguments, "--label-set", "threshold", "-o", tmp_path / "p.csv")


RANKING_MEASURES = ["one_accuracy", "average_precision", "ranking_loss", "maximal_loss", "top_loss", "parent_accuracy"]


def test_measures_of_rankings_are_those_of_all_predictions(several):
    folder, _, arguments = several
    predicted(several, "--top-k", 100)
    by_hand = run_json("evaluate", "--predictions", folder / "p.csv", *arguments)
    at_once = run_json("evaluate", folder / "m.clade", *arguments)
    for measure in RANKING_MEASURES:
        assert by_hand[measure] is not None and at_once[measure] == pytest.approx(by_hand[measure], abs=1e-12), measure


def test_measures_of_label_sets_are_those_of_predicted_sets(several):
    folder, _, arguments = several
    predicted(several)
    by_hand = run_json("evaluate", "--predictions", folder / "p.csv", *arguments)
    at_once = run_json("evaluate", folder / "m.clade", *arguments)
    for measure in ("accuracy", "hierarchical_precision", "hierarchical_recall", "hierarchical_f1", "tie", "symmetric_loss"):
        assert at_once[measure] == pytest.approx(by_hand[measure], abs=1e-12), measure


def test_the_parameters_of_a_model_have_the_chosen_c(small, tmp_path):
    shown = run_json("train", *small, "--classifier", "flat-svm", "--c-grid", "0.01,10", "-o", tmp_path / "m.clade")
    assert shown["summary"]["C"] in ("0.01", "10")
    assert run_json("info", tmp_path / "m.clade")["parameters"]["c"] == shown["summary"]["C"]


@pytest.mark.parametrize("classifier", ["hierarchical-svm", "flat-perceptron"])
def test_a_kernel_that_overflows_is_refused(tmp_path, classifier):
    problem = Problem(1, [[], [0], [0]], 20, 4).write(tmp_path)
    text = error_line("train", *problem, "--classifier", classifier, "--kernel", "polynomial", "--degree", 100, "--gamma", 1e5,
                 "--scale", "none", "-o", tmp_path / "m.clade")
    assert "the kernel is too large to compute with" in text and not (tmp_path / "m.clade").exists()
