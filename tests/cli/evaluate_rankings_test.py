"""clade evaluate: the measures of ranked lists against scikit-learn and by hand."""

import numpy as np
import pytest
from clade_tool import run_json
from evaluation_cases import Case, Graph, close, random_case
from sklearn.metrics import label_ranking_average_precision_score, label_ranking_loss


def flat_graph(leaves):
    return Graph([[], *([0] for _ in range(leaves))])


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_rankings_are_those_of_scikit_learn(tmp_path, flat, inner, seed):
    generator = np.random.default_rng([seed, flat, inner])
    graph = flat_graph(int(generator.integers(2, 30))) if flat else None
    case = random_case(generator, dag=seed % 2 == 1, inner=inner, multi=True, ranked=True, samples=200, graph=graph)
    classes = case.graph.nodes[1:] if inner else case.graph.leaves
    truth = np.array([[c in labels for c in classes] for labels in case.truth], dtype=int)
    scores = np.array([[dict(scored)[c] for c in classes] for scored in case.lists])
    found = run_json(*case.write(tmp_path))
    close(found["average_precision"], label_ranking_average_precision_score(truth, scores))
    close(found["ranking_loss"], label_ranking_loss(truth, scores))
    close(found["one_accuracy"], truth[np.arange(len(truth)), scores.argmax(axis=1)].mean())


def test_equal_scores_count_against_the_ranking(tmp_path):
    graph = Graph([[], [0], [0], [1], [1], [2]])
    # All equal: every pair is in the wrong order, and the precision is that of predicting every class.
    case = Case(graph, [{"n3"}, {"n3", "n5"}], [[("n3", 1.0), ("n4", 1.0), ("n5", 1.0)]] * 2)
    found = run_json(*case.write(tmp_path))
    close(found["average_precision"], (1 / 3 + 2 / 3) / 2)
    assert found["ranking_loss"] == 1
    close(found["maximal_loss"], (2 + 2) / 2)  # n3 or n5 against the class on the other side
    # The first label of the file is still the first.
    assert found["one_accuracy"] == 1


def test_classes_that_are_not_listed_rank_last(tmp_path):
    graph = Graph([[], [0], [0], [1], [1], [2], [2]])
    case = Case(graph, [{"n3"}, {"n5"}], [[("n4", 2.0), ("n3", 1.0)], [("n5", 1.0)]])
    found = run_json(*case.write(tmp_path))
    close(found["average_precision"], (1 / 2 + 1) / 2)
    close(found["ranking_loss"], (1 / 3 + 0) / 2)
    close(found["maximal_loss"], (1 + 0) / 2)
