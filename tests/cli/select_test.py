"""clade select: the ranking file, every method on every kind of data, formulas in numpy, published tables, bad input."""

import json
import re
import sys

import jsonschema
import numpy as np
import pytest
from clade_tool import DATA, SOURCE, error_line, run, run_json
from hierarchy_cases import DAG, DEEP, Problem

sys.path.insert(0, str(SOURCE / "tests" / "select"))
from published_protocol import evaluate  # noqa: E402
from sweep import METHODS, UNSUPERVISED  # noqa: E402

FLAT = ["fisher", "fsnm", "mrmr"]
COUPLED = METHODS[:12]
RISING = ["hier-mrmr", "mrmr"]  # a criterion at the time of choice, which need not fall
SCHEMA = {
    "type": "object",
    "required": ["method", "parameters", "features", "objective", "gap", "nodes"],
    "properties": {
        "method": {"enum": METHODS},
        "parameters": {"type": "object"},
        "features": {"type": "array", "items": {"type": "string"}},
        "objective": {"type": "array", "items": {"type": "number"}},
        "gap": {"type": ["number", "null"]},
        "seconds": {"type": "number", "minimum": 0},
        "notes": {"type": "array", "items": {"type": "string"}},
        "nodes": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["node", "ranking", "weight"],
                "properties": {
                    "node": {"type": "string"},
                    "ranking": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                    "weight": {"type": "array", "items": {"type": "number"}},
                    "samples": {"type": "integer", "minimum": 0},
                    "children": {"type": "integer", "minimum": 0},
                },
            },
        },
    },
}


# ---- data


def make(kind):
    if kind == "tree":
        return Problem(1, DEEP, 70, 12)
    if kind == "dag":
        return Problem(2, DAG, 70, 10)
    if kind == "multi":
        return Problem(3, DEEP, 60, 9, multi=True, inner=True)
    return Problem(4, DEEP, 24, 80, density=0.15)


def write(kind, folder):
    return make(kind).write(folder, sparse=kind == "wide")


# Coupling weights that suit data this small.
FITTING = {"lccshfs": ["--alpha", 0.01], "fs-mgkc": ["--beta", 0.01], "fs-dr": ["--beta", 0.01], "hfsdk": ["--lambda", 0.1]}


def check(document, problem, count=None):
    jsonschema.validate(document, SCHEMA)
    features = problem.x.shape[1]
    assert len(document["features"]) == features
    for entry in document["nodes"]:
        ranking, weight = entry["ranking"], entry["weight"]
        assert len(ranking) == len(weight) == (features if count is None else count)
        assert len(set(ranking)) == len(ranking) and set(ranking) <= set(range(features))
        if document["method"] not in RISING:
            assert all(a >= b for a, b in zip(weight, weight[1:])), entry["node"]
    if document["method"] in COUPLED:
        assert document["objective"] and all(np.isfinite(document["objective"]))


# ---- the ranking


