"""The joint classifiers with dense features over many nodes, where training takes another way than for few nodes or sparse data."""

import numpy as np
import pytest
from clade_tool import run, run_json
from hierarchy_cases import Problem

# The linear kernel by another name: its solver knows the samples only by their inner products.
AS_KERNEL = ["--kernel", "polynomial", "--degree", 1, "--coef0", 0, "--gamma", 1]


@pytest.fixture(scope="module")
def many_nodes(tmp_path_factory):
    generator = np.random.default_rng(8)
    parents = [[]] + [sorted({int(p) for p in generator.integers(max(0, k - 60), k, size=1 + k % 2)}) for k in range(1, 320)]
    return Problem(31, parents, 70, 9, multi=True, inner=True).write(tmp_path_factory.mktemp("many"))


@pytest.mark.parametrize("classifier", ["hierarchical-svm", "flat-svm"])
def test_the_optimum_is_that_of_the_solver_by_inner_products(tmp_path, many_nodes, classifier):
    found = []
    for way in [[], AS_KERNEL]:
        trained = run_json("train", *many_nodes, "--classifier", classifier, "--tolerance", 0.01, "--learn-threshold", "no", *way,
                           "-o", tmp_path / "m.clade", "--force")["summary"]
        assert float(trained["largest violation"]) <= 0.01
        found.append([float(trained["dual objective"]), float(trained["primal objective"])])
    # Both enclose the optimum.
    (low, high), (other_low, other_high) = found
    assert low <= other_high * (1 + 1e-6) and other_low <= high * (1 + 1e-6)
    assert low == pytest.approx(other_low, rel=1e-3)
    assert high == pytest.approx(low, rel=0.02)


def test_threads_change_nothing(tmp_path, many_nodes):
    for threads in [1, 2, 3]:
        run("train", *many_nodes, "--classifier", "hierarchical-svm", "--threads", threads, "-o", tmp_path / f"{threads}.clade")
        run("predict", tmp_path / f"{threads}.clade", *many_nodes, "--top-k", 3, "-o", tmp_path / f"{threads}.csv")
    assert len({(tmp_path / f"{threads}.csv").read_text() for threads in [1, 2, 3]}) == 1


@pytest.mark.parametrize("classifier", ["hierarchical-perceptron", "flat-perceptron"])
def test_perceptrons_are_those_by_inner_products(tmp_path, many_nodes, classifier):
    predicted = []
    for k, way in enumerate([[], AS_KERNEL]):
        trained = run_json("train", *many_nodes, "--classifier", classifier, "--epochs", 4, "--scale", "none", *way, "--learn-threshold", "no",
                           "-o", tmp_path / f"{k}.clade")
        run("predict", tmp_path / f"{k}.clade", *many_nodes, "--top-k", 1, "-o", tmp_path / f"{k}.csv")
        labels = [line.split(",")[:2] for line in (tmp_path / f"{k}.csv").read_text().splitlines()]
        predicted.append((trained["summary"]["updates"], labels))
    assert predicted[0] == predicted[1]
