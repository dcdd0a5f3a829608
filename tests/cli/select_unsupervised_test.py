"""clade select without labels: every method on every kind of data, what other programs give, odd data, bad input."""

import json
import re
import sys

import numpy as np
import pytest
import scipy.linalg
from clade_tool import SOURCE, error_line, run, run_json
from sklearn.linear_model import lars_path
from sklearn.neighbors import NearestNeighbors

sys.path.insert(0, str(SOURCE / "tests" / "select"))
from sweep import UNSUPERVISED  # noqa: E402

GRAPH = ["laplacian", "mcfs", "ndfs", "rufs"]
CLUSTERS = ["hufs", "eufs", "mcfs", "ndfs", "rufs"]


def values(samples=60, features=20, clusters=3, seed=1):
    """Clusters about centres of their own."""
    random = np.random.default_rng(seed)
    centres = 2 * random.normal(size=(clusters, features))
    return np.abs(centres[np.arange(samples) % clusters] + random.normal(size=(samples, features)))


def write(path, x, labels=None):
    names = [f"x{j}" for j in range(x.shape[1])]
    lines = [",".join(names + (["label"] if labels else []))]
    lines += [",".join([repr(float(v)) for v in row] + ([labels[i]] if labels else [])) for i, row in enumerate(x)]
    path.write_text("\n".join(lines) + "\n")
    return [path] if labels else [path, "--label-column", "none", "--quiet"]  # quiet: that there are no labels


def write_sparse(path, x):
    path.write_text("".join("0 " + " ".join(f"{j + 1}:{float(v)!r}" for j, v in enumerate(row) if v) + "\n" for row in x))
    return [path, "--feature-count", x.shape[1]]


def write_tree(path, features):
    half = features // 2
    names = [f"x{j}" for j in range(features)]
    tree = {"name": "all", "children": [{"name": "first", "features": names[:half]}, {"name": "second", "features": names[half:]}]}
    path.write_text(json.dumps({"features": names, "tree": tree}))


def select(method, arguments, folder, features, *more):
    command = ["select", *arguments, "--method", method, *more]
    if method == "hufs":
        write_tree(folder / "tree.json", features)
        command += ["--feature-tree", folder / "tree.json"]
    return command


def weights(document):
    node = document["nodes"][0]
    found = np.empty(len(node["weight"]))
    found[node["ranking"]] = node["weight"]
    return found


@pytest.mark.parametrize("method", UNSUPERVISED)
@pytest.mark.parametrize("samples, features", [(60, 20), (20, 60)], ids=["tall", "wide"])
def test_one_ranking_of_all_features_without_labels(tmp_path, method, samples, features):
    command = select(method, write(tmp_path / "d.csv", values(samples, features)), tmp_path, features)
    run(*command, "-o", tmp_path / "one.json", "--threads", 1)
    document = json.loads((tmp_path / "one.json").read_text())
    (node,) = document["nodes"]
    assert (document["method"], node["node"], node["samples"], node["children"]) == (method, "*", samples, 0)
    assert sorted(node["ranking"]) == list(range(features))
    assert all(a >= b >= 0 for a, b in zip(node["weight"], node["weight"][1:]))
    if method in ("hufs", "eufs"):
        assert set(document["residuals"]) == {"fit", "sign", "groups"}
        assert all(len(r) == len(document["objective"]) for r in document["residuals"].values())
    for threads in (2, 3):
        run(*command, "-o", tmp_path / "more.json", "--threads", threads, "--force")
        one, more = ((tmp_path / name).read_bytes() for name in ("one.json", "more.json"))
        assert one == more, f"{threads} threads"
    short = run_json(*command, "--top", 5)["nodes"][0]
    assert short["ranking"] == node["ranking"][:5]
    assert re.search(rf"^  \*  +{samples}  +-  ", run(*command).stdout, re.MULTILINE)


