"""clade evaluate --fold-file: folds, and the published protocol."""

import statistics

import numpy as np
import pytest
from clade_tool import run_json
from evaluation_cases import FIRST, MEASURES, NODES, close, random_case, random_graph


@pytest.fixture(scope="module", params=[False, True], ids=["single", "multi"])
def folded(request, tmp_path_factory):
    """A ranked case, its folds (unequal, with gaps in their numbers), and the fold file."""
    generator = np.random.default_rng(7)
    case = random_case(generator, dag=True, inner=True, multi=request.param, ranked=True, samples=203,
                       graph=random_graph(generator, 25, dag=True))
    folds = generator.choice([0, 2, 5, 6], 203, p=[0.4, 0.3, 0.2, 0.1])
    folder = tmp_path_factory.mktemp("folds")
    (folder / "folds.csv").write_text("".join(f"{fold}\n" for fold in folds))
    return case, folds, folder


def applicable(found):
    """All measures but those that need longer lists, or scores of all nodes."""
    names = [name for name in MEASURES if found[name] is not None]
    assert set(MEASURES) - set(names) <= {*FIRST, *NODES}
    return names


@pytest.mark.parametrize("average", ["micro", "samples", "macro"])
def test_folds_are_evaluated_apart_and_averaged(folded, tmp_path, average):
    case, folds, folder = folded
    found = run_json(*case.write(folder), "--fold-file", folder / "folds.csv", "--average", average)
    parts = [run_json(*case.write(tmp_path, np.flatnonzero(folds == fold)), "--average", average) for fold in (0, 2, 5, 6)]
    assert found["samples"] == sum(part["samples"] for part in parts) == 203
    for name in applicable(found):
        values = [part[name] for part in parts]
        close(found[name], statistics.fmean(values), name)
        close(found[f"{name}_deviation"], statistics.stdev(values), name)


def test_one_fold_has_no_deviation(folded):
    case, _, folder = folded
    (folder / "one.csv").write_text("7\n" * 203)
    found = run_json(*case.write(folder), "--fold-file", folder / "one.csv")
    expected = run_json(*case.write(folder))
    for name in applicable(found):
        close(found[name], expected[name], name)
        assert found[f"{name}_deviation"] is None


def test_the_published_protocol(folded):
    case, _, folder = folded
    folds = ["--fold-file", folder / "folds.csv"]
    found = run_json(*case.write(folder), *folds, "--protocol", "published")
    expected = run_json(*case.write(folder), *folds, "--average", "samples", "--count-root")
    for name in applicable(found):
        if name != "tie_normalized":
            close([found[name], found[f"{name}_deviation"]], [expected[name], expected[f"{name}_deviation"]], name)
    tie = run_json(*case.write(folder))["tie"]
    close(found["tie_normalized"], tie / 4)
    assert found["tie_normalized_deviation"] is None
    whole = run_json(*case.write(folder), "--protocol", "published")
    close(whole["tie_normalized"], tie)


def test_intervals_are_drawn_within_folds(folded):
    case, _, folder = folded
    found = run_json(*case.write(folder), "--fold-file", folder / "folds.csv", "--bootstrap", "--resamples", 200)
    for name in applicable(found):
        assert found[f"{name}_low"] <= found[name] <= found[f"{name}_high"], name