@pytest.mark.parametrize("kind", ["tree", "dag", "multi", "wide"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_on_every_kind_of_data(tmp_path, method, kind):
    problem = make(kind)
    arguments = ["select", *write(kind, tmp_path), "--method", method, *FITTING.get(method, [])]
    run(*arguments, "-o", tmp_path / "one.json", "--threads", 1)
    document = json.loads((tmp_path / "one.json").read_text())
    check(document, problem)
    assert document["method"] == method
    if kind != "wide":
        order = problem.in_id_order(tmp_path)
        inner = set(problem.internal)
        assert [e["node"] for e in document["nodes"]] == (["*"] if method in FLAT else [n for n in order if n in inner])
    for threads in (2, 3):
        run(*arguments, "-o", tmp_path / "more.json", "--threads", threads, "--force")
        one, more = ((tmp_path / name).read_bytes() for name in ("one.json", "more.json"))
        assert one == more, f"{threads} threads"


def test_the_root_comes_first_and_parents_before_children(tmp_path):
    problem = make("dag")
    nodes = [e["node"] for e in run_json("select", *problem.write(tmp_path), "--method", "hier-fs")["nodes"]]
    assert nodes[0] == "n0" and sorted(nodes) == sorted(problem.internal)
    for k, node in enumerate(nodes):
        assert all(nodes.index(p) < k for p in problem.parents[node])


def test_labels_at_inner_nodes_keep_the_names_and_the_nodes(tmp_path):
    problem = make("multi")
    document = run_json("select", *problem.write(tmp_path), "--method", "hier-fisher")
    for entry in document["nodes"]:
        below = sum(any(entry["node"] in problem.above(label) for label in labels) for labels in problem.labels)
        assert entry["samples"] == below, entry["node"]


def test_json_is_the_file(tmp_path):
    arguments = write("tree", tmp_path)
    shown = run_json("select", *arguments, "--method", "hirr-fam", "-o", tmp_path / "r.json", "--lambda", 3)
    assert shown.pop("seconds") > 0
    assert shown == json.loads((tmp_path / "r.json").read_text())
    assert shown["parameters"]["lambda"] == 3 and shown["parameters"]["start"] == "ones"
    assert shown["features"] == [f"x{j}" for j in range(12)]


@pytest.mark.parametrize("method", METHODS)
def test_top_gives_the_beginning(tmp_path, method):
    problem = make("wide")
    arguments = ["select", *problem.write(tmp_path, sparse=True), "--method", method, *FITTING.get(method, [])]
    whole = run_json(*arguments)
    for top, count in (("5", 5), ("10%", 8), ("0.1%", 1), ("100%", 80), ("80", 80)):
        part = run_json(*arguments, "--top", top)
        check(part, problem, count)
        for short, long in zip(part["nodes"], whole["nodes"], strict=True):
            assert short["ranking"] == long["ranking"][:count]


@pytest.mark.parametrize("method", [m for m in METHODS if m not in FLAT])
def test_nodes_restricts_and_changes_nothing_else(tmp_path, method):
    arguments = ["select", *write("tree", tmp_path), "--method", method, *FITTING.get(method, [])]
    whole = {e["node"]: e for e in run_json(*arguments)["nodes"]}
    part = run_json(*arguments, "--nodes", "n4,n1,n4")["nodes"]
    assert [e["node"] for e in part] == ["n1", "n4"]
    assert part == [whole["n1"], whole["n4"]]


def test_the_table_names_the_best_features(tmp_path):
    arguments = ["select", *write("tree", tmp_path), "--method", "hier-fs"]
    text = run(*arguments).stdout
    for entry in run_json(*arguments)["nodes"]:
        row = next(line.split() for line in text.splitlines() if line.split()[:1] == [entry["node"]])
        assert row[1:3] == [str(entry["samples"]), str(entry["children"])]
        assert "".join(row[3:]).endswith(",".join(f"x{j}" for j in entry["ranking"][:8]))


def test_the_table_is_to_the_left_and_counts_in_the_singular(tmp_path):
    (tmp_path / "d.csv").write_text("a,long_name,label\n1,2,x\n3,1,y\n")
    text = run("select", tmp_path / "d.csv", "--method", "hier-fs", "--top", 1, "--iterations", 1).stdout
    assert re.match(r"hier-fs on 2 samples x 2 features, 1 node, \d+\.\d\d s\nobjective \S+ after 1 iteration\n", text)
    assert "parent, siblings: share of them that have the same best feature\n" in text
    lines = run("select", *write("tree", tmp_path), "--method", "hier-fs").stdout.splitlines()
    header = next(line for line in lines if line.endswith("best features"))
    rows = lines[lines.index(header) + 1:lines.index("", lines.index(header))]
    assert len(rows) == 5
    assert all(row[header.index("best features") - 1] == " " and row[header.index("best features")] == "x" for row in rows)


def test_the_help_names_the_values():
    text = run("select", "--help-all").stdout
    for option in ("--method METHOD", "--top COUNT", "--nodes NODES", "--memory SIZE", "-o, --output FILE"):
        assert f"  {option} " in text
    assert re.search(r"^  DATA  +data set", text, re.MULTILINE)


def test_bins_without_effect_are_noted(tmp_path):
    command = ["select", *write("tree", tmp_path), "--method", "hier-mrmr", "--bins", 5]
    assert run_json(*command)["notes"] == []
    assert run_json(*command, "--discretise", "round")["notes"] == ["--bins has no effect with --discretise round"]


def test_the_list_names_every_method_with_its_parameters():
    entries = run_json("select", "--list")
    assert [entry["name"] for entry in entries] == METHODS + UNSUPERVISED
    text = run("select", "--list").stdout
    for entry in entries:
        assert entry["name"] in text and entry["help"] in text and entry["source"]
        for parameter in entry["parameters"]:
            assert {"name", "type", "default", "help"} <= set(parameter)
            assert f"--{parameter['name']}" in text


def test_every_method_has_its_page():
    pages = "".join(page.read_text() for page in (SOURCE / "docs" / "methods").glob("*.md"))
    overview = (SOURCE / "docs" / "select.md").read_text()
    for method in METHODS + UNSUPERVISED:
        assert f"--method {method}" in pages or f"`{method}`" in pages, method
        assert f"`{method}`" in overview, method


@pytest.mark.parametrize("method", METHODS)
def test_nodes_without_samples_or_with_one_child(tmp_path, method):
    (tmp_path / "tree.csv").write_text("child,parent\na,r\nb,r\nempty,r\na1,a\na2,a\nb1,b\nb2,b\ne1,empty\ne2,empty\n")
    generator = np.random.default_rng(8)
    rows = [f"{generator.normal()},{generator.normal()},{generator.normal()},{('a1', 'a2', 'b1')[s % 3]}\n" for s in range(30)]
    (tmp_path / "d.csv").write_text("x,y,z,label\n" + "".join(rows))
    arguments = ["select", tmp_path / "d.csv", "--taxonomy", tmp_path / "tree.csv", "--method", method, *FITTING.get(method, [])]
    document = run_json(*arguments)
    assert run(*arguments, "--quiet").stdout.startswith(f"{method} on 30 samples")
    if method not in FLAT:
        found = {entry["node"]: entry for entry in document["nodes"]}
        assert (found["empty"]["ranking"], found["empty"]["weight"], found["empty"]["samples"]) == ([0, 1, 2], [0, 0, 0], 0)
        assert "nodes without samples, ranked in feature order: empty" in document["notes"]
        assert found["b"]["children"] == 1


# ---- formulas


def sub_tables(problem, order):
    """Per internal node in id order: X, Y (padded with zeros), real columns, and its internal relatives."""
    inner = [n for n in order if n in set(problem.internal)]
    tables = []
    for node in inner:
        rows = [s for s, labels in enumerate(problem.labels) if any(node in problem.above(v) for v in labels)]
        children = [n for n in order if node in problem.parents[n]]
        y = np.array([[any(c in problem.above(v) for v in problem.labels[s]) for c in children] for s in rows], dtype=float)
        y = y[:, y.any(axis=0)]
        parents = [k for k, n in enumerate(inner) if n in problem.parents[node]]
        below = [k for k, n in enumerate(inner) if node in problem.parents[n]]
        siblings = [k for k, n in enumerate(inner) if n != node and set(problem.parents[n]) & set(problem.parents[node])
                    and k not in parents + below]
        tables.append((problem.x[rows], y, y.shape[1], parents, below, siblings))
    width = max(classes for _, _, classes, *_ in tables)
    return [(x, np.pad(y, ((0, 0), (0, width - classes))), classes, *rest) for x, y, classes, *rest in tables], width


def by_formula(tables, width, features, lam=10.0, alpha=0.0, beta=0.0, iterations=10):
    """Weights of all nodes and the objective: dense inverses, all ones to begin with."""
    identity = np.eye(features)
    centre = identity - np.ones((features, features)) / features
    w = [np.ones((features, width)) for _ in tables]
    objective = []
    for _ in range(iterations):
        d = [np.diag(1 / (2 * np.maximum(np.linalg.norm(wi, axis=1), 1e-8))) for wi in w]
        for i, (x, y, _, parents, below, siblings) in enumerate(tables):
            a = x.T @ x + lam * d[i]
            b = x.T @ y
            for k in parents + below:
                a = a + alpha * identity
                b = b + alpha * w[k]
            for k in siblings:
                a = a + 2 * beta * (centre @ w[k]) @ (centre @ w[k]).T
            w[i] = np.linalg.inv(a) @ b
        value = 0
        for i, (x, y, _, parents, _, siblings) in enumerate(tables):
            value += np.sum((x @ w[i] - y) ** 2) + lam * np.sum(np.linalg.norm(w[i], axis=1))
            value += alpha * sum(np.sum((w[i] - w[k]) ** 2) for k in parents)
            value += beta * sum(np.sum(((centre @ w[k]).T @ w[i]) ** 2) for k in siblings)
        objective.append(value)
    return w, objective


@pytest.mark.parametrize("samples, features", [(200, 15), (30, 60)], ids=["tall", "wide"])
@pytest.mark.parametrize("method, alpha, beta", [("hier-fs", 0, 0), ("hirr-par", 1, 0), ("hirr-sib", 0, 1), ("hirr-fam", 1, 1)])
def test_weights_and_objective_are_those_of_the_formula(tmp_path, method, alpha, beta, samples, features):
    problem = Problem(5, DEEP, samples, features)
    tables, width = sub_tables(problem, problem.in_id_order(tmp_path))
    expected, objective = by_formula(tables, width, features, alpha=alpha, beta=beta)
    found = run_json("select", *problem.write(tmp_path), "--method", method)
    assert found["objective"] == pytest.approx(objective, rel=1e-8)
    for entry, w, (_, _, classes, *_) in zip(found["nodes"], expected, tables, strict=True):
        norms = np.linalg.norm(w[:, :classes], axis=1)
        # Relative, but for rows that the penalty has made vanish.
        limit = 1e-8 * np.maximum(norms, 1e-6 * norms.max())[entry["ranking"]]
        assert np.all(np.abs(np.array(entry["weight"]) - norms[entry["ranking"]]) <= limit), entry["node"]


# ---- published tables

PUBLISHED_START = ["--start", "random", "--seed", 1148630569]
PUBLISHED = [
    (["hier-fs", "--as-published", *PUBLISHED_START], 0.858424, 0.0850),
    (["hirr-fam", "--as-published", *PUBLISHED_START], 0.860619, 0.0836),
    (["hirr-par", "--as-published", *PUBLISHED_START], 0.858424, None),
    (["hirr-par", *PUBLISHED_START], 0.860619, None),
    (["hier-fisher"], 0.774135, 0.1355),
    (["hier-fsnm", "--as-published"], 0.852395, 0.0886),
    (["hier-fsnm"], 0.854608, 0.0873),
    (["hier-mrmr", "--discretise", "round"], 0.846794, 0.0919),
]


@pytest.mark.skipif(not (DATA / "DD").is_dir(), reason=f"no DD in {DATA}: set CLADE_DATA to the folder of data sets")
@pytest.mark.parametrize("arguments, f1, tie", PUBLISHED, ids=[" ".join(map(str, case[0][:2])) for case in PUBLISHED])
def test_the_published_rows_of_dd(arguments, f1, tie):
    ranking = run_json("select", DATA / "DD" / "DDTrain.mat", "--method", *arguments, "--top", 40)
    found = evaluate(DATA, ranking, 40)
    assert f"{found[0]:.6f}" == f"{f1:.6f}"
    if tie is not None:
        assert f"{found[1]:.4f}" == f"{tie:.4f}"


# ---- bad input


BAD = {
    "unknown method": (["--method", "magic"], "no selector 'magic'; expected one of hier-fs, hirr-par"),
    "no method": ([], "expected --method M"),
    "parameter of another method": (["--method", "hier-fs", "--alpha", 1], "hier-fs has no parameter --alpha; expected --lambda"),
    "parameter of a method without any": (["--method", "fisher", "--lambda", 1], "fisher has no parameter --lambda; it has none"),
    "unknown parameter": (["--method", "hier-fs", "--magic", 1], "--magic"),
    "lambda 0": (["--method", "hier-fs", "--lambda", 0], "--lambda: '0'; expected a number, above 0"),
    "negative lambda": (["--method", "hier-fs", "--lambda", -1], "--lambda: '-1'; expected a number, above 0"),
    "lambda nan": (["--method", "hier-fs", "--lambda", "nan"], "--lambda: 'nan'"),
    "lambda word": (["--method", "hier-fs", "--lambda", "much"], "--lambda: 'much'"),
    "negative alpha": (["--method", "hirr-fam", "--alpha", -0.1], "--alpha: '-0.1'; expected a number, at least 0"),
    "no iterations": (["--method", "hier-fs", "--iterations", 0], "--iterations: '0'"),
    "cap of all": (["--method", "hfscn", "--cap", 1], "--cap: '1'"),
    "unknown start": (["--method", "hier-fs", "--start", "zeros"], "expected one of ones, random"),
    "top 0": (["--method", "hier-fs", "--top", 0], "--top: '0'; expected a number of features such as 40"),
    "top negative": (["--method", "hier-fs", "--top", "-3"], "--top: '-3'"),
    "top 0%": (["--method", "hier-fs", "--top", "0%"], "--top: '0%'"),
    "top 101%": (["--method", "hier-fs", "--top", "101%"], "--top: '101%'"),
    "top fraction": (["--method", "hier-fs", "--top", "2.5"], "--top: '2.5'"),
    "top word": (["--method", "hier-fs", "--top", "all"], "--top: 'all'"),
    "top beyond the features": (["--method", "hier-fs", "--top", 13], "--top: 13 features of 12"),
    "unknown node": (["--method", "hier-fs", "--nodes", "n1,mars"], "--nodes: no node 'mars'"),
    "empty node": (["--method", "hier-fs", "--nodes", "n1,"], "--nodes: no node ''"),
    "leaf": (["--method", "hier-fs", "--nodes", "n8"], "--nodes: 'n8' is a leaf"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(tmp_path, case):
    arguments, expected = BAD[case]
    out = tmp_path / "out"
    out.mkdir()
    line = error_line("select", *write("tree", tmp_path), *arguments, "-o", out / "ranking.json")
    assert expected in line
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("alpha", [10, 1e3, 1e6, 1e12, 1e200, 1e308])
def test_divergence_names_alpha_whatever_its_size(tmp_path, alpha):
    out = tmp_path / "ranking.json"
    line = error_line("select", *write("tree", tmp_path), "--method", "lccshfs", "--alpha", alpha, "-o", out)
    assert "alpha" in line and "smaller --alpha" in line
    assert not out.exists()


@pytest.mark.parametrize("value", ["nan", "", "?", "NA"])
@pytest.mark.parametrize("method", METHODS)
def test_missing_values_are_refused(tmp_path, method, value):
    (tmp_path / "d.csv").write_text(f"a,b,label\n1,2,x/y\n{value},1,x/z\n3,1,x/z\n")
    line = error_line("select", tmp_path / "d.csv", "--method", method, "-o", tmp_path / "r.json")
    assert "d.csv:3" in line and "missing" in line
    assert not (tmp_path / "r.json").exists()


@pytest.mark.parametrize("method", [*COUPLED, "hier-fsnm", "fsnm"])
def test_missing_values_that_are_kept_are_refused_by_regression(tmp_path, method):
    (tmp_path / "d.csv").write_text("a,b,label\n1,2,x/y\n,1,x/z\n3,1,x/z\n2,2,x/y\n")
    line = error_line("select", tmp_path / "d.csv", "--method", method, "--missing", "keep", "-o", tmp_path / "r.json")
    assert "finite" in line or "missing" in line
    assert not (tmp_path / "r.json").exists()


def test_an_existing_ranking_is_kept_without_force(tmp_path):
    arguments = ["select", *write("tree", tmp_path), "--method", "hier-fs", "-o", tmp_path / "r.json"]
    (tmp_path / "r.json").write_text("precious")
    assert "exists already; use --force" in error_line(*arguments)
    assert (tmp_path / "r.json").read_text() == "precious"
    run(*arguments, "--force")
    json.loads((tmp_path / "r.json").read_text())


def test_no_data(tmp_path):
    assert "expected DATA and --method" in error_line("select", "--method", "hier-fs")
    assert "none.csv: no such file" in error_line("select", tmp_path / "none.csv", "--method", "hier-fs")
    (tmp_path / "d.csv").write_text("a,label\n1,x\n")
    error_line("select", tmp_path / "d.csv", "--method", "magic", "--format", "nonsense")


# ---- the pages
