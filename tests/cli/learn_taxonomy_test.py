"""clade learn-taxonomy: scipy's clustering, the files it writes, what other commands make of them, odd and bad input."""

import json
import re
import xml.etree.ElementTree as xml

import numpy as np
import pytest
import scipy.cluster.hierarchy as scipy_hierarchy
from clade_tool import SOURCE, error_line, run, run_json
from hierarchy_cases import DAG, DEEP, Problem
from scipy.spatial.distance import pdist

LINKAGES = ["average", "complete", "single"]


# ---- data


def write_table(folder, x, labels, name="data.csv"):
    header = ",".join([*(f"x{j}" for j in range(x.shape[1])), "label"])
    rows = [",".join([*(repr(float(v)) for v in row), ";".join(of)]) for row, of in zip(x, labels)]
    (folder / name).write_text("\n".join([header, *rows]) + "\n")
    return folder / name


def write_sparse(folder, x, labels):
    rows = [",".join(of) + "".join(f" {j + 1}:{float(v)!r}" for j, v in enumerate(row) if v != 0) for row, of in zip(x, labels)]
    (folder / "data.svm").write_text("\n".join(rows) + "\n")
    return folder / "data.svm"


def random_table(seed, classes, features, several=False, density=1.0):
    """Samples of classes c00, c01, ... in groups, so that there is something to find."""
    generator = np.random.default_rng(seed)
    names = [f"c{k:02}" for k in range(classes)]
    centres = 3 * generator.normal(size=(4, features))[np.arange(classes) % 4] + generator.normal(size=(classes, features))
    x, labels = [], []
    for s in range(3 * classes):
        own = s % classes
        x.append((centres[own] + 0.3 * generator.normal(size=features)) * (generator.random(features) < density))
        other = names[generator.integers(classes)]
        labels.append([names[own]] + ([other] if several and other != names[own] else []))
    return np.array(x), labels


def centroids(x, labels):
    names = sorted({name for of in labels for name in of})
    return names, np.array([x[[name in of for of in labels]].mean(axis=0) for name in names])


def learn(path, *arguments):
    """Runs the command; returns what it prints, its dendrogram and its edges."""
    folder = path.parent
    shown = run_json("learn-taxonomy", path, *arguments, "-o", folder / "t.csv", "--dendrogram", folder / "d.json", "--force")
    return shown, json.loads((folder / "d.json").read_text()), edges(folder / "t.csv")


def edges(path):
    lines = [line.split(",") for line in path.read_text().splitlines()]
    assert lines[0] == ["child", "parent"]
    return {line[0]: line[1] if len(line) > 1 else None for line in lines[1:]}


def scipy_form(dendrogram):
    return np.array([[*merge["parts"], merge["distance"], merge["size"]] for merge in dendrogram["merges"]])


def partition(parents, names):
    """The classes by what they hang from; those that hang from the root are alone."""
    root = next(node for node, parent in parents.items() if parent is None)
    groups = {}
    for name in names:
        groups.setdefault(name if parents[name] == root else parents[name], set()).add(name)
    return sorted(map(sorted, groups.values()))


