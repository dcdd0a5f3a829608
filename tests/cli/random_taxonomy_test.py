"""clade synth --random-taxonomy-like: what is kept, what is random, what is refused."""

from clade_tool import error_line, run, run_json
from hierarchy_cases import DAG, DEEP, Problem

UNEVEN = "child,parent\na,r\nb,r\nlone,r\na1,a\na2,a\nb1,b\nb11,b1\nb12,b1\n"


def tree_of(path):
    lines = [line.split(",") for line in path.read_text().splitlines()[1:]]
    return {line[0]: line[1] if len(line) > 1 else None for line in lines}


def depth(tree, node):
    return 0 if tree[node] is None else 1 + depth(tree, tree[node])


def test_nodes_levels_and_leaves_are_kept(tmp_path):
    (tmp_path / "tree.csv").write_text(UNEVEN)
    like = {"r": None, **tree_of(tmp_path / "tree.csv")}
    seen = set()
    for seed in range(20):
        out = tmp_path / f"{seed}.csv"
        shown = run_json("synth", "--random-taxonomy-like", tmp_path / "tree.csv", "-o", out, "--seed", seed)
        assert shown == {"nodes": 9, "leaves": 5, "height": 4, "files": [str(out)], "notes": []}
        found = {"r": None, **tree_of(out)}
        assert set(found) == set(like)
        for node in like:
            assert depth(found, node) == depth(like, node)
            assert (node in found.values()) == (node in like.values())
        seen.add(out.read_text())
        again = tmp_path / "again.csv"
        run("synth", "--random-taxonomy-like", tmp_path / "tree.csv", "-o", again, "--seed", seed, "--force")
        assert again.read_text() == out.read_text()
    assert len(seen) > 3


def test_data_can_be_read_with_it(tmp_path):
    problem = Problem(1, DEEP, 60, 5, inner=True)
    data, _, tree = problem.write(tmp_path)
    text = run("synth", "--random-taxonomy-like", tree, "-o", tmp_path / "random.csv").stdout
    assert text == f"12 nodes, 7 of them leaves, at 4 levels as in {tree}, with random parents -> {tmp_path / 'random.csv'}\n"
    before, after = run_json("info", tree), run_json("info", tmp_path / "random.csv")
    assert all(before[key] == after[key] for key in ("nodes", "internal", "leaves", "height", "kind"))
    run("train", data, "--taxonomy", tmp_path / "random.csv", "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")


def test_a_dag_gives_a_tree_and_says_so_or_is_refused(tmp_path):
    Problem(1, DAG, 5, 2).write(tmp_path)
    shown = run_json("synth", "--random-taxonomy-like", tmp_path / "tree.csv", "-o", tmp_path / "random.csv")
    assert "a DAG: kept are the inner nodes and leaves at every level" in shown["notes"][0]
    assert run_json("info", tmp_path / "random.csv")["kind"] == "tree"
    # Of the inner nodes b and c at level 1, only b has its child d at level 2: e, below d and c, is at level 3.
    (tmp_path / "narrow.csv").write_text("child,parent\nb,r\nc,r\nd,b\ne,d\ne,c\n")
    line = error_line("synth", "--random-taxonomy-like", tmp_path / "narrow.csv", "-o", tmp_path / "n.csv")
    assert "level 1 has 2 inner nodes and only 1 below them" in line
    assert not (tmp_path / "n.csv").exists()


def test_other_formats_and_virtual_roots(tmp_path):
    (tmp_path / "tree.paths").write_text("a/b\na/c\nd/e\nd/f\n")
    run("synth", "--random-taxonomy-like", tmp_path / "tree.paths", "-o", tmp_path / "random.json")
    found = run_json("info", tmp_path / "random.json", "--taxonomy-format", "json")
    assert (found["nodes"], found["leaves"], found["height"]) == (7, 4, 3)


def test_bad_usage(tmp_path):
    tree = tmp_path / "tree.csv"
    tree.write_text(UNEVEN)
    assert "--samples together with --random-taxonomy-like" in error_line(
        "synth", "--random-taxonomy-like", tree, "-o", tmp_path / "x.csv", "--samples", 5)
    assert "is the input" in error_line("synth", "--random-taxonomy-like", tree, "-o", tree, "--force")
    assert tree.read_text() == UNEVEN
    assert "no such file" in error_line("synth", "--random-taxonomy-like", tmp_path / "none.csv", "-o", tmp_path / "x.csv")
    (tmp_path / "x.csv").write_text("precious")
    assert "exists already; use --force" in error_line("synth", "--random-taxonomy-like", tree, "-o", tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "precious"


def test_the_help_says_what_is_kept():
    text = " ".join(run("synth", "--help-all").stdout.split())
    assert "--random-taxonomy-like TAXONOMY" in text and "random parents" in text and "every inner node has a child" in text
