"""clade evaluate: what the document holds, and what must not change it."""

import numpy as np
import pytest
from clade_tool import run, run_json
from evaluation_cases import (Case, FIRST, MEASURES, NODES, OF_NODES, PERFECT, RANKING, RELIABILITY, close, random_case,
                              random_graph)


def test_json_is_one_flat_object_with_every_measure(tmp_path):
    generator = np.random.default_rng(1)
    case = random_case(generator, dag=True, inner=True, multi=True, ranked=True)
    found = run_json(*case.write(tmp_path))
    assert sorted(found) == sorted(["samples", "baseline", *MEASURES, *RELIABILITY, *OF_NODES]) and len(MEASURES) == 33
    assert all(isinstance(value, (int, float)) for name, value in found.items()
               if name not in [*RELIABILITY, *OF_NODES, *NODES, "baseline"])
    assert all(found[name] is None for name in NODES)  # lists of labels are not scores of all nodes
    assert all(found[name] is None for name in RELIABILITY)  # these scores are negative
    case.lists[7] = [pair for pair in case.lists[7] if pair[0] not in case.truth[7]]
    found = run_json(*case.write(tmp_path))
    assert {name for name in MEASURES if found[name] is None} == {*RANKING, *NODES}
    process = run(*case.write(tmp_path), "--json")
    assert "need every true label in its sample's list; samples that lack one: 1" in process.stderr


def test_intervals_and_deviations_join_the_object(tmp_path):
    case = random_case(np.random.default_rng(2), dag=False, inner=False, multi=False, ranked=False)
    arguments = case.write(tmp_path)
    (tmp_path / "folds.csv").write_text("fold\n" + "".join(f"{s % 3}\n" for s in range(60)))
    found = run_json(*arguments, "--bootstrap", "--resamples", 50, "--fold-file", tmp_path / "folds.csv")
    expected = [name + end for name in MEASURES for end in ("", "_low", "_high", "_deviation")]
    assert sorted(found) == sorted(["samples", "folds", "baseline", *expected, *RELIABILITY, *OF_NODES])
    for name in MEASURES:
        missing = name in (*RANKING, *FIRST, *NODES)
        assert all((found[name + end] is None) == missing for end in ("", "_low", "_high", "_deviation")), name
    found = run_json(*arguments, "--breakdown")
    assert sorted(found) == sorted(["samples", "baseline", *MEASURES, *RELIABILITY, *OF_NODES, "levels", "nodes",
                                    "most_frequent_confusions", "most_costly_confusions", "coverage", "notes"])


@pytest.mark.parametrize("multi, ranked", [(False, False), (False, True), (True, False), (True, True)])
def test_perfect_predictions(tmp_path, multi, ranked):
    case = random_case(np.random.default_rng([3, multi, ranked]), dag=True, inner=True, multi=multi, ranked=ranked)
    for labels, scored in zip(case.truth, case.lists):
        rest = [label for label, _ in scored if label not in labels] if ranked else []
        scored[:] = [(label, float(-rank)) for rank, label in enumerate([*labels, *rest])]
    rule = ["--label-set", "threshold", "--threshold", 0] if ranked else []
    if ranked:
        for labels, scored in zip(case.truth, case.lists):
            scored[:] = [(label, score + len(labels) - 1) for label, score in scored]
    for average in ("micro", "macro", "samples"):
        found = run_json(*case.write(tmp_path), *rule, "--average", average, "--bootstrap", "--resamples", 20)
        for name, value in PERFECT.items():
            close([found[name], found[name + "_low"], found[name + "_high"]], [value] * 3, name)


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("dag", [False, True])
def test_the_order_of_the_samples_changes_nothing(tmp_path, dag, multi):
    generator = np.random.default_rng([4, dag, multi])
    case = random_case(generator, dag, True, multi, ranked=multi, samples=500)
    expected = run_json(*case.write(tmp_path), "--breakdown")
    found = run_json(*case.write(tmp_path, shuffle=generator), "--breakdown")
    for name in MEASURES:
        assert found[name] == (None if expected[name] is None else pytest.approx(expected[name], rel=1e-12, abs=1e-12))
    for name in ("nodes", "levels", "most_frequent_confusions", "most_costly_confusions"):
        assert found[name] == expected[name]


def many_sets(generator):
    case = random_case(generator, dag=True, inner=True, multi=True, ranked=False, samples=300)
    return Case(case.graph, case.truth * 240, case.lists * 240)


def many_pairs(generator):
    graph = random_graph(generator, 700, dag=True)
    truth, predicted = generator.choice(graph.nodes, (2, 70_000)).tolist()
    return Case(graph, [{label} for label in truth], [[(label, 1.0)] for label in predicted])


@pytest.mark.parametrize("make", [many_sets, many_pairs])
def test_the_number_of_threads_changes_nothing(tmp_path, make):
    """With enough samples, and enough different ones, for several chunks of work."""
    arguments = make(np.random.default_rng(5)).write(tmp_path)
    for options in (["--average", "micro"], ["--average", "macro", "--bootstrap", "--resamples", 4]):
        outputs = {run(*arguments, "--json", "--breakdown", *options, "--threads", threads).stdout for threads in (1, 2, 3)}
        assert len(outputs) == 1
