"""Clusters through the tool, against scikit-learn and scipy."""

import csv
import warnings

import numpy as np
import pytest
from clade_tool import error_line, run_json
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def write_data(path, classes, names=None):
    """One feature; the class is the label, and samples have names where they are given."""
    rows = [["x", "label"]] + [[k, f"class {c}"] for k, c in enumerate(classes)]
    if names is not None:
        rows = [["sample", *rows[0]]] + [[name, *row] for name, row in zip(names, rows[1:], strict=True)]
    write_csv(path, rows)


def accuracy(classes, clusters):
    table = contingency_matrix(classes, clusters)
    return table[linear_sum_assignment(table, maximize=True)].sum() / len(classes)


def nmi(classes, clusters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return normalized_mutual_info_score(classes, clusters, average_method="geometric")


def random_groups(generator, samples, groups, classes):
    """Clusters that agree with the classes here and there."""
    return np.where(generator.random(samples) < 0.5, classes % groups, generator.integers(0, groups, samples))


def check(tmp_path, classes, clusters, names=None, shuffle=None):
    data = tmp_path / "data.csv"
    file = tmp_path / "clusters.csv"
    write_data(data, classes, names)
    samples = names if names is not None else range(len(classes))
    rows = [[sample, f"group {cluster}"] for sample, cluster in zip(samples, clusters, strict=True)]
    if shuffle is not None:
        shuffle.shuffle(rows)
    write_csv(file, [["sample", "cluster"]] + rows)
    measured = run_json("evaluate", "--clusters", file, data)
    assert measured["clustering_accuracy"] == pytest.approx(accuracy(classes, clusters), abs=1e-12)
    assert measured["nmi"] == pytest.approx(nmi(classes, clusters), abs=1e-10)


@pytest.mark.parametrize("seed", range(12))
def test_random_clusters(tmp_path, seed):
    generator = np.random.default_rng(seed)
    samples = int(generator.integers(2, 400))
    classes = generator.integers(0, generator.integers(1, 30), samples)
    clusters = random_groups(generator, samples, int(generator.integers(1, 40)), classes)
    names = [f"s,{k}" for k in range(samples)] if seed % 2 else None
    check(tmp_path, classes, clusters, names, shuffle=generator)


def test_many_clusters(tmp_path):
    generator = np.random.default_rng(100)
    classes = generator.integers(0, 300, 20000)
    check(tmp_path, classes, random_groups(generator, 20000, 500, classes))


@pytest.mark.parametrize("classes,clusters", [
    ([0, 0, 0], [0, 0, 0]),
    ([0, 0, 0], [0, 1, 2]),
    ([0, 1, 2], [0, 0, 0]),
    ([0, 1, 2], [2, 0, 1]),
    ([0, 0, 1, 1], [0, 1, 0, 1]),
])
def test_single_groups_and_equal_ones(tmp_path, classes, clusters):
    check(tmp_path, np.array(classes), np.array(clusters))


def test_a_sample_without_a_cluster_is_named(tmp_path):
    data = tmp_path / "data.csv"
    file = tmp_path / "clusters.csv"
    write_data(data, [0, 1, 0])
    write_csv(file, [["sample", "cluster"], [0, "a"], [2, "b"]])
    line = error_line("evaluate", "--clusters", file, data)
    assert line.startswith(f"{file}:3: ") and "sample '1'" in line
