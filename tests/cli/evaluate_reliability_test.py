"""clade evaluate: are probabilities what they say?"""

import numpy as np
from clade_tool import error_line, run, run_json
from evaluation_cases import RELIABILITY, close, random_case
from sklearn.metrics import brier_score_loss


def probability_case(seed):
    generator = np.random.default_rng(seed)
    case = random_case(generator, dag=True, inner=False, multi=False, ranked=False, samples=200)
    case.lists = [[(label, float(score))] for [(label, _)], score in zip(case.lists, generator.random(200))]
    return case


def test_reliability_against_numpy_and_scikit_learn(tmp_path):
    for seed in range(5):
        case = probability_case(seed)
        found = run_json(*case.write(tmp_path), "--breakdown")
        p = np.array([scored[0][1] for scored in case.lists])
        r = np.array([scored[0][0] in truth for scored, truth in zip(case.lists, case.truth)])
        close(found["brier_score"], brier_score_loss(r, p))
        bins = np.minimum((p * 15).astype(int), 14)
        gaps = {b: abs(r[bins == b].mean() - p[bins == b].mean()) for b in set(bins)}
        close(found["expected_calibration_error"], sum(gaps[b] for b in bins) / len(p))
        close(found["maximum_calibration_error"], max(gaps.values()))
        sizes = np.bincount(np.arange(len(p)) * 15 // len(p))
        cut = np.split(np.argsort(p), np.cumsum(sizes)[:-1])
        close(found["adaptive_calibration_error"], sum(len(b) * abs(r[b].mean() - p[b].mean()) for b in cut) / len(p))
        sure = r[np.argsort(-p)]
        close(found["accuracy_coverage_area"], np.mean(np.cumsum(sure) / np.arange(1, len(p) + 1)))
        assert len(found["coverage"]) == 20
        for k, point in enumerate(found["coverage"], 1):
            assert point["answered"] == 10 * k and point["threshold"] == np.sort(p)[-10 * k]
            close(point["coverage"], k / 20)
            close(point["accuracy"], sure[:10 * k].mean())
        close(found["coverage"][-1]["hierarchical_f1"], found["hierarchical_f1"])


def test_whether_scores_are_probabilities(tmp_path):
    case = probability_case(1)
    command = case.write(tmp_path)
    assert all(run_json(*command)[name] is not None for name in RELIABILITY)
    none = run_json(*command, "--probabilities", "no", "--breakdown")
    assert all(none[name] is None for name in RELIABILITY) and none["coverage"] == []
    assert "as probabilities" in run(*command).stdout
    assert "as probabilities" not in run(*command, "--probabilities", "no").stdout
    case.lists[3] = [(case.lists[3][0][0], 1.25)]
    command = case.write(tmp_path)
    assert run_json(*command)["brier_score"] is None
    line = error_line(*command, "--probabilities", "yes", "--quiet")
    assert line == ("the first score of sample s3 is 1.25, not a probability; "
                    "expected scores from 0 to 1 with --probabilities yes")