@pytest.mark.parametrize("method", UNSUPERVISED)
def test_labels_are_not_looked_at(tmp_path, method):
    x = values()
    more = ["--clusters", 4] if method in CLUSTERS else []  # else labels say how many
    command = select(method, write(tmp_path / "d.csv", x), tmp_path, 20, *more)
    without = run_json(*command)["nodes"]
    for labels in (["a/b", "a/c", "d"] * 20, ["z"] * 60):
        command = select(method, write(tmp_path / "labelled.csv", x, labels), tmp_path, 20, *more)
        assert run_json(*command)["nodes"] == without


@pytest.mark.parametrize("method", UNSUPERVISED)
def test_sparse_data(tmp_path, method):
    x = values()
    x[x < 2.5] = 0
    more = ["--scale", "none", *(["--clusters", 4] if method in CLUSTERS else [])]
    dense = run_json(*select(method, write(tmp_path / "d.csv", x), tmp_path, 20, *more))
    (tmp_path / "s").mkdir()
    arguments = write_sparse(tmp_path / "s" / "d.svm", x)
    command = select(method, arguments, tmp_path / "s", 20, *more)
    if method == "hufs":  # features of LIBSVM data have numbers
        tree = {"name": "all", "children": [{"name": "first", "features": list(range(10))},
                                            {"name": "second", "features": list(range(10, 20))}]}
        (tmp_path / "s" / "tree.json").write_text(json.dumps({"tree": tree}))
    assert weights(run_json(*command)) == pytest.approx(weights(dense), rel=1e-6, abs=1e-8)


# ---- by other programs


def graph(x, neighbours=5):
    """S, by scikit-learn's neighbours."""
    distance, neighbour = NearestNeighbors(n_neighbors=neighbours + 1, algorithm="brute").fit(x).kneighbors(x)
    assert np.all(neighbour[:, 0] == np.arange(len(x)))
    bandwidth = np.mean(distance[:, 1:] ** 2)
    s = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        s[i, neighbour[i, 1:]] = np.exp(-distance[i, 1:] ** 2 / bandwidth)
    return np.maximum(s, s.T), bandwidth


def test_laplacian_is_the_score_of_the_formula(tmp_path):
    x = values()
    s, bandwidth = graph(x)
    d = s.sum(axis=1)
    centred = x - (d @ x) / d.sum()
    score = np.einsum("ij,ij->j", centred, (np.diag(d) - s) @ centred) / np.einsum("ij,i,ij->j", centred, d, centred)
    found = run_json("select", *write(tmp_path / "d.csv", x), "--method", "laplacian")
    assert weights(found) == pytest.approx(2 - score, rel=1e-9)
    assert found["parameters"]["bandwidth"] == pytest.approx(bandwidth, rel=1e-9)


@pytest.mark.parametrize("samples, features, nonzeros", [(60, 20, 200), (60, 20, 7), (40, 90, 12)])
def test_mcfs_is_scipy_and_scikit_learn(tmp_path, samples, features, nonzeros):
    x = values(samples, features, clusters=1)
    s, _ = graph(x)
    d = np.diag(s.sum(axis=1))
    _, vectors = scipy.linalg.eigh(d - s, d)
    centred = x - x.mean(axis=0)
    expected = np.zeros(features)
    for k in range(1, 4):
        y = vectors[:, k] - vectors[:, k].mean()
        # Its path has a column per step; the last one before another feature enters.
        _, _, path = lars_path(centred, y, method="lasso")
        count = (path != 0).sum(axis=0)
        beyond = np.flatnonzero(count > nonzeros)
        last = path[:, beyond[0] - 1] if len(beyond) else path[:, -1]
        expected = np.maximum(expected, np.abs(last))
    found = run_json("select", *write(tmp_path / "d.csv", x), "--method", "mcfs", "--clusters", 3, "--nonzeros", nonzeros)
    assert weights(found) == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("method", UNSUPERVISED)