# ---- scipy


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("kind", ["dense", "sparse", "several labels", "wide"])
def test_linkage_inconsistency_and_cut_are_those_of_scipy(tmp_path, kind, linkage):
    for seed in range(6):
        classes, features = (4 + 9 * seed, 90) if kind == "wide" else (3 + 11 * seed, 6)
        x, labels = random_table(seed, classes, features, kind == "several labels", 0.3 if kind == "sparse" else 1.0)
        path = (write_sparse if kind in ("sparse", "wide") else write_table)(tmp_path, x, labels)
        shown, dendrogram, parents = learn(path, "--linkage", linkage, "--strict")
        names, means = centroids(x, labels)
        expected = scipy_hierarchy.linkage(pdist(means), linkage)
        assert [entry["name"] for entry in dendrogram["classes"]] == names
        found = scipy_form(dendrogram)
        assert np.array_equal(found[:, [0, 1, 3]], expected[:, [0, 1, 3]])
        assert np.abs(found[:, 2] - expected[:, 2]).max() <= 1e-12 * max(1, expected[:, 2].max())
        statistics = scipy_hierarchy.inconsistent(expected, 2)
        coefficients = statistics[:, 3]
        mine = np.array([merge["inconsistency"] for merge in dendrogram["merges"]])
        # scipy takes the deviation as the difference of squares, which costs digits where it is small.
        lost = (statistics[:, 0] / np.where(statistics[:, 1] > 0, statistics[:, 1], np.inf)) ** 2
        assert np.all(np.abs(mine - coefficients) <= 1e-10 + 1e-14 * lost)
        if not coefficients.any():
            assert dendrogram["threshold"] is None
            continue
        threshold = mine[mine != 0].mean()
        assert dendrogram["threshold"] == shown["threshold"] == pytest.approx(threshold, abs=1e-12)
        statistics[:, 3] = mine
        flat = scipy_hierarchy.fcluster(expected, threshold + 1e-9, "inconsistent", R=statistics)
        groups = sorted(sorted(n for n, f in zip(names, flat) if f == k) for k in set(flat))
        assert partition(parents, names) == groups


@pytest.mark.parametrize("sparse", [False, True])
def test_unit_scale_brings_samples_to_length_1(tmp_path, sparse):
    x, labels = random_table(3, 12, 8, density=0.6)
    x[5] = 0
    path = (write_sparse if sparse else write_table)(tmp_path, x, labels)
    shown, dendrogram, _ = learn(path, "--scale", "unit")
    length = np.linalg.norm(x, axis=1, keepdims=True)
    _, means = centroids(x / np.where(length > 0, length, 1), labels)
    expected = scipy_hierarchy.linkage(pdist(means), "average")
    assert np.abs(scipy_form(dendrogram) - expected).max() < 1e-12
    assert "1 sample of zeros only: no length to scale" in shown["notes"]
    assert shown["parameters"].items() >= {"linkage": "average", "levels": 0, "strict": False, "scale": "unit", "kernel": "linear"}.items()


def test_another_order_of_the_samples_and_other_names_change_nothing_else(tmp_path):
    x, labels = random_table(7, 30, 5)
    _, _, parents = learn(write_table(tmp_path, x, labels))
    generator = np.random.default_rng(1)
    order = generator.permutation(len(x))
    new = dict(zip(sorted({of[0] for of in labels}), (f"d{k:02}" for k in generator.permutation(30))))
    _, _, shuffled = learn(write_table(tmp_path, x[order], [[new[labels[s][0]]] for s in order], "shuffled.csv"))
    names = sorted(new)
    expected = sorted(sorted(new[name] for name in group) for group in partition(parents, names))
    assert partition(shuffled, sorted(new.values())) == expected


# ---- the taxonomy


