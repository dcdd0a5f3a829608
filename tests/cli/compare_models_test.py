"""clade compare MODEL MODEL --data DATA, against scipy and against all exchanges of labels counted one by one."""

import itertools

import numpy as np
import pytest
from clade_tool import error_line, run, run_json
from hierarchy_cases import DAG, DEEP, Problem, predictions
from scipy.stats import binomtest


def models(folder, problem, rows=range(0, 40), recipes=(["top-down-svm"], ["top-down-logistic", "--c", "0.001"])):
    """Two models trained on some of the samples, and the arguments that name the others."""
    paths = []
    arguments = problem.part(list(rows)).write(folder)
    for k, recipe in enumerate(recipes):
        paths.append(folder / f"{k}.clade")
        run("train", *arguments, "--classifier", *recipe, "-o", paths[-1])
    return paths


def closures(problem, sets):
    return [set().union(*(problem.above(label) for label in labels)) - {"n0"} for labels in sets]


def found_by(model, arguments, folder):
    run("predict", model, *arguments, "-o", folder / "p.csv", "--force")
    return [labels for labels, _ in predictions(folder / "p.csv").values()]


def f1(truth, found):
    return 2 * sum(len(t & f) for t, f in zip(truth, found)) / sum(len(t) + len(f) for t, f in zip(truth, found))


def accuracy(truth, found):
    return sum(t == f for t, f in zip(truth, found)) / len(truth)


def exchanged(a, b, which):
    pairs = [(y, x) if swap else (x, y) for x, y, swap in zip(a, b, which)]
    return [x for x, _ in pairs], [y for _, y in pairs]


@pytest.mark.parametrize("parents, multi", [(DEEP, False), (DAG, False), (DEEP, True)])
def test_all_exchanges(tmp_path, parents, multi):
    problem = Problem(5, parents, 52, 5, multi=multi)
    a, b = models(tmp_path, problem)
    rest = problem.part(list(range(40, 52)))
    arguments = rest.write(tmp_path)
    truth = closures(problem, rest.labels)
    sets = [closures(problem, found_by(model, arguments, tmp_path)) for model in (a, b)]
    found = run_json("compare", a, b, "--data", *arguments, "--permutations", 1 << 20)
    assert found["samples"] == 12 and found["differing"] == sum(x != y for x, y in zip(*sets)) > 0
    right = [[t == s for t, s in zip(truth, of)] for of in sets]
    only_a = sum(x and not y for x, y in zip(*right))
    only_b = sum(y and not x for x, y in zip(*right))
    assert (found["mcnemar"]["only_a"], found["mcnemar"]["only_b"]) == (only_a, only_b)
    expected = binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1
    assert found["mcnemar"]["p"] == pytest.approx(expected, rel=1e-9)
    differing = [s for s, (x, y) in enumerate(zip(*sets)) if x != y]
    for name, measure in (("hierarchical_f1", f1), ("accuracy", accuracy)):
        assert found[name]["a"] == pytest.approx(measure(truth, sets[0]))
        assert found[name]["b"] == pytest.approx(measure(truth, sets[1]))
        observed = abs(measure(truth, sets[0]) - measure(truth, sets[1]))
        far = count = 0
        for coins in itertools.product([False, True], repeat=len(differing)):
            which = [False] * len(truth)
            for s, coin in zip(differing, coins):
                which[s] = coin
            x, y = exchanged(*sets, which)
            far += abs(measure(truth, x) - measure(truth, y)) >= observed - 1e-12
            count += 1
        assert found[name]["exact"] and found[name]["p"] == pytest.approx(far / count), name


def test_random_exchanges(tmp_path):
    problem = Problem(6, DEEP, 240, 4)
    a, b = models(tmp_path, problem)
    rest = problem.part(list(range(40, 240)))
    arguments = rest.write(tmp_path)
    truth = closures(problem, rest.labels)
    sets = [closures(problem, found_by(model, arguments, tmp_path)) for model in (a, b)]
    command = ["compare", a, b, "--data", *arguments]
    found = run_json(*command)
    assert not found["hierarchical_f1"]["exact"]
    assert found == run_json(*command, "--threads", 1) == run_json(*command, "--threads", 3)
    generator = np.random.default_rng(1)
    observed = abs(f1(truth, sets[0]) - f1(truth, sets[1]))
    draws = [exchanged(*sets, generator.random(len(truth)) < 0.5) for _ in range(3000)]
    share = np.mean([abs(f1(truth, x) - f1(truth, y)) >= observed - 1e-12 for x, y in draws])
    assert found["hierarchical_f1"]["p"] == pytest.approx(share, abs=5 * np.sqrt(0.25 / 3000))


def test_nodes_where_they_differ(tmp_path):
    problem = Problem(7, DEEP, 120, 4)
    a, b = models(tmp_path, problem)
    rest = problem.part(list(range(40, 120)))
    arguments = rest.write(tmp_path)
    truth = closures(problem, rest.labels)
    sets = [closures(problem, found_by(model, arguments, tmp_path)) for model in (a, b)]
    found = run_json("compare", a, b, "--data", *arguments, "--nodes", 100)["nodes"]
    assert [abs(n["only_a"] - n["only_b"]) for n in found] == sorted((abs(n["only_a"] - n["only_b"]) for n in found), reverse=True)
    for entry in found:
        node = entry["node"]
        decided = [[(node in s) == (node in t) for s, t in zip(of, truth)] for of in sets]
        assert entry["only_a"] == sum(x and not y for x, y in zip(*decided))
        assert entry["only_b"] == sum(y and not x for x, y in zip(*decided))
        assert entry["support"] == sum(node in t for t in truth)
        for key, of in (("f1_a", sets[0]), ("f1_b", sets[1])):
            common = sum(node in s and node in t for s, t in zip(of, truth))
            both = sum(node in t for t in truth) + sum(node in s for s in of)
            assert entry[key] == pytest.approx(2 * common / both)
    shown = run("compare", a, b, "--data", *arguments).stdout
    assert "nodes where they differ most" in shown and "McNemar" in shown


def test_a_model_and_itself(tmp_path):
    problem = Problem(8, DEEP, 60, 4)
    a, _ = models(tmp_path, problem)
    found = run_json("compare", a, a, "--data", *problem.write(tmp_path))
    assert found["differing"] == 0 and found["nodes"] == []
    assert found["mcnemar"]["p"] == found["accuracy"]["p"] == found["hierarchical_f1"]["p"] == 1


def test_bad_arguments(tmp_path):
    problem = Problem(9, DEEP, 60, 4)
    a, b = models(tmp_path, problem)
    assert "expected MODEL MODEL --data DATA" in error_line("compare", a, b)
    assert "expected MODEL MODEL --data DATA" in error_line("compare", a, "--data", tmp_path / "data.csv")