def test_features_that_tell_clusters_apart_come_before_noise(tmp_path, method):
    random = np.random.default_rng(3)
    cluster = np.arange(90) % 3
    x = random.uniform(0, 1, size=(90, 30))
    for j in range(6):  # features 0 to 5
        x[:, j] = 3 * (cluster == j % 3) + random.uniform(0, 0.5, size=90)
    # Two functions tell three clusters apart.
    more = ["--clusters", 2 if method == "mcfs" else 3] if method in CLUSTERS else []
    found = run_json(*select(method, write(tmp_path / "d.csv", x), tmp_path, 30, *more))
    # Regressions leave out what says the same again.
    best = set(found["nodes"][0]["ranking"][:3 if method in ("mcfs", "ndfs", "rufs") else 6])
    assert best <= set(range(6)), found["nodes"][0]["ranking"]


# ---- odd data


@pytest.mark.parametrize("method", GRAPH)
def test_what_is_odd_is_said(tmp_path, method):
    x = values(clusters=1)
    x[:, 3] = 5
    x[30:] += 1000
    x[7] = x[4]
    more = ["--clusters", 5] if method in CLUSTERS else []
    notes = run_json("select", *write(tmp_path / "d.csv", x), "--method", method, *more)["notes"]
    assert "1 constant feature comes last, with weight 0" not in notes  # feature 3 differs: 5 and 1005
    assert notes[:2] == ["1 sample is equal to an earlier one", "the neighbour graph has 2 parts that no link joins"]
    x = values(clusters=1)
    x[:, 3] = 5
    found = run_json("select", *write(tmp_path / "d.csv", x), "--method", method, *more)
    assert found["notes"] == ["1 constant feature comes last, with weight 0"]
    assert found["nodes"][0]["ranking"][-1] == 3
    few = run_json("select", *write(tmp_path / "d.csv", values(4, 3)), "--method", method, *(["--clusters", 2] if method in CLUSTERS else []))
    assert "--neighbours 3 instead of 5: there are no more samples" in few["notes"]


@pytest.mark.parametrize("method", ["eufs", "ndfs", "rufs"])
def test_fewer_different_samples_than_clusters(tmp_path, method):
    x = np.repeat(values(2, 4), 5, axis=0)
    notes = run_json("select", *write(tmp_path / "d.csv", x), "--method", method, "--clusters", 3)["notes"]
    assert "2 different samples for 3 clusters: equal ones start in different clusters" in notes


# ---- what the data decide


@pytest.mark.parametrize("method", CLUSTERS)
def test_as_many_clusters_as_classes(tmp_path, method):
    x = values(30, 8)
    known = run_json(*select(method, write(tmp_path / "d.csv", x, ["a/b", "a/c", "d"] * 10), tmp_path, 8))
    assert known["parameters"]["clusters"] == 3
    assert not any("clusters" in note for note in known["notes"])
    for labels in (None, ["z"] * 30):
        unknown = run_json(*select(method, write(tmp_path / "d.csv", x, labels), tmp_path, 8))
        assert unknown["parameters"]["clusters"] == 5
        assert "5 clusters: the data do not say how many there are; --clusters does" in unknown["notes"]
    few = run_json(*select(method, write(tmp_path / "d.csv", values(4, 3)), tmp_path, 3))
    assert few["parameters"]["clusters"] == (3 if method == "mcfs" else 4)


@pytest.mark.parametrize("method", UNSUPERVISED)
def test_the_scale_that_auto_stands_for(tmp_path, method):
    more = ["--clusters", 3] if method in CLUSTERS else []
    one_scale = values()
    scales = one_scale * np.logspace(0, 3, 20)
    for x, expected in [(one_scale, "none"), (scales, "standard")]:
        command = select(method, write(tmp_path / "d.csv", x), tmp_path, 20, *more)
        found = run_json(*command)
        assert found["parameters"]["scale"] == expected
        assert found["nodes"] == run_json(*command, "--scale", expected)["nodes"]
        other = "standard" if expected == "none" else "none"
        assert run_json(*command, "--scale", other)["parameters"]["scale"] == other
    # Two features of another scale decide nothing.
    one_scale[:, :2] *= 1000
    assert run_json(*select(method, write(tmp_path / "d.csv", one_scale), tmp_path, 20, *more))["parameters"]["scale"] == "none"
    sparse = np.where(scales > 0.9 * scales.max(axis=0), scales, 0)
    assert run_json(*select(method, write(tmp_path / "d.csv", sparse), tmp_path, 20, *more))["parameters"]["scale"] == "unit"


