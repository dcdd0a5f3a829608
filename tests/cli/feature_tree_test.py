"""clade feature-tree: WordNet, images, scipy's clustering, trees from files; what info shows of them; odd and bad input."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.cluster.hierarchy as scipy_hierarchy
from clade_tool import SOURCE, error_line, run, run_json
from scipy.spatial.distance import pdist
from small_wordnet import write_wordnet


# ---- data and trees


def write_table(folder, x, names=None, name="data.csv"):
    names = names or [f"x{j}" for j in range(x.shape[1])]
    rows = [",".join([*(repr(float(v)) for v in row), f"c{k % 2}"]) for k, row in enumerate(x)]
    (folder / name).write_text("\n".join([",".join([*names, "label"]), *rows]) + "\n")
    return folder / name


def write_nameless(folder, x):
    np.save(folder / "data.npy", x)
    return folder / "data.npy"


def words(folder, *names):
    return write_table(folder, np.random.default_rng(1).normal(size=(4, len(names))), list(names))


def make(data, method, *arguments):
    """Runs the command; returns what it prints as JSON and the groups below the root as {name: features}."""
    path = data.parent / "tree.json"
    shown = run_json("feature-tree", data, "--method", method, *arguments, "-o", path, "--force")
    document = json.loads(path.read_text())
    return shown, groups_of(document)


def groups_of(document):
    """Names and sets of all groups, checked: siblings are disjoint, and the root has all features."""
    names = document["features"]
    found = {}

    def collect(node):
        features = list(node.get("features", []))
        for child in node.get("children", []):
            features += collect(child)
        assert len(features) == len(set(features)) > 0
        assert node["name"] not in found
        found[node["name"]] = frozenset(names[f] if isinstance(names, list) else f for f in features)
        return features

    everything = collect(document["tree"])
    assert sorted(everything) == list(range(len(names) if isinstance(names, list) else names))
    return {name: group for name, group in found.items() if name != "root"}


# ---- WordNet


def test_words_are_grouped_by_what_they_are_kinds_of(tmp_path):
    data = words(tmp_path, "dog", "cats", "geese", "cash", "Coins", "ran", "walking", "xyzzy", "poodle")
    shown, groups = make(data, "wordnet", "--wordnet", write_wordnet(tmp_path / "w"), "--depth", 0)
    assert groups == {
        "entity (n)": {"dog", "cats", "geese", "cash", "Coins", "poodle"},
        "animal (n)": {"dog", "cats", "geese", "poodle"}, "carnivore (n)": {"dog", "cats", "poodle"}, "dog (n)": {"dog", "poodle"},
        "money (n)": {"cash", "Coins"}, "move (v)": {"ran", "walking"}}
    assert shown["notes"] == ["1 of 9 words without an entry in WordNet, directly below the root: xyzzy"]
    assert (shown["features"], shown["groups"], shown["levels"], shown["below_root"]) == (9, 6, 5, 1)


def test_depth_and_smallest_group(tmp_path):
    data = words(tmp_path, "dog", "cats", "geese", "cash", "Coins", "ran", "walking", "xyzzy", "poodle")
    wordnet = ["--wordnet", write_wordnet(tmp_path / "w")]
    _, groups = make(data, "wordnet", *wordnet, "--depth", 1)
    assert set(groups) == {"entity (n)", "move (v)"}
    _, groups = make(data, "wordnet", *wordnet, "--depth", 0, "--smallest", 3)
    assert set(groups) == {"entity (n)", "animal (n)", "carnivore (n)"}


def test_the_real_wordnet(tmp_path):
    if not Path("/usr/share/wordnet/data.noun").exists():
        pytest.skip("no WordNet in /usr/share/wordnet: install wordnet-base")
    data = words(tmp_path, "dog", "cat", "wolves", "trout", "salmon", "dollar", "pound", "qwertyuiop")
    shown, groups = make(data, "wordnet", "--depth", 0)
    assert groups["carnivore (n)"] == {"dog", "cat", "wolves"}
    assert {"dollar", "pound"} in groups.values() and {"dog", "wolves"} in groups.values()
    assert shown["notes"] == ["1 of 8 words without an entry in WordNet, directly below the root: qwertyuiop"]


def test_words_without_entry_and_missing_files(tmp_path):
    wordnet = write_wordnet(tmp_path / "w")
    out = ["-o", tmp_path / "t.json"]
    line = error_line("feature-tree", words(tmp_path, "qqq", "zzz"), "--method", "wordnet", "--wordnet", wordnet, *out)
    assert line == "none of the 2 features is a word of WordNet (the first: 'qqq'); expected features that are English words"
    nameless = write_nameless(tmp_path, np.ones((2, 3)))
    assert "the features have no names" in error_line(
        "feature-tree", nameless, "--method", "wordnet", "--wordnet", wordnet, "--quiet", *out)
    data = words(tmp_path, "dog", "cat")
    assert "wordnet-base" in error_line("feature-tree", data, "--method", "wordnet", "--wordnet", tmp_path / "none", *out)
    (wordnet / "verb.exc").unlink()
    assert "verb.exc is missing" in error_line("feature-tree", data, "--method", "wordnet", "--wordnet", wordnet, *out)
    assert not (tmp_path / "t.json").exists()


# ---- images


def test_an_image_by_hand(tmp_path):
    data = write_nameless(tmp_path, np.random.default_rng(1).random((3, 12)))
    # 3 x 4 pixels, down the columns: feature = 3 column + row.
    shown, groups = make(data, "spatial", "--height", 3, "--width", 4)
    assert groups == {
        "rows 0-1, columns 0-1": {0, 1, 3, 4}, "rows 0-1, columns 2-3": {6, 7, 9, 10},
        "rows 2-2, columns 0-1": {2, 5}, "rows 2-2, columns 2-3": {8, 11}}
    assert shown["parameters"]["pixels"] == "columns"
    _, groups = make(data, "spatial", "--height", 3, "--pixels", "rows")
    assert groups["rows 0-1, columns 0-1"] == {0, 1, 4, 5} and groups["rows 2-2, columns 2-3"] == {10, 11}
    _, groups = make(data, "spatial", "--width", 12)
    assert groups["rows 0-0, columns 0-5"] == set(range(6))
    assert groups["rows 0-0, columns 0-2"] == {0, 1, 2} and groups["rows 0-0, columns 0-1"] == {0, 1}


@pytest.mark.parametrize("height, width", [(1, 1), (1, 7), (5, 1), (6, 6), (9, 5), (16, 16)])
@pytest.mark.parametrize("order", ["rows", "columns"])
def test_every_block_is_a_rectangle_of_its_name(tmp_path, height, width, order):
    data = write_nameless(tmp_path, np.ones((2, height * width)))
    _, groups = make(data, "spatial", "--height", height, "--width", width, "--pixels", order)
    image = np.arange(height * width).reshape((height, width), order="C" if order == "rows" else "F")
    for name, features in groups.items():
        rows, columns = (tuple(map(int, part.split(" ")[1].split("-"))) for part in name.split(", "))
        assert features == set(image[rows[0]:rows[1] + 1, columns[0]:columns[1] + 1].ravel())
        assert len(features) > 1


def test_a_square_needs_no_size(tmp_path):
    data = write_nameless(tmp_path, np.ones((2, 64)))
    shown, groups = make(data, "spatial", "--depth", 2)
    assert (shown["parameters"]["height"], shown["parameters"]["width"]) == (8, 8)
    assert [(level["groups"], level["largest"]["features"]) for level in shown["per_level"]] == [(4, 16), (16, 4)]
    line = error_line("feature-tree", data, "--method", "spatial", "--height", 7, "--quiet", "-o", tmp_path / "x.json")
    assert line == ("64 features are no image of 7 x 9 pixels; "
                    "expected --height and --width whose product is the number of features")
    assert "no image of 100 x 0" in error_line(
        "feature-tree", data, "--method", "spatial", "--height", 100, "--quiet", "-o", tmp_path / "x.json")


# ---- clustering


def correlated_table(seed, samples, features):
    generator = np.random.default_rng(seed)
    hidden = generator.normal(size=(samples, 6))
    mixing = np.repeat(np.eye(6), -(-features // 6), axis=0)[:features] + 0.4 * generator.normal(size=(features, 6))
    return hidden @ mixing.T + 0.5 * generator.normal(size=(samples, features))


@pytest.mark.parametrize("seed, samples, features, depth", [(1, 40, 30, 2), (2, 15, 90, 3), (3, 200, 45, 1), (4, 12, 300, 4)])
def test_clusters_are_those_of_scipy(tmp_path, seed, samples, features, depth):
    x = correlated_table(seed, samples, features)
    data = write_nameless(tmp_path, x)
    shown, groups = make(data, "agglomerative", "--depth", depth, "--smallest", 1)
    linkage = scipy_hierarchy.linkage(pdist(x.T, "correlation"), "average")
    found = set(groups.values())
    # Every group is a whole cluster at one number of clusters, and each level has about features^(l / (depth + 1)).
    trees = {count: scipy_hierarchy.fcluster(linkage, count, "maxclust") for count in range(1, features + 1)}
    clusters = {count: {frozenset(np.flatnonzero(flat == k)) for k in set(flat)} for count, flat in trees.items()}
    assert found <= set().union(*clusters.values())
    levels = [count for count in clusters if clusters[count] <= found]
    for level in range(1, depth + 1):
        low, high = features ** ((level - 0.5) / (depth + 1)), features ** ((level + 0.5) / (depth + 1))
        assert any(low <= count <= high for count in levels), (level, levels)
    assert shown["levels"] <= depth + 1


def test_constant_features_stand_below_the_root(tmp_path):
    x = correlated_table(1, 30, 20)
    x[:, 3] = 7
    x[:, 8] = 0
    shown, groups = make(write_nameless(tmp_path, x), "agglomerative", "--depth", 2)
    assert shown["notes"] == ["2 constant features are correlated with no other, directly below the root"]
    assert not set().union(*groups.values()) & {3, 8}


def test_single_features_are_merged(tmp_path):
    x = correlated_table(5, 30, 40)
    _, groups = make(write_nameless(tmp_path, x), "agglomerative", "--depth", 3)
    _, whole = make(tmp_path / "data.npy", "agglomerative", "--depth", 3, "--smallest", 1)
    assert set(groups.values()) == {group for group in whole.values() if len(group) > 1}


@pytest.mark.parametrize("method, arguments", [("agglomerative", ["--depth", 3]), ("spatial", [])])
def test_threads_change_nothing(tmp_path, method, arguments):
    data = write_nameless(tmp_path, correlated_table(6, 25, 625))
    for threads in (1, 2, 3):
        run("feature-tree", data, "--method", method, *arguments, "--threads", threads, "-o", tmp_path / f"{threads}.json")
    assert len({(tmp_path / f"{threads}.json").read_text() for threads in (1, 2, 3)}) == 1


def test_memory_is_said_before_the_work(tmp_path):
    data = write_nameless(tmp_path, correlated_table(1, 10, 200))
    line = error_line("feature-tree", data, "--method", "agglomerative", "--memory", "100K", "--quiet",
                      "-o", tmp_path / "t.json")
    assert line.startswith("clustering 200 features needs about") and "--memory" in line
    wide = write_nameless(tmp_path, np.random.default_rng(1).random((3, 6000)))
    noted = run("feature-tree", wide, "--method", "agglomerative", "-o", tmp_path / "t.json").stderr
    assert "clustering 6000 features takes about" in noted


# ---- trees from files, and what info shows


GROUPS = {"name": "asset", "children": [
    {"name": "money", "features": ["money"], "children": [{"name": "change", "features": ["coin", "cash"]}]},
    {"name": "valuables", "features": ["gold", "ring"]}]}


def test_a_tree_from_a_file(tmp_path):
    data = words(tmp_path, "coin", "cash", "money", "gold", "ring", "dust")
    (tmp_path / "groups.json").write_text(json.dumps(GROUPS))
    shown, groups = make(data, "file", "--groups", tmp_path / "groups.json")
    assert groups == {"asset": {"coin", "cash", "money", "gold", "ring", "dust"}, "money": {"coin", "cash", "money"},
                      "change": {"coin", "cash"}, "valuables": {"gold", "ring"}}
    assert shown["notes"] == ["1 feature that no group mentions put directly below the root"]
    again, same = make(data, "file", "--groups", tmp_path / "groups.json")
    run("feature-tree", data, "--method", "file", "--groups", tmp_path / "tree.json", "-o", tmp_path / "second.json")
    assert groups_of(json.loads((tmp_path / "second.json").read_text())) == same == groups and again == shown


def test_info_shows_a_tree(tmp_path):
    (tmp_path / "groups.json").write_text(json.dumps(GROUPS))
    shown = run_json("info", tmp_path / "groups.json")
    assert (shown["kind"], shown["method"], shown["features"], shown["groups"], shown["levels"]) == ("feature-tree", None, 5, 3, 3)
    assert shown["per_level"] == [
        {"level": 1, "groups": 2, "features": 5, "largest": {"name": "money", "features": 3}},
        {"level": 2, "groups": 1, "features": 2, "largest": {"name": "change", "features": 2}}]
    text = run("info", tmp_path / "groups.json").stdout
    assert "feature tree of 5 features, 3 groups\n3 levels with the root; 0 features directly below it" in text
    make(write_nameless(tmp_path, np.ones((2, 16))), "spatial")
    shown = run_json("info", tmp_path / "tree.json")
    assert (shown["method"], shown["parameters"]["height"], shown["groups"]) == ("spatial", 4, 4)


BAD_GROUPS = {
    "overlap": ('{"name": "r", "children": [{"name": "a", "features": ["coin", "cash"]}, {"name": "b", "features": ["cash"]}]}',
                "groups 'a' and 'b' overlap: both have feature 'cash'"),
    "unknown": ('{"name": "r", "features": ["silver"]}', "feature 'silver' in group 'r' is not known"),
    "number": ('{"name": "r", "features": [3]}', "feature 3 in group 'r' is not known"),
    "empty group": ('{"name": "r", "features": ["coin"], "children": [{"name": "a"}]}', "group 'a' has no features"),
    "other features": ('{"features": ["a", "b", "c"], "tree": {"name": "r"}}', "feature 1 is 'a', in the data 'coin'"),
    "no JSON": ("{", "not well-formed JSON"),
}


@pytest.mark.parametrize("case", BAD_GROUPS)
def test_bad_groups(tmp_path, case):
    text, expected = BAD_GROUPS[case]
    data = words(tmp_path, "coin", "cash", "money")
    (tmp_path / "g.json").write_text(text)
    line = error_line("feature-tree", data, "--method", "file", "--groups", tmp_path / "g.json", "-o", tmp_path / "t.json")
    assert expected in line and "g.json" in line
    assert not (tmp_path / "t.json").exists()


# ---- bad input


def test_bad_arguments(tmp_path):
    data = words(tmp_path, "dog", "cat")
    out = ["-o", tmp_path / "t.json"]
    assert "expected DATA, --method M" in error_line("feature-tree")
    assert "expected DATA, --method M" in error_line("feature-tree", data)
    assert "nowhere to put the tree" in error_line("feature-tree", data, "--method", "spatial")
    assert "no feature-tree method 'magic'" in error_line("feature-tree", data, "--method", "magic", *out)
    assert "--depth" in error_line("feature-tree", data, "--method", "agglomerative", "--depth", 0, *out)
    assert "--depth: 3 levels of 2 features that vary" in error_line("feature-tree", data, "--method", "agglomerative", *out)
    assert "--height" in error_line("feature-tree", data, "--method", "wordnet", "--height", 3, *out)
    assert "expected --groups FILE" in error_line("feature-tree", data, "--method", "file", *out)
    assert "no such file" in error_line("feature-tree", data, "--method", "file", "--groups", tmp_path / "none.json", *out)
    assert "no such file" in error_line("feature-tree", tmp_path / "none.csv", "--method", "spatial", *out)
    assert "is the input" in error_line("feature-tree", data, "--method", "spatial", "-o", data, "--force")
    assert not (tmp_path / "t.json").exists()
    (tmp_path / "t.json").write_text("precious")
    assert "exists already; use --force" in error_line("feature-tree", data, "--method", "spatial", *out)
    assert (tmp_path / "t.json").read_text() == "precious"


@pytest.mark.parametrize("value, expected", [("nan", "missing"), ("inf", "inf")])
def test_values_to_compute_nothing_with(tmp_path, value, expected):
    (tmp_path / "d.csv").write_text(f"a,b,c,d,label\n1,2,3,4,x\n{value},1,2,3,y\n3,1,0,1,z\n")
    line = error_line("feature-tree", tmp_path / "d.csv", "--method", "agglomerative", "--depth", 1, "-o", tmp_path / "t.json")
    assert expected in line


# ---- the list and the page


def test_every_method_and_parameter_is_on_the_page(tmp_path):
    page = (SOURCE / "docs" / "feature-tree.md").read_text()
    entries = run_json("feature-tree", "--list")
    assert [entry["name"] for entry in entries] == ["wordnet", "spatial", "agglomerative", "file"]
    for entry in entries:
        assert f"## `{entry['name']}`" in page
        section = page.split(f"## `{entry['name']}`")[1].split("\n## ")[0]
        for parameter in entry["parameters"]:
            rows = [line for line in section.splitlines() if line.startswith(f"| `{parameter['name']}` |")]
            assert len(rows) == 1 and rows[0].split("|")[2].strip(" `") == str(parameter["default"]), parameter
