"""clade cluster: scikit-learn's objective, measures of every start, sweeps, the file of clusters, odd and bad input."""

import json

import numpy as np
import pytest
from clade_tool import error_line, run, run_json
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import normalized_mutual_info_score


def write_table(folder, x, labels, name="data.csv"):
    header = ",".join([*(f"x{j}" for j in range(x.shape[1])), "label"])
    rows = [",".join([*(repr(float(v)) for v in row), str(of)]) for row, of in zip(x, labels)]
    (folder / name).write_text("\n".join([header, *rows]) + "\n")
    return folder / name


def write_sparse(folder, x, labels):
    rows = [f"{of}" + "".join(f" {j + 1}:{float(v)!r}" for j, v in enumerate(row) if v != 0) for row, of in zip(x, labels)]
    (folder / "data.svm").write_text("\n".join(rows) + "\n")
    return folder / "data.svm"


def blobs(seed=1, samples=200, features=5, centres=6):
    x, y = make_blobs(samples, features, centers=centres, cluster_std=1.5, random_state=seed)
    return x, [f"c{k}" for k in y]


def write_ranking(folder, features, ranking, node="*"):
    path = folder / "ranking.json"
    path.write_text(json.dumps({"method": "by hand", "features": [f"x{j}" for j in range(features)],
                                "nodes": [{"node": node, "ranking": ranking, "weight": [1] * len(ranking)}]}))
    return path


def read_clusters(path):
    lines = path.read_text().splitlines()
    assert lines[0] == "sample,cluster"
    return np.array([int(line.split(",")[1]) for line in lines[1:]])


def objective(x, clusters):
    return sum(((x[clusters == k] - x[clusters == k].mean(axis=0)) ** 2).sum() for k in set(clusters))


# ---- k-means


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_objective_is_that_of_scikit_learn(tmp_path, seed, sparse):
    x, labels = blobs(seed)
    if sparse:
        wide = np.zeros((len(x), 80))
        wide[:, ::16] = x
        x = wide
    data = (write_sparse if sparse else write_table)(tmp_path, x, labels)
    shown = run_json("cluster", data, "--repeats", 30)
    assert (shown["clusters"], shown["samples"], shown["repeats"], len(shown["starts"])) == (6, 200, 30, 30)
    expected = KMeans(6, n_init=30, random_state=0).fit(x)
    assert shown["best_objective"] <= expected.inertia_ * (1 + 1e-9)
    assert all(start["converged"] for start in shown["starts"])
    best = [start["objective"] for start in shown["starts"]]
    assert shown["best_objective"] == min(best) == best[shown["best_start"]]
    assert shown["objective"] == pytest.approx(np.mean(best)) and shown["objective_deviation"] == pytest.approx(np.std(best, ddof=1))


def test_every_start_is_measured(tmp_path):
    x, labels = blobs(4)
    data = write_table(tmp_path, x, labels)
    shown = run_json("cluster", data, "--repeats", 7)
    for name in ("accuracy", "nmi"):
        values = [start[name] for start in shown["starts"]]
        assert shown[name] == pytest.approx(np.mean(values))
        assert shown[name + "_deviation"] == pytest.approx(np.std(values, ddof=1))
    # A start is the same however many there are.
    assert run_json("cluster", data, "--repeats", 3)["starts"] == shown["starts"][:3]
    one = run_json("cluster", data, "--repeats", 1)
    assert (one["accuracy"], one["accuracy_deviation"]) == (one["starts"][0]["accuracy"], 0)


def test_the_file_of_clusters_is_that_of_the_best_start(tmp_path):
    x, labels = blobs(5)
    data = write_table(tmp_path, x, labels)
    shown = run_json("cluster", data, "-o", tmp_path / "clusters.csv")
    clusters = read_clusters(tmp_path / "clusters.csv")
    assert objective(x, clusters) == pytest.approx(shown["best_objective"], rel=1e-12)
    assert np.bincount(clusters).tolist() == shown["sizes"]
    best = shown["starts"][shown["best_start"]]
    measured = run_json("evaluate", "--clusters", tmp_path / "clusters.csv", data)
    assert (measured["clustering_accuracy"], measured["nmi"]) == (best["accuracy"], best["nmi"])
    assert best["nmi"] == pytest.approx(normalized_mutual_info_score(labels, clusters, average_method="geometric"))


def test_names_of_samples_are_read_back(tmp_path):
    x, labels = blobs(5, samples=12)
    lines = write_table(tmp_path, x, labels).read_text().splitlines()
    named = ["id," + lines[0], *(f'"s, ""{k}""",' + line for k, line in enumerate(lines[1:]))]
    (tmp_path / "named.csv").write_text("\n".join(named) + "\n")
    run("cluster", tmp_path / "named.csv", "--clusters", 3, "-o", tmp_path / "clusters.csv.gz")
    assert run_json("evaluate", "--clusters", tmp_path / "clusters.csv.gz", tmp_path / "named.csv")["samples"] == 12