def test_selectors_by_labels_are_not_scaled_by_auto(tmp_path):
    command = ["select", *write(tmp_path / "d.csv", values() * np.logspace(0, 3, 20), ["a", "b", "c"] * 20), "--method", "hier-fs"]
    assert run_json(*command)["nodes"] == run_json(*command, "--scale", "none")["nodes"] != run_json(*command, "--scale", "standard")["nodes"]


# ---- the graph of eufs


def numpy_eufs(x, cluster, nu, beta=0.01, iterations=120):
    """Embedded unsupervised feature selection as the paper has it, with dense matrices."""
    s, _ = graph(x)
    laplacian = np.diag(s.sum(axis=1)) - s
    u = np.eye(cluster.max() + 1)[cluster]
    u /= np.linalg.norm(u, axis=0)
    v, z = x.T @ u, u
    y1, y2, mu = np.zeros_like(u), np.zeros_like(x), 1e-3

    def shrink(rows, threshold):
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.where(length > threshold, 1 - threshold / np.maximum(length, 1e-300), 0) * rows

    for _ in range(iterations):
        e = shrink(x - u @ v.T + y2 / mu, 1 / mu)
        v = shrink((x - e + y2 / mu).T @ u, beta / mu)
        left, _, right = np.linalg.svd(y1 / mu + z - nu / mu * laplacian @ z + (x - e + y2 / mu) @ v, full_matrices=False)
        u = left @ right
        z = np.maximum(u - (y1 + nu * laplacian @ u) / mu, 0)
        y1, y2, mu = y1 + mu * (z - u), y2 + mu * (x - u @ v.T - e), 1.1 * mu
    objective = np.linalg.norm(x - u @ v.T, axis=1).sum() + beta * np.linalg.norm(v, axis=1).sum() + nu * np.trace(u.T @ laplacian @ u)
    return np.linalg.norm(v, axis=1), objective


@pytest.mark.parametrize("nu", [0, 0.5, 20])
def test_eufs_with_its_graph_is_numpy(tmp_path, nu):
    random = np.random.default_rng(7)
    cluster = np.arange(45) % 3
    x = random.uniform(0, 1, size=(45, 12)) + 4 * (cluster[:, None] == np.arange(12) % 3)  # k-means finds these
    expected, objective = numpy_eufs(x, cluster, nu)
    command = ["select", *write(tmp_path / "d.csv", x), "--method", "eufs", "--clusters", 3, "--nu", nu, "--iterations", 120]
    found = run_json(*command, "--tolerance", 0)
    assert weights(found) == pytest.approx(expected, rel=1e-6)
    assert found["objective"][-1] == pytest.approx(objective, rel=1e-5)  # what is left of the descent differs between processors
    assert ("bandwidth" in found["parameters"]) and (nu == 0) == (found["parameters"]["bandwidth"] == "auto")
    notes = run_json(*command, "--neighbours", 4)["notes"]
    assert ("--neighbours has no effect with --nu 0" in notes) == (nu == 0)


# ---- parameters chosen without labels