def test_every_other_command_reads_it(tmp_path):
    x, labels = random_table(2, 20, 6)
    data = write_table(tmp_path, x, labels)
    shown, _, parents = learn(data)
    tree = tmp_path / "t.csv"
    assert shown["files"] == [str(tree), str(tmp_path / "d.json")]
    info = run_json("info", tree)
    assert (info["kind"], info["leaves"], info["nodes"]) == ("tree", 20, shown["nodes"] == len(parents) and len(parents))
    assert run_json("info", data, "--taxonomy", tree)["nodes"] == len(parents)
    ranking = run_json("select", data, "--taxonomy", tree, "--method", "hier-fisher")
    assert {entry["node"] for entry in ranking["nodes"]} == {"root", *(c["name"] for c in shown["clusters"])}
    run("train", data, "--taxonomy", tree, "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    run("predict", tmp_path / "m.clade", data, "-o", tmp_path / "p.csv")
    assert run_json("evaluate", tmp_path / "m.clade", data)["accuracy"] > 0.8
    assert run_json("evaluate", "--predictions", tmp_path / "p.csv", data, "--taxonomy", tree)["hierarchical_f1"] > 0.8
    folds = run_json("evaluate", data, "--taxonomy", tree, "--classifier", "top-down-logistic", "--folds", 3)
    assert folds["samples"] == 60
    run("convert", tree, "-o", tmp_path / "t.json")
    run("convert", data, "--taxonomy", tree, "-o", tmp_path / "d.arff")


def test_other_formats_of_taxonomies(tmp_path):
    data = write_table(tmp_path, *random_table(2, 20, 6))
    shapes = set()
    for name, format_name in (("t.csv", "edges"), ("t.json", "json"), ("t.obo", "obo")):
        run("learn-taxonomy", data, "-o", tmp_path / name)
        found = run_json("info", tmp_path / name, "--taxonomy-format", format_name)
        shapes.add((found["nodes"], found["leaves"], found["height"]))
    assert len(shapes) == 1


def test_strict_puts_every_class_at_the_last_level(tmp_path):
    data = write_table(tmp_path, *random_table(5, 25, 4))
    _, loose_dendrogram, loose = learn(data)
    _, strict_dendrogram, strict = learn(data, "--strict")
    assert loose_dendrogram["merges"] == strict_dendrogram["merges"]
    names = [entry["name"] for entry in loose_dendrogram["classes"]]
    assert partition(loose, names) == partition(strict, names)
    assert "root" in {loose[name] for name in names} and "root" not in {strict[name] for name in names}
    assert {strict[strict[name]] for name in names} == {"root"}


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
def test_levels(tmp_path, levels):
    data = write_table(tmp_path, *random_table(5, 60, 4))
    shown, dendrogram, _ = learn(data, "--levels", levels, "--strict")
    assert (shown["height"], shown["threshold"], dendrogram["levels"]) == (levels + 1, None, levels)
    found = scipy_form(dendrogram)
    names = np.array([entry["name"] for entry in dendrogram["classes"]])
    for level in range(1, levels):
        groups = sorted(c["classes"] for c in shown["clusters"] if c["name"].count(".") == level - 1)
        flat = scipy_hierarchy.fcluster(found, len(groups), "maxclust")
        assert groups == sorted(sorted(names[flat == k]) for k in set(flat))
        assert 60 ** ((level - 0.5) / levels) <= len(groups) <= 60 ** ((level + 0.5) / levels)
    loose, _, _ = learn(data, "--levels", levels)
    assert loose["height"] <= levels + 1


@pytest.mark.parametrize("arguments", [["--linkage", "complete"], ["--levels", 3], ["--strict", "--scale", "unit"]])
@pytest.mark.parametrize("sparse", [False, True])
def test_threads_change_nothing(tmp_path, arguments, sparse):
    x, labels = random_table(9, 300, 40, several=True, density=0.2)
    data = (write_sparse if sparse else write_table)(tmp_path, x, labels)
    results = []
    for threads in (1, 2, 3):
        outputs = [tmp_path / f"{threads}.{kind}" for kind in ("csv", "json", "svg")]
        run("learn-taxonomy", data, *arguments, "--threads", threads, "-o", outputs[0], "--dendrogram", outputs[1],
            "--picture", outputs[2])
        results.append([output.read_bytes() for output in outputs])
    assert results[0] == results[1] == results[2]


def test_new_names_do_not_clash_with_classes(tmp_path):
    x, labels = random_table(2, 20, 6)
    odd = {"c00": "cluster-1", "c01": "root", "c02": "new-cluster-7", "c03": "a, b", "c04": "\u00e9t\u00e9"}
    labels = [[odd.get(name, name) for name in of] for of in labels]
    data = tmp_path / "data.jsonl"
    header = [f"x{j}" for j in range(6)]
    table = "\n".join(",".join([*map(repr, map(float, row)), '"' + of[0] + '"']) for row, of in zip(x, labels))
    data = tmp_path / "data.csv"
    data.write_text(",".join(header) + ",label\n" + table + "\n")
    shown, _, _ = learn(data)
    assert all(cluster["name"].startswith("new-new-cluster-") for cluster in shown["clusters"])
    assert {cluster["parent"] for cluster in shown["clusters"]} == {"new-root"}
    info = run_json("info", data, "--taxonomy", tmp_path / "t.csv")
    assert info["leaves"] == 20 and info["samples"] == 60


# ---- hierarchies that are there already


@pytest.mark.parametrize("shape", [DEEP, DAG], ids=["tree", "dag"])
def test_a_given_hierarchy_plays_no_part(tmp_path, shape):
    problem = Problem(6, shape, 80, 5, multi=True, inner=True)
    arguments = problem.write(tmp_path)
    shown = run_json("learn-taxonomy", *arguments, "-o", tmp_path / "t.csv", "--dendrogram", tmp_path / "d.json")
    dendrogram = json.loads((tmp_path / "d.json").read_text())
    names = [entry["name"] for entry in dendrogram["classes"]]
    assert sorted(names) == sorted({label for of in problem.labels for label in of})
    means = np.array([problem.x[[name in of for of in problem.labels]].mean(axis=0) for name in names])
    expected = scipy_hierarchy.linkage(pdist(means), "average")
    assert np.abs(scipy_form(dendrogram) - expected).max() < 1e-12
    assert shown["notes"][0] == "the data has a hierarchy of 12 nodes already: only its 11 classes are used"
    assert re.fullmatch(r"\d+ labels at inner nodes are classes like the others", shown["notes"][1])
    assert run_json("info", arguments[0], "--taxonomy", tmp_path / "t.csv")["samples"] == 80


def test_labels_that_are_paths_stay_the_names(tmp_path):
    x, labels = random_table(2, 6, 6)
    data = write_table(tmp_path, x, [[f"group/{of[0]}"] for of in labels])
    _, _, parents = learn(data)
    assert {f"group/c{k:02}" for k in range(6)} <= set(parents) and "group" not in parents
    assert run_json("info", data, "--taxonomy", tmp_path / "t.csv")["leaves"] == 6


def test_data_that_states_ancestors_is_read_after_conversion(tmp_path):
    x, labels = random_table(2, 6, 6)
    data = write_table(tmp_path, x, [["group", f"group/{of[0]}"] for of in labels])
    learn(data)
    assert "label 'group' is not in the taxonomy" in error_line("info", data, "--taxonomy", tmp_path / "t.csv")
    run("convert", data, "-o", tmp_path / "specific.csv")
    assert run_json("info", tmp_path / "specific.csv", "--taxonomy", tmp_path / "t.csv")["leaves"] == 6


def test_classes_without_samples_hang_from_the_root_and_are_named(tmp_path):
    x, labels = random_table(2, 9, 6)
    data = write_table(tmp_path, x, labels)
    (tmp_path / "given.csv").write_text("child,parent\n" + "".join(f"c{k:02},r\n" for k in range(9)) + "none,r\nnobody,r\n")
    shown, dendrogram, parents = learn(data, "--taxonomy", tmp_path / "given.csv")
    assert shown["notes"] == ["classes without samples, put below the root: none, nobody"]
    assert shown["classes"] == 11 and len(dendrogram["classes"]) == 9
    assert parents["none"] == parents["nobody"] == "root"
    _, _, strict = learn(data, "--taxonomy", tmp_path / "given.csv", "--strict")
    assert strict[strict["none"]] == "root"


# ---- odd data


def test_one_class_and_two_classes(tmp_path):
    one = write_table(tmp_path, np.ones((3, 2)), [["a"]] * 3)
    shown, dendrogram, parents = learn(one)
    assert parents == {"root": None, "a": "root"} and dendrogram["merges"] == [] and shown["clusters"] == []
    run("learn-taxonomy", one, "-o", tmp_path / "t1.csv", "--picture", tmp_path / "one.svg")
    xml.parse(tmp_path / "one.svg")
    assert run_json("info", one, "--taxonomy", tmp_path / "t.csv")["leaves"] == 1
    two = write_table(tmp_path, np.array([[0.0, 3], [4, 0]]), [["a"], ["b"]])
    shown, dendrogram, parents = learn(two)
    assert parents == {"root": None, "a": "root", "b": "root"}
    assert dendrogram["merges"] == [
        {"parts": [0, 1], "distance": 5.0, "size": 2, "inconsistency": 0.0, "cut": False, "cuts": 0}]
    assert shown["notes"] == ["no link stands out: all 2 classes are one cluster, left out as it divides nothing"]
    _, _, strict = learn(two, "--strict")
    assert strict == {"root": None, "cluster-1": "root", "a": "cluster-1", "b": "cluster-1"}


@pytest.mark.parametrize("sparse", [False, True])
def test_identical_classes_and_zeros(tmp_path, sparse):
    x = np.zeros((12, 3))
    x[6:] = [[0.1, 0.7, 0.3]] * 6
    labels = [[f"c{k % 6 + 6 * (k // 6):02}"] for k in range(12)]
    data = (write_sparse if sparse else write_table)(tmp_path, x, labels)
    _, dendrogram, _ = learn(data)
    distances = [merge["distance"] for merge in dendrogram["merges"]]
    assert distances[:10] == [0] * 10 and distances[10] == pytest.approx(np.linalg.norm(x[6]), abs=1e-12)
    same = (write_sparse if sparse else write_table)(tmp_path, np.ones((4, 2)), [["a"], ["b"], ["c"], ["d"]])
    shown, dendrogram, parents = learn(same)
    assert {merge["distance"] for merge in dendrogram["merges"]} == {0}
    assert parents == {"root": None, **dict.fromkeys("abcd", "root")}
    run("learn-taxonomy", same, "-o", tmp_path / "s.csv", "--picture", tmp_path / "s.svg")
    xml.parse(tmp_path / "s.svg")


def test_samples_without_label_are_counted_and_not_used(tmp_path):
    x, labels = random_table(2, 9, 6)
    with_all, dendrogram, _ = learn(write_table(tmp_path, x, labels))
    more = np.vstack([x, 1000 * np.ones((2, 6))])
    shown, same, _ = learn(write_table(tmp_path, more, labels + [[], []]))
    assert "2 samples without label not used" in shown["notes"]
    assert same == dendrogram and shown["clusters"] == with_all["clusters"]


# ---- the dendrogram and its picture


def test_the_dendrogram_holds_what_led_to_the_taxonomy(tmp_path):
    shown, dendrogram, parents = learn(write_table(tmp_path, *random_table(4, 40, 5)))
    assert dendrogram["clusters"] == shown["clusters"] and dendrogram["method"] == "agglomerative"
    assert dendrogram["classes"][0] == {"name": "c00", "samples": 3}
    below = [{entry["name"]} for entry in dendrogram["classes"]]
    for merge in dendrogram["merges"]:
        below.append(below[merge["parts"][0]] | below[merge["parts"][1]])
        assert len(below[-1]) == merge["size"]
    whole = [below[40 + k] for k, merge in enumerate(dendrogram["merges"]) if not merge["cut"]]
    for cluster in shown["clusters"]:
        assert set(cluster["classes"]) in whole
        assert all(parents[name] == cluster["name"] for name in cluster["classes"])


@pytest.mark.parametrize("classes", [2, 15, 200])
def test_the_picture(tmp_path, classes):
    x, labels = random_table(4, classes, 5)
    data = write_table(tmp_path, x, [[f"<{name}> & \"co\"" for name in of] for of in labels])
    text = data.read_text().replace('& "co"', "& co")
    data.write_text(text)
    _, dendrogram, _ = learn(data)
    run("learn-taxonomy", data, "-o", tmp_path / "p.csv", "--picture", tmp_path / "p.svg")
    root = xml.parse(tmp_path / "p.svg").getroot()
    tag = "{http://www.w3.org/2000/svg}"
    texts = [node.text for node in root.iter(tag + "text")]
    assert {entry["name"] for entry in dendrogram["classes"]} <= set(texts)
    links = [node for node in root.iter(tag + "path") if "H" in node.get("d") and "V" in node.get("d")]
    dashed = [node for node in links if node.get("stroke-dasharray")]
    assert len(links) == classes - 1
    assert len(dashed) == sum(merge["cut"] for merge in dendrogram["merges"])
    assert sum("L" in node.get("d") for node in root.iter(tag + "path")) == len(dashed)
    # Rows of names do not overlap.
    rows = sorted(float(node.get("y")) for node in root.iter(tag + "text") if node.text.startswith("<c"))
    assert all(b - a >= 11 for a, b in zip(rows, rows[1:]))
    assert not any(node.tag.endswith("script") for node in root.iter())


def test_the_table_names_clusters_and_classes(tmp_path):
    data = write_table(tmp_path, *random_table(4, 40, 5))
    shown, _, parents = learn(data)
    text = run("learn-taxonomy", data, "-o", tmp_path / "x.csv").stdout
    assert re.match(r"agglomerative on 120 samples x 5 features, 40 classes, \d+\.\d\d s\ntree of 3 levels with \d+ clusters", text)
    for cluster in shown["clusters"]:
        row = next(line.split() for line in text.splitlines() if line.split()[:1] == [cluster["name"]])
        assert row[1] == str(len(cluster["classes"])) and row[2].rstrip(",") == cluster["classes"][0]
    assert text.endswith(f"taxonomy -> {tmp_path / 'x.csv'}\n")


# ---- bad input


BAD = {
    "unknown method": (["--method", "magic"], "no taxonomy learner 'magic'; expected one of agglomerative"),
    "unknown linkage": (["--linkage", "ward"], "expected one of average, complete, single"),
    "unknown scale": (["--scale", "standard"], "expected one of none, unit"),
    "negative levels": (["--levels", -1], "--levels: '-1'"),
    "too many levels": (["--levels", 20], "--levels: 20 levels of 20 classes; expected at most 19"),
    "memory": (["--memory", "1K"], "clustering 20 classes needs about"),
    "memory word": (["--memory", "much"], "--memory: 'much'"),
    "unknown parameter": (["--magic", 1], "--magic"),
    "unknown format": (["--format", "nonsense"], "nonsense"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(tmp_path, case):
    arguments, expected = BAD[case]
    out = tmp_path / "out"
    out.mkdir()
    data = write_table(tmp_path, *random_table(2, 20, 6))
    line = error_line("learn-taxonomy", data, *arguments, "-o", out / "t.csv", "--dendrogram", out / "d.json")
    assert expected in line
    assert list(out.iterdir()) == []


def test_no_data_no_output_no_label(tmp_path):
    data = write_table(tmp_path, *random_table(2, 4, 3))
    assert "expected DATA" in error_line("learn-taxonomy")
    assert "expected -o TAXONOMY" in error_line("learn-taxonomy", data)
    assert "no such file" in error_line("learn-taxonomy", tmp_path / "none.csv", "-o", tmp_path / "t.csv")
    bare = write_table(tmp_path, np.ones((2, 2)), [[], []], "bare.csv")
    line = error_line("learn-taxonomy", bare, "-o", tmp_path / "t.csv", "--quiet")
    assert "label" in line and not (tmp_path / "t.csv").exists()


@pytest.mark.parametrize("value, arguments, expected", [
    ("nan", [], "missing"), ("nan", ["--missing", "keep"], "missing"), ("inf", [], "inf"), ("1e200", [], "too large to compute with")])
def test_values_to_compute_nothing_with(tmp_path, value, arguments, expected):
    (tmp_path / "d.csv").write_text(f"a,b,label\n1,2,x\n{value},1,y\n3,1,z\n")
    line = error_line("learn-taxonomy", tmp_path / "d.csv", *arguments, "-o", tmp_path / "t.csv")
    assert expected in line
    assert not (tmp_path / "t.csv").exists()


@pytest.mark.parametrize("flag", ["-o", "--dendrogram", "--picture"])
def test_existing_files_are_kept_without_force(tmp_path, flag):
    data = write_table(tmp_path, *random_table(2, 12, 6))
    files = {"-o": tmp_path / "t.csv", "--dendrogram": tmp_path / "d.json", "--picture": tmp_path / "p.svg"}
    arguments = ["learn-taxonomy", data, *(part for pair in files.items() for part in pair)]
    files[flag].write_text("precious")
    assert "exists already; use --force" in error_line(*arguments)
    assert files[flag].read_text() == "precious"
    assert [file for file in files.values() if file.exists()] == [files[flag]]
    run(*arguments, "--force")
    assert all(file.stat().st_size > 20 for file in files.values())


def test_outputs_are_files_of_their_own(tmp_path):
    data = write_table(tmp_path, *random_table(2, 12, 6))
    content = data.read_text()
    assert "is the input" in error_line("learn-taxonomy", data, "-o", data, "--force")
    assert "is the input" in error_line("learn-taxonomy", data, "-o", tmp_path / "t.csv", "--picture", data, "--force")
    assert "named for two outputs" in error_line(
        "learn-taxonomy", data, "-o", tmp_path / "t.csv", "--dendrogram", f"{tmp_path}/./t.csv")
    assert data.read_text() == content and not (tmp_path / "t.csv").exists()
    error_line("learn-taxonomy", data, "-o", tmp_path / "missing" / "t.csv", status=1)


# ---- the list and the pages


def test_every_method_and_parameter_has_its_page():
    entries = run_json("learn-taxonomy", "--list")
    assert [entry["name"] for entry in entries] == ["agglomerative", "kmeans", "wordnet"]
    text = run("learn-taxonomy", "--list").stdout
    for entry in entries:
        assert entry["name"] in text and entry["help"] in text and entry["source"]
        page = (SOURCE / "docs" / "methods" / f"{entry['name']}.md").read_text()
        for parameter in entry["parameters"]:
            rows = [line for line in page.splitlines() if line.startswith(f"| `{parameter['name']}` |")]
            shown = {False: "no", None: "auto"}.get(parameter["default"], parameter["default"]) if parameter["type"] != "int" else parameter["default"]
            assert len(rows) == 1 and rows[0].split("|")[2].strip(" `") == str(shown), parameter


def test_distances_in_the_space_of_a_kernel(tmp_path):
    random = np.random.default_rng(8)
    labels = np.repeat(list("abcdef"), 5)
    x = random.normal(size=(30, 4)) + np.repeat(random.normal(size=(6, 4)) * 2, 5, axis=0)
    path = tmp_path / "d.csv"
    path.write_text("label,p,q,r,s\n" + "".join(f"{label}," + ",".join(map(repr, map(float, row))) + "\n" for label, row in zip(labels, x)))
    similar = np.exp(-0.2 * ((x[:, None] - x[None]) ** 2).sum(axis=2))
    member = np.array([[label == name for label in labels] for name in "abcdef"]) / 5
    products = member @ similar @ member.T
    squares = np.diag(products)[:, None] + np.diag(products)[None] - 2 * products
    expected = scipy_hierarchy.linkage(np.sqrt(squares[np.triu_indices(6, 1)]), "average")
    run("learn-taxonomy", path, "--label-column", "label", "--kernel", "rbf", "--gamma", 0.2, "-o", tmp_path / "t.csv", "--dendrogram",
        tmp_path / "t.json")
    dendrogram = json.loads((tmp_path / "t.json").read_text())
    assert np.abs(scipy_form(dendrogram) - expected).max() < 1e-9
    assert "sequences" in error_line("learn-taxonomy", path, "--label-column", "label", "--kernel", "subsequence", "-o", tmp_path / "u.csv")


def test_sequences_are_clustered_by_a_kernel(tmp_path):
    words = {"a1": ["MKVLAAGIV", "MKVLSAGIV"], "a2": ["MKVLAAGLA", "MKVLTAGLA"], "b1": ["GGSTWWPQD", "GGSTWYPQD"], "b2": ["GGSTFWPQE", "GGSTFYPQE"]}
    (tmp_path / "d.fasta").write_text("".join(f">{c}.{k} label={c}\n{w}\n" for c, below in words.items() for k, w in enumerate(below)))
    run("learn-taxonomy", tmp_path / "d.fasta", "--kernel", "subsequence", "--levels", 2, "-o", tmp_path / "t.csv")
    parents = dict(line.split(",") for line in (tmp_path / "t.csv").read_text().splitlines() if "," in line)
    assert parents["a1"] == parents["a2"] != parents["b1"] == parents["b2"]
    assert "sequences" in error_line("learn-taxonomy", tmp_path / "d.fasta", "-o", tmp_path / "u.csv")