@pytest.mark.parametrize("sparse", [False, True])
def test_threads_change_nothing(tmp_path, sparse):
    x, labels = blobs(6, samples=700, features=30)
    data = (write_sparse if sparse else write_table)(tmp_path, x * (np.random.default_rng(1).random(x.shape) < 0.05) if sparse else x, labels)
    shown = [run("cluster", data, "--repeats", 5, "--json", "--quiet", "--threads", threads).stdout for threads in (1, 2, 3, 8)]
    assert len(set(shown)) == 1
    assert run("cluster", data, "--repeats", 5, "--json", "--quiet", "--seed", 2).stdout != shown[0]


@pytest.mark.parametrize("scale", ["standard", "minmax", "unit"])
def test_scales(tmp_path, scale):
    x, labels = blobs(7)
    x *= [1, 100, 1, 1, 0.01]
    if scale == "unit":
        y = x / np.linalg.norm(x, axis=1, keepdims=True)
    elif scale == "standard":
        y = (x - x.mean(axis=0)) / x.std(axis=0)
    else:
        y = (x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0))
    shown = run_json("cluster", write_table(tmp_path, x, labels), "--scale", scale, "-o", tmp_path / "c.csv")
    assert objective(y, read_clusters(tmp_path / "c.csv")) == pytest.approx(shown["best_objective"], rel=1e-9)


# ---- selected features


def test_the_scale_that_auto_stands_for(tmp_path):
    x, labels = blobs(1, features=20)
    scales = x * np.logspace(0, 3, 20)
    few = np.where(scales > np.quantile(scales, 0.95, axis=0), scales, 0)
    for values, expected in [(x, "none"), (scales, "standard"), (few, "unit")]:
        data = write_table(tmp_path, values, labels)
        assert run_json("cluster", data) == run_json("cluster", data, "--scale", expected)
    # All features decide, not only those that are selected.
    ranking = write_ranking(tmp_path, 20, [0, 1, 2])
    data = write_table(tmp_path, scales, labels)
    assert run_json("cluster", data, "--features", ranking) == run_json("cluster", data, "--features", ranking, "--scale", "standard")


def test_only_the_selected_features_count(tmp_path):
    x, labels = blobs(8)
    noise = np.random.default_rng(1).normal(scale=100, size=(200, 3))
    data = write_table(tmp_path, np.hstack([noise, x]), labels)
    ranking = write_ranking(tmp_path, 8, [7, 3, 5, 4, 6, 0, 1, 2])
    shown = run_json("cluster", data, "--features", ranking, "--top", 5, "--scale", "none")
    alone = run_json("cluster", write_table(tmp_path, x, labels, "alone.csv"), "--scale", "none")
    assert shown["features"] == 5 and shown["starts"] == alone["starts"]
    assert run_json("cluster", data, "--scale", "none")["accuracy"] < shown["accuracy"]


def test_a_sweep_over_numbers_of_features(tmp_path):
    x, labels = blobs(9, features=10)
    data = write_table(tmp_path, x, labels)
    ranking = write_ranking(tmp_path, 10, list(range(9, -1, -1)))
    shown = run_json("cluster", data, "--features", ranking, "--sweep", "2,4,...,9,50%")
    assert [entry["features"] for entry in shown["sweep"]] == [2, 4, 6, 8, 9, 5]
    for entry in shown["sweep"]:
        single = run_json("cluster", data, "--features", ranking, "--top", entry["features"])
        assert {key: single[key] for key in entry} == entry
    text = run("cluster", data, "--features", ranking, "--sweep", "2,4,6").stdout
    best = max(shown["sweep"][:3], key=lambda entry: entry["accuracy"])
    assert f"best accuracy {best['accuracy']:.4f} +- {best['accuracy_deviation']:.4f} with {best['features']} features" in text


def test_rankings_of_clade_select(tmp_path):
    x, labels = blobs(10)
    data = write_table(tmp_path, x, [f"g{int(of[1]) % 2}/{of}" for of in labels])
    run("select", data, "--method", "fisher", "-o", tmp_path / "flat.json")
    assert run_json("cluster", data, "--features", tmp_path / "flat.json", "--top", 3)["notes"] == []
    run("select", data, "--method", "hier-fisher", "-o", tmp_path / "tree.json")
    nodes = {entry["node"]: entry["ranking"] for entry in json.loads((tmp_path / "tree.json").read_text())["nodes"]}
    root = run_json("cluster", data, "--features", tmp_path / "tree.json", "--top", 2)
    assert root["notes"] == ["the ranking has 3 nodes: that of the root is used"]
    inner = run_json("cluster", data, "--features", tmp_path / "tree.json", "--node", "g1", "--top", 2)
    by_hand = run_json("cluster", data, "--features", write_ranking(tmp_path, 5, nodes["g1"]), "--top", 2)
    assert inner["starts"] == by_hand["starts"] and inner["notes"] == []