@pytest.mark.parametrize("criterion", ["stability", "reconstruction"])
@pytest.mark.parametrize("method", UNSUPERVISED)
def test_the_setting_of_the_largest_value_is_taken(tmp_path, method, criterion):
    arguments = write(tmp_path / "d.csv", values(), ["a", "b", "c"] * 20)
    command = select(method, arguments, tmp_path, 20, "--top", 6)
    run(*command, "--tune", criterion, "-o", tmp_path / "one.json", "--threads", 1)
    found = json.loads((tmp_path / "one.json").read_text())
    tuning = found["tuning"]
    assert (tuning["criterion"], tuning["features"]) == (criterion, 6)
    values_of = [one["value"] for one in tuning["settings"]]
    assert all((value is None) == bool(one["problem"]) for value, one in zip(values_of, tuning["settings"]))
    best = max(value for value in values_of if value is not None)
    assert tuning["chosen"] == values_of.index(best) and best <= 1
    chosen = tuning["settings"][tuning["chosen"]]["parameters"]
    assert all(found["parameters"][name] == value for name, value in chosen.items())
    again = run_json(*command, *(text for name, value in chosen.items() for text in (f"--{name}", value)))
    assert again["nodes"] == found["nodes"] and "tuning" not in again
    run(*command, "--tune", criterion, "-o", tmp_path / "two.json", "--threads", 2)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_stability_and_reconstruction_prefer_what_they_are_named_after(tmp_path):
    random = np.random.default_rng(1)
    # Five features tell the others; what is in the neighbour graph of a few samples is chance.
    roots = random.normal(size=(80, 5)) * 3
    x = np.hstack([roots, roots @ random.normal(size=(5, 25)) + random.normal(size=(80, 25))])
    command = ["select", *write(tmp_path / "d.csv", x), "--method", "mcfs", "--clusters", 4, "--top", 5]
    grid = ["--grid", "nonzeros=1,30 neighbours=2,12"]
    settings = run_json(*command, "--tune", "stability", *grid)["tuning"]["settings"]
    assert [one["parameters"] for one in settings] == [{"nonzeros": a, "neighbours": b} for a in (1, 30) for b in (2, 12)]
    text = run(*command, "--tune", "reconstruction", *grid).stdout
    assert re.search(r"parameters by reconstruction of the best 5 features:\n\n  nonzeros  neighbours  reconstruction", text)
    assert text.count("  chosen\n") == 1


@pytest.mark.parametrize("arguments, expected", [
    (["--method", "fisher", "--tune", "stability"], "--tune: fisher ranks features by labels; expected a selector without labels"),
    (["--method", "ndfs", "--grid", "alpha=1"], "--grid has no effect; expected --tune with it"),
    (["--method", "ndfs", "--tune", "auto", "--grid", "alpha"], "--grid: 'alpha'; expected NAME=VALUE,VALUE such as alpha=0.01,1"),
    (["--method", "ndfs", "--tune", "auto", "--grid", "alpha=0"], "--alpha: '0'; expected a number, above 0"),
    (["--method", "ndfs", "--tune", "auto", "--grid", "alpha=1", "--alpha", 1], "--alpha is given and in --grid; expected one of them"),
    (["--method", "ndfs", "--tune", "auto", "--alpha", 1, "--beta", 1], "--tune: all parameters are given"),
    (["--method", "ndfs", "--tune", "auto", "--grid", "alpha=1 alpha=2"], "--grid: alpha or a value of it stands there twice"),
    (["--method", "ndfs", "--tune", "auto", "--grid", "alpha=1,1"], "--grid: alpha or a value of it stands there twice"),
    (["--method", "eufs", "--tune", "auto", "--grid", "beta=1e9"], "--tune: no setting is of use: every weight is 0"),
])
def test_what_cannot_be_tuned(tmp_path, arguments, expected):
    assert expected in error_line("select", *write(tmp_path / "d.csv", values(), ["a", "b", "c"] * 20), *arguments)


# ---- bad input


@pytest.mark.parametrize("method", UNSUPERVISED)
@pytest.mark.parametrize("arguments, expected", [
    (["--nodes", "root"], "ranks features for the whole data set; expected no --nodes"),
    (["--bias"], "fits no labels; expected no --bias"),
    (["--lambda", 1], "has no parameter --lambda"),
])
def test_arguments_that_do_not_suit(tmp_path, method, arguments, expected):
    command = select(method, write(tmp_path / "d.csv", values(), ["a", "b", "c"] * 20), tmp_path, 20, *arguments)
    if arguments[0] == "--nodes":
        command[command.index("root")] = "(root)"
    assert expected in error_line(*command, "-o", tmp_path / "r.json")
    assert not (tmp_path / "r.json").exists()


