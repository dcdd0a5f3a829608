"""The classifier `forest` from the command line, and beside scikit-learn's extra trees."""

import csv
import io

import numpy as np
import pytest
from clade_tool import error_line, run, run_json
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.metrics import average_precision_score

LEAVES = ["a/x", "a/y", "b/x", "b/y", "b/z"]


def write(path, x, labels):
    """Missing values are empty cells."""
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([f"gene{k}" for k in range(x.shape[1])] + ["class"])
        for row, own in zip(x, labels):
            rows.writerow(["" if np.isnan(value) else repr(float(value)) for value in row] + [";".join(own)])
    return path


def make(seed, samples, gaps=0.0):
    """Samples with one or two labels, around a centre for each label."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(1).normal(size=(len(LEAVES), 12))
    labels, x = [], []
    for _ in range(samples):
        own = sorted(random.choice(len(LEAVES), size=random.integers(1, 3), replace=False))
        labels.append([LEAVES[k] for k in own])
        x.append(centres[own].sum(axis=0) + 1.5 * random.normal(size=12))
    x = np.array(x)
    x[random.random(x.shape) < gaps] = np.nan
    return x, labels


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forest")
    for name, seed, samples, gaps in [("train", 1, 400, 0), ("test", 2, 300, 0), ("gaps", 1, 400, 0.2)]:
        write(folder / f"{name}.csv", *make(seed, samples, gaps))
    return folder


def train(files, name="train", *arguments):
    model = files / f"{name}{abs(hash(arguments))}.clade"
    run("train", files / f"{name}.csv", "--classifier", "forest", "-o", model, "--force", "--quiet", *arguments)
    return model


def test_as_good_as_extra_trees(files):
    nodes = sorted({above for leaf in LEAVES for above in (leaf, leaf[0])})
    x, labels = make(1, 400)
    test_x, test_labels = make(2, 300)

    def closed(all_labels):
        return np.array([[any(own == node or own.startswith(node + "/") for own in labels) for node in nodes]
                         for labels in all_labels], dtype=float)

    scale = np.sqrt([0.75 ** (1 + node.count("/")) for node in nodes])
    other = ExtraTreesRegressor(100, min_samples_leaf=5, max_features=1 / 3, random_state=0).fit(x, closed(labels) * scale)
    expected = average_precision_score(closed(test_labels), other.predict(test_x) / scale, average="micro")
    text = run("predict", train(files), files / "test.csv", "--nodes").stdout
    scores = np.zeros((300, len(nodes)))
    for row in csv.DictReader(io.StringIO(text)):
        scores[int(row["sample"]), nodes.index(row["node"])] = float(row["score"])
    assert average_precision_score(closed(test_labels), scores, average="micro") == pytest.approx(expected, abs=0.01)


def test_threads_do_not_matter(files):
    for ensemble in ("extra-trees", "bagging"):
        texts = [run("predict", train(files, "gaps", "--ensemble", ensemble, "--trees", 20, "--threads", threads),
                     files / "test.csv", "--nodes", "--threads", threads).stdout for threads in (1, 4)]
        assert texts[0] == texts[1]


def test_missing_values_need_no_flag(files):
    model = train(files, "gaps", "--trees", 30)
    run("predict", model, files / "gaps.csv")
    found = run_json("evaluate", model, files / "gaps.csv")
    assert found["samples"] == 400
    assert "missing value" in error_line("train", files / "gaps.csv", "--classifier", "top-down-svm", "-o", files / "no.clade")
    # Means may still be asked for.
    run("train", files / "gaps.csv", "--classifier", "forest", "--missing", "mean", "-o", files / "mean.clade", "--quiet")
    run("predict", files / "mean.clade", files / "gaps.csv")


def test_columns_without_values(files, tmp_path):
    x, labels = make(3, 60)
    x[:, :11] = np.nan
    path = write(tmp_path / "holes.csv", x, labels)
    run("train", path, "--classifier", "forest", "-o", tmp_path / "m.clade", "--quiet")
    x[:, 11] = np.nan
    run("predict", tmp_path / "m.clade", write(tmp_path / "none.csv", x, labels))


def test_explanations(files):
    model = train(files)
    found = run_json("predict", model, files / "test.csv", "--explain", 1, "-o", files / "p.csv", "--force")
    step = found["explanations"][0]["steps"][0]
    assert len(step["reasons"]) == 5 and step["rival"]
    telling = run_json("explain", model, "--class", "a", "--top", 3)
    assert len(telling["decisions"][0]["for"]) == 3
    # The centres tell which features rise with the class.
    centres = np.random.default_rng(1).normal(size=(len(LEAVES), 12))
    difference = centres[:2].mean(axis=0) - centres[2:].mean(axis=0)
    for side, sign in (("for", 1), ("against", -1)):
        first = telling["decisions"][0][side][0]
        assert sign * difference[int(first["feature"].removeprefix("gene"))] > 0 and sign * first["weight"] > 0


def test_features_per_node_are_refused(files):
    line = error_line("train", files / "train.csv", "--classifier", "forest", "--select", "hier-fisher", "-o", files / "n.clade")
    assert "same features for all nodes" in line
    run("train", files / "train.csv", "--classifier", "forest", "--select", "fisher", "--top", "4", "-o", files / "s.clade", "--quiet")