# ---- without classes


def test_without_labels_only_objective_and_sizes(tmp_path):
    x, _ = blobs(11)
    np.save(tmp_path / "x.npy", x)
    shown = run_json("cluster", tmp_path / "x.npy", "--clusters", 4)
    assert (shown["accuracy"], shown["nmi"], sum(shown["sizes"])) == (None, None, 200)
    assert shown["notes"][-1] == "not every sample has one label: accuracy and NMI are not measured"
    text = run("cluster", tmp_path / "x.npy", "--clusters", 4).stdout
    assert "objective" in text and "accuracy" not in text and "clusters of" in text
    line = error_line("cluster", tmp_path / "x.npy", "--quiet")
    assert line.endswith("expected --clusters K")


def test_several_labels_are_not_compared(tmp_path):
    x, labels = blobs(11)
    data = write_table(tmp_path, x, ["c0;c1", *labels[1:]])
    assert run_json("cluster", data, "--clusters", 4)["accuracy"] is None


# ---- odd and bad input


def test_fewer_different_samples_than_clusters(tmp_path):
    data = write_table(tmp_path, np.array([[1.0, 2], [1, 2], [3, 4], [3, 4], [3, 4]]), list("abcab"))
    shown = run_json("cluster", data)
    assert shown["notes"] == ["with 2 features there are 2 different samples only: 1 of 3 clusters is empty"]
    assert shown["best_objective"] == 0 and sorted(shown["sizes"]) == [0, 2, 3]


def test_starts_that_still_move_are_counted(tmp_path):
    x, labels = blobs(12, samples=500)
    shown = run_json("cluster", write_table(tmp_path, x, labels), "--rounds", 1, "--repeats", 4)
    assert shown["notes"] == ["with 5 features 4 of 4 starts still moved after 1 round"]


BAD = {
    "more clusters than samples": (["--clusters", 31], "31 clusters of 30 samples; expected no more clusters than samples"),
    "no clusters": (["--clusters", -1], "--clusters"),
    "no repeats": (["--repeats", 0], "--repeats"),
    "top alone": (["--top", 3], "expected --features RANKING with them"),
    "top and sweep": (["--features", "RANKING", "--top", 3, "--sweep", "1,2"], "expected one of them"),
    "top of too many": (["--features", "RANKING", "--top", 9], "--top: 9 features of 5"),
    "more than ranked": (["--features", "RANKING", "--top", 4], "4 features asked for of 3 ranked"),
    "sweep of nothing": (["--features", "RANKING", "--sweep", "1,,2"], "--sweep: ''"),
    "sweep without steps": (["--features", "RANKING", "--sweep", "1,...,3"], "expected two ascending numbers"),
    "sweep without end": (["--features", "RANKING", "--sweep", "1,2,..."], "expected two ascending numbers"),
    "sweep and output": (["--features", "RANKING", "--sweep", "1,2", "-o", "c.csv"], "expected --top with -o"),
    "unknown node": (["--features", "RANKING", "--node", "nobody"], "--node: no node 'nobody'"),
    "node without ranking": (["--features", "RANKING", "--node", "c1"], "no features of the node 'c1'"),
    "no ranking": (["--features", "none.json"], "no such file"),
    "scale": (["--scale", "large"], "expected one of auto, none, standard, minmax, unit"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(tmp_path, case):
    arguments, expected = BAD[case]
    data = write_table(tmp_path, *blobs(1, samples=30))
    ranking = write_ranking(tmp_path, 5, [0, 1, 2])
    line = error_line("cluster", data, *(ranking if part == "RANKING" else part for part in arguments), cwd=tmp_path)
    assert expected in line


@pytest.mark.parametrize("value, expected", [("nan", "missing"), ("inf", "inf"), ("1e200", "too large to compute with")])
def test_values_to_compute_nothing_with(tmp_path, value, expected):
    (tmp_path / "d.csv").write_text(f"a,b,label\n1,2,x\n{value},1,y\n3,1,x\n")
    assert expected in error_line("cluster", tmp_path / "d.csv", "--scale", "none", "-o", tmp_path / "c.csv")
    assert not (tmp_path / "c.csv").exists()


def test_existing_files_are_kept_without_force(tmp_path):
    data = write_table(tmp_path, *blobs(1, samples=30))
    (tmp_path / "c.csv").write_text("precious")
    assert "exists already; use --force" in error_line("cluster", data, "-o", tmp_path / "c.csv")
    assert "is the input" in error_line("cluster", data, "-o", data, "--force")
    assert (tmp_path / "c.csv").read_text() == "precious"
    run("cluster", data, "-o", tmp_path / "c.csv", "--force")
    assert len(read_clusters(tmp_path / "c.csv")) == 30