@pytest.mark.parametrize("method", CLUSTERS)
def test_more_clusters_than_samples(tmp_path, method):
    command = select(method, write(tmp_path / "d.csv", values(6, 4)), tmp_path, 4, "--clusters", 7)
    assert "--clusters: 7 clusters of 6 samples; expected no more clusters than samples" in error_line(*command)


@pytest.mark.parametrize("method", UNSUPERVISED)
def test_constant_or_missing_values(tmp_path, method):
    command = select(method, write(tmp_path / "d.csv", np.ones((5, 4))), tmp_path, 4)
    assert error_line(*command) == "every feature is constant; expected features that differ between samples"
    x = values(10, 4)
    x[3, 2] = np.nan
    command = select(method, write(tmp_path / "d.csv", x), tmp_path, 4, *(["--clusters", 2] if method in CLUSTERS else []))
    assert "d.csv:5" in error_line(*command) and "missing" in error_line(*command)
    assert "missing" in error_line(*command, "--missing", "keep")
    run(*command, "--missing", "mean")


@pytest.mark.parametrize("method", GRAPH)
def test_a_single_sample(tmp_path, method):
    (tmp_path / "d.csv").write_text("a,b\n1,2\n")
    line = error_line("select", tmp_path / "d.csv", "--label-column", "none", "--method", method, "--quiet")
    assert "constant" in line or "single sample" in line


@pytest.mark.parametrize("method", ["hufs", "eufs", "laplacian"])
def test_the_memory_is_said_before_the_work(tmp_path, method):
    command = select(method, write(tmp_path / "d.csv", values(400, 50)), tmp_path, 50)
    assert re.search(r"selection needs about \d+.* of memory and may use 64 KiB; expected .*--memory",
                     error_line(*command, "--memory", "64K"))


def test_the_feature_tree_of_hufs(tmp_path):
    arguments = ["select", *write(tmp_path / "d.csv", values()), "--method", "hufs"]
    assert error_line(*arguments) == "hufs needs a feature hierarchy; expected --feature-tree FILE; eufs needs none"
    assert "none.json: no such file" in error_line(*arguments, "--feature-tree", tmp_path / "none.json")
    write_tree(tmp_path / "tree.json", 20)
    with_tree = [*arguments, "--feature-tree", tmp_path / "tree.json"]
    eufs = run_json("select", *write(tmp_path / "d.csv", values()), "--method", "eufs")
    without = run_json(*with_tree, "--alpha", 0)
    assert without["nodes"] == eufs["nodes"]
    assert without["notes"][0] == "--feature-tree has no effect with --alpha 0"
    assert run_json(*arguments, "--alpha", 0)["nodes"] == eufs["nodes"]
    assert weights(run_json(*with_tree, "--alpha", 1)) != pytest.approx(weights(eufs))
    # Names are found after scaling, too.
    assert run_json(*with_tree, "--scale", "unit")["nodes"]


def test_strong_groups_drop_their_features_together(tmp_path):
    random = np.random.default_rng(5)
    cluster = np.arange(60) % 3
    x = random.uniform(0, 0.3, size=(60, 20))
    for j in range(10):
        x[:, j] += 2 * (cluster == j % 3)
    x[:, 10:] *= 0.1
    command = select("hufs", write(tmp_path / "d.csv", x), tmp_path, 20, "--scale", "none", "--clusters", 3, "--alpha", 1)
    found = weights(run_json(*command))
    assert np.all(found[:10] > 0) and np.all(found[10:] <= 1e-3 * found[:10].min())
    without = run_json(*command[:-4], "--alpha", 100, *command[-2:], "--allow-zero-weights")
    assert set(weights(without)) == {0}
