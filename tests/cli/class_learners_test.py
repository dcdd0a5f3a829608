"""clade learn-taxonomy by k-means and by WordNet: all divisions by brute force, and WordNet's files read by this test."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from clade_tool import error_line, run, run_json

WORDNET = Path("/usr/share/wordnet")
needs_wordnet = pytest.mark.skipif(not (WORDNET / "index.noun").exists(), reason="no WordNet: install wordnet-base")


def write_table(folder, x, labels, name="data.csv"):
    rows = [",".join([*(repr(float(v)) for v in row), label]) for row, label in zip(x, labels)]
    (folder / name).write_text("\n".join([",".join([*(f"x{j}" for j in range(x.shape[1])), "label"]), *rows]) + "\n")
    return folder / name


def write_sparse(folder, x, labels):
    rows = [label + "".join(f" {j + 1}:{float(v)!r}" for j, v in enumerate(row) if v) for row, label in zip(x, labels)]
    (folder / "data.svm").write_text("\n".join(rows) + "\n")
    return folder / "data.svm"


def learn(data, method, *arguments):
    return run_json("learn-taxonomy", data, "--method", method, *arguments, "-o", data.parent / "t.csv", "--force")


def points(seed, classes, groups):
    generator = np.random.default_rng(seed)
    centres = 10 * generator.normal(size=(groups, 4))[np.arange(classes) % groups] + generator.normal(size=(classes, 4))
    names = [f"c{k:02}" for k in range(classes)]
    x = np.repeat(centres, 2, axis=0) + np.tile([[0.5], [-0.5]], (classes, 4))
    return x, np.repeat(names, 2), dict(zip(names, centres))


def children_of(path):
    """Names below every node, and the classes below it."""
    parents = dict((line.split(",") + [""])[:2] for line in path.read_text().splitlines()[1:])
    children = {}
    for node, parent in parents.items():
        children.setdefault(parent, []).append(node)
    return children


# ---- k-means


def cost(groups, centre):
    total = 0
    for group in groups:
        rows = np.array([centre[name] for name in group])
        total += ((rows - rows.mean(axis=0)) ** 2).sum()
    return total


def divisions(names, count):
    """All ways to divide the names into exactly so many parts."""
    for choice in itertools.product(range(count), repeat=len(names)):
        if len(set(choice)) == count and list(dict.fromkeys(choice)) == sorted(set(choice)):
            yield [[n for n, c in zip(names, choice) if c == k] for k in range(count)]


def top_groups(shown, names):
    groups = [cluster["classes"] for cluster in shown["clusters"] if cluster["parent"] == "root"]
    return groups + [[name] for name in names if not any(name in group for group in groups)]


@pytest.mark.parametrize("balanced", [False, True])
def test_the_division_is_the_best_of_all(tmp_path, balanced):
    best_found = 0
    for seed in range(12):
        x, labels, centre = points(seed, 8, 8)
        shown = learn(write_table(tmp_path, x, labels), "kmeans", "--branching", 3, "--levels", 2, "--starts", 60,
                      *(["--balanced"] if balanced else []))
        groups = top_groups(shown, list(centre))
        allowed = [d for d in divisions(list(centre), 3) if not balanced or max(map(len, d)) - min(map(len, d)) <= 1]
        if balanced:
            assert sorted(map(len, groups)) == [2, 3, 3]
        best = min(cost(d, centre) for d in allowed)
        found = cost(groups, centre)
        assert found >= best - 1e-9
        best_found += found <= best + 1e-9
        # Never far from it: the means stay where they are, and no class is nearer to another (or no better deal is found).
        assert found <= 1.5 * best + 1e-9
    assert best_found >= (5 if balanced else 11)


@pytest.mark.parametrize("write", [write_table, write_sparse])
@pytest.mark.parametrize("kernel", [[], ["--kernel", "polynomial", "--degree", 1, "--coef0", 0, "--gamma", 1]])
def test_planted_groups_are_found(tmp_path, write, kernel):
    x, labels, _ = points(3, 25, 5)
    shown = learn(write(tmp_path, x, labels), "kmeans", *kernel)
    assert sorted(c["classes"] for c in shown["clusters"]) == [[f"c{k:02}" for k in range(g, 25, 5)] for g in range(5)]
    assert shown["height"] == 3 and [c["name"] for c in shown["clusters"]] == [f"cluster-{k}" for k in range(1, 6)]


def test_balanced_trees_have_the_branching_everywhere(tmp_path):
    x, labels, _ = points(1, 27, 5)
    learn(write_table(tmp_path, x, labels), "kmeans", "--branching", 3, "--balanced")
    children = children_of(tmp_path / "t.csv")
    assert all(len(children[node]) == 3 for node in children if node) and len(children) == 14
    learn(write_table(tmp_path, x, labels), "kmeans", "--branching", 4)
    assert all(len(of) <= 4 for of in children_of(tmp_path / "t.csv").values())


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_levels(tmp_path, levels):
    x, labels, _ = points(2, 30, 6)
    for more in ([], ["--branching", 2]):
        assert learn(write_table(tmp_path, x, labels), "kmeans", "--levels", levels, *more)["height"] == levels + 1


def test_threads_change_nothing_and_the_seed_counts(tmp_path):
    generator = np.random.default_rng(5)
    data = write_table(tmp_path, generator.normal(size=(300, 5)), [f"c{k:03}" for k in range(300)])
    trees = []
    for threads in (1, 2, 3):
        learn(data, "kmeans", "--threads", threads, "--starts", 1)
        trees.append((tmp_path / "t.csv").read_text())
    assert trees[0] == trees[1] == trees[2]
    learn(data, "kmeans", "--starts", 1, "--seed", 9)
    assert (tmp_path / "t.csv").read_text() != trees[0]


def test_odd_classes(tmp_path):
    same = learn(write_table(tmp_path, np.ones((9, 2)), [f"c{k}" for k in range(9)]), "kmeans")
    assert same["clusters"] == [] and "not divided" in same["notes"][-1]
    balanced = learn(tmp_path / "data.csv", "kmeans", "--balanced")
    assert sorted(len(c["classes"]) for c in balanced["clusters"]) == [3, 3, 3]
    assert learn(write_table(tmp_path, np.ones((1, 2)), ["a"]), "kmeans")["nodes"] == 2
    line = error_line("learn-taxonomy", tmp_path / "data.csv", "--method", "kmeans", "-o", tmp_path / "u.csv", "--picture",
                      tmp_path / "u.svg")
    assert "kmeans makes no dendrogram" in line and not (tmp_path / "u.csv").exists()


# ---- WordNet


class Nouns:
    """First hypernyms, straight from the files."""

    def __init__(self):
        self.senses, self.data = {}, (WORDNET / "data.noun").read_bytes()
        for line in (WORDNET / "index.noun").read_text().splitlines():
            if not line.startswith(" "):
                fields = line.split()
                self.senses[fields[0]] = fields[-int(fields[2]):]

    def chain(self, offset):
        chain = [offset]
        while True:
            at = int(chain[-1])
            fields = self.data[at:self.data.index(b"\n", at)].decode().split()
            pointers = 4 + 2 * int(fields[3], 16)
            above = [fields[k + 1] for k in range(pointers + 1, pointers + 1 + 4 * int(fields[pointers]), 4)
                     if fields[k] in ("@", "@i")]
            if not above:
                return chain
            chain.append(above[0])


BASES = {"wolves": ("wolf", 1), "oxen": ("ox", 1), "sports_cars": ("sports_car", 1), "red bicycle": ("bicycle", 1), "bank#2": ("bank", 2),
         "dogs": ("dog", 1), "rec.autos": ("auto", 1)}
NAMES = ["wolves", "oxen", "sports_cars", "red bicycle", "bank#2", "dogs", "rec.autos", "animal", "cat", "car", "oak", "rose", "bank",
         "violin", "Piano", "canoe", "eagle", "salmon", "happiness", "carpenter"]


@needs_wordnet
def test_classes_stand_together_below_what_they_are_kinds_of(tmp_path):
    nouns = Nouns()
    below = {}
    for name in NAMES:
        word, sense = BASES.get(name, (name.lower(), 1))
        for synset in nouns.chain(nouns.senses[word][sense - 1]):
            below.setdefault(synset, set()).add(name)
    expected = {frozenset(group) for group in below.values() if 1 < len(group) < len(NAMES)}
    shown = learn(write_table(tmp_path, np.zeros((len(NAMES), 1)), NAMES), "wordnet")
    assert {frozenset(c["classes"]) for c in shown["clusters"]} == expected
    assert len(shown["clusters"]) == len(expected)
    children = children_of(tmp_path / "t.csv")
    assert not any(name in children for name in NAMES)  # classes are leaves
    assert all(len(of) > 1 for node, of in children.items() if node)  # no chains
    carnivores = next(c["name"] for c in shown["clusters"] if set(c["classes"]) == {"wolves", "dogs", "cat"})
    assert carnivores == "carnivore (n)"
    assert "found by their last words: rec.autos (autos), red bicycle (bicycle)" in shown["notes"]
    for levels in (1, 2, 3):
        cut = learn(tmp_path / "data.csv", "wordnet", "--levels", levels)
        assert cut["height"] == levels + 1
        assert {c["name"] for c in cut["clusters"]} <= {c["name"] for c in shown["clusters"]}


@needs_wordnet
def test_names_that_wordnet_lacks_hang_from_the_root(tmp_path):
    data = write_table(tmp_path, np.zeros((5, 1)), ["dog", "xyzzy", "cat", "c17", "plugh"])
    shown = learn(data, "wordnet")
    for name in ("xyzzy", "c17", "plugh"):
        assert f"class '{name}' is not in WordNet, put below the root" in shown["notes"]
        assert name in children_of(tmp_path / "t.csv")["root"]
    data = write_table(tmp_path, np.zeros((3, 1)), ["dog", "xyzzy", "1.1"])
    assert "WordNet has 1 of the 3 class names (not 1.1, xyzzy); expected at least two" in error_line(
        "learn-taxonomy", data, "--method", "wordnet", "-o", tmp_path / "u.csv")
    assert "no WordNet there" in error_line(
        "learn-taxonomy", data, "--method", "wordnet", "--wordnet", tmp_path, "-o", tmp_path / "u.csv")


@needs_wordnet
def test_classes_without_samples_and_missing_values_are_no_matter(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("x,y,label\n1,,dog\n,2,car\n1,1,cat\n")
    (tmp_path / "given.csv").write_text("child,parent\ndog,r\ncar,r\ncat,r\ntruck,r\n")
    shown = learn(data, "wordnet", "--taxonomy", tmp_path / "given.csv", "--missing", "keep")
    assert {tuple(c["classes"]) for c in shown["clusters"]} >= {("car", "truck")}
    assert not any("without samples" in note for note in shown["notes"])


# ---- experiments and pages


@needs_wordnet
def test_experiments_learn_by_both(tmp_path):
    x, _, _ = points(4, 6, 3)
    write_table(tmp_path, np.repeat(x, 3, axis=0), np.repeat(["dog", "wolf", "cat", "car", "truck", "piano"], 6))
    (tmp_path / "e.toml").write_text('''
measures = ["accuracy"]

[[data]]
name = "d"
file = "data.csv"
folds = 3

[[taxonomy]]
name = "means"
kind = "learned"
method = "kmeans"
parameters = { branching = 2, balanced = true }

[[taxonomy]]
name = "words"
kind = "learned"
method = "wordnet"

[[recipe]]
name = "svm"
classifier = "top-down-svm"
''')
    run("experiment", tmp_path / "e.toml", "-o", tmp_path / "out")
    rows = (tmp_path / "out" / "results.csv").read_text()
    assert "means" in rows and "words" in rows


def test_the_methods_are_listed():
    assert [m["name"] for m in json.loads(run("learn-taxonomy", "--list", "--json").stdout)] == ["agglomerative", "kmeans", "wordnet"]
