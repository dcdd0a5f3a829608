"""clade evaluate --bootstrap: intervals against the normal approximation."""

import math

import numpy as np
import pytest
from clade_tool import run, run_json
from evaluation_cases import MEASURES, Case, close, random_graph
from scipy.stats import norm


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Single labels, 80 % right."""
    generator = np.random.default_rng(6)
    graph = random_graph(generator, 40, dag=False)
    truth = [{str(label)} for label in generator.choice(graph.leaves, 5000)]
    lists = [[(next(iter(labels)) if generator.random() < 0.8 else str(generator.choice(graph.leaves)), 1.0)]
             for labels in truth]
    case = Case(graph, truth, lists)
    return case, case.write(tmp_path_factory.mktemp("large"))


def test_intervals_agree_with_the_normal_approximation(large):
    case, arguments = large
    for level in (0.5, 0.95):
        found = run_json(*arguments, "--bootstrap", "--resamples", 2000, "--confidence-level", level)
        right = np.array([scored[0][0] in labels for labels, scored in zip(case.truth, case.lists)], dtype=float)
        tie = np.array([case.graph.distance(scored[0][0], next(iter(labels))) for labels, scored in zip(case.truth, case.lists)])
        for name, values in (("accuracy", right), ("tie", tie)):
            half = norm.isf((1 - level) / 2) * values.std() / math.sqrt(len(values))
            close(found[name], values.mean())
            assert found[name] - found[f"{name}_low"] == pytest.approx(half, rel=0.15)
            assert found[f"{name}_high"] - found[name] == pytest.approx(half, rel=0.15)
        for name in MEASURES:
            if found[name] is not None:
                assert found[f"{name}_low"] < found[name] < found[f"{name}_high"], name


def test_intervals_depend_on_the_seed_and_on_nothing_else(large):
    _, arguments = large
    bootstrap = [*arguments, "--bootstrap", "--resamples", 100, "--json"]
    first = {run(*bootstrap, "--threads", threads).stdout for threads in (1, 2, 3)}
    assert len(first) == 1
    assert run(*bootstrap, "--seed", 1).stdout in first  # the default
    other = {run(*bootstrap, "--seed", 9, "--threads", threads).stdout for threads in (1, 2)}
    assert len(other) == 1 and other != first
