"""Taxonomies: made from everything that states one, asked beside networkx, pickled, written, and shown."""

import copy
import itertools
import json
import pickle
from html.parser import HTMLParser

import networkx
import numpy as np
import pandas
import pytest
from clade_tool import run_json

import clade
from clade import InputError, Taxonomy
from clade.html import Page, iframe

EDGES = [("top", "left"), ("top", "right"), ("left", "both"), ("right", "both"), ("right", "alone")]


def random_graph(seed, nodes=40, second_parents=0.3):
    """A rooted DAG (a tree without second parents) with names in random order."""
    rng = np.random.RandomState(seed)
    names = [f"n{number}" for number in rng.permutation(nodes)]
    graph = networkx.DiGraph()
    graph.add_node(names[0])
    for k in range(1, nodes):
        graph.add_edge(names[rng.randint(max(0, k - 8), k)], names[k])
        if rng.rand() < second_parents and k > 2:
            graph.add_edge(names[rng.randint(0, k)], names[k])
    return graph


def test_every_statement_of_a_hierarchy_gives_the_same():
    expected = Taxonomy.from_edges(EDGES)
    children = {"top": ["left", "right"], "left": ["both"], "right": ["both", "alone"]}
    parents = {"left": ["top"], "right": "top", "both": ["left", "right"], "alone": ["right"]}
    frame = pandas.DataFrame(EDGES, columns=["parent", "child"])
    nested = {"top": {"left": ["both"], "right": {"both": None, "alone": {}}}}
    graph = networkx.DiGraph(EDGES)
    swapped = frame[["child", "parent"]]
    for statement in (EDGES, expected, expected._core, children, frame, swapped, nested, graph, np.array(EDGES)):
        assert Taxonomy.of(statement) == expected
        assert Taxonomy(statement) == expected
    assert Taxonomy.from_edges(parents, order="child-parent", nodes=["top"]) == expected
    reverse = [(child, parent) for parent, child in EDGES]
    assert Taxonomy.from_edges(reverse, order="child-parent", nodes=["top"]) == expected
    tree = {"left": "top", "right": "top", "deep": "left"}
    assert Taxonomy.of(tree).parents("deep") == ["left"]
    assert Taxonomy.of({**tree, "top": None}).root == "top"
    assert Taxonomy.of(pandas.DataFrame({"child": ["top", "left"], "parent": [None, "top"]})).root == "top"
    assert Taxonomy.of([{"name": "x", "children": [{"name": "y"}, "z"]}]).children("x") == ["y", "z"]
    numbers = pandas.DataFrame({"child": [1, 2, 3], "parent": [np.nan, 1, 1]})
    assert Taxonomy.of(numbers).children("1") == ["2", "3"]
    with pytest.raises(ValueError, match="a child without a name"):
        Taxonomy.from_edges([("a", None)])
    with pytest.raises(TypeError, match="expected a Taxonomy, a file name"):
        Taxonomy.of(3)


def test_paths_in_texts_rows_and_frames():
    texts = Taxonomy.from_paths(["a/b/c", "a/d", "e"])
    rows = [["a", "b", "c"], ["a", "d", None], ["e", "", float("nan")]]
    assert texts.names == ["(root)", "a", "e", "a/b", "a/d", "a/b/c"]
    assert texts == Taxonomy.of(["a/b/c", "a/d", "e"]) == Taxonomy.from_paths(rows) == Taxonomy.of(rows)
    assert texts == Taxonomy.of(pandas.DataFrame(rows)) == Taxonomy.from_paths(np.array(rows, dtype=object))
    assert texts.has_virtual_root and texts.is_tree
    assert Taxonomy.from_paths(["a > b"], " > ").names == ["(root)", "a", "a > b"]
    assert Taxonomy.from_paths([["a/x", "b"]]).names == ["(root)", "a/x", "a/x::b"]
    assert Taxonomy.of(["x", "y"]) == Taxonomy.flat(["x", "y"])
    assert Taxonomy.of([3, 1]).leaves == ["3", "1"]
    with pytest.raises(ValueError, match="row 1 has a gap"):
        Taxonomy.from_paths([["a"], [None, "b"]])
    with pytest.raises(TypeError, match="a list of paths"):
        Taxonomy.from_paths("a/b")


@pytest.mark.parametrize("second_parents", [0, 0.3])
def test_answers_are_those_of_networkx(second_parents):
    graph = random_graph(1, second_parents=second_parents)
    taxonomy = Taxonomy.from_networkx(graph)
    root = taxonomy.root
    assert set(taxonomy) == set(graph) and len(taxonomy) == len(graph)
    assert set(taxonomy.to_edges()) == set(graph.edges)
    assert taxonomy.is_tree == (second_parents == 0)
    longest = {root: 0}
    for node in networkx.topological_sort(graph):
        longest[node] = max((longest[parent] + 1 for parent in graph.predecessors(node)), default=0)
    above = {node: networkx.ancestors(graph, node) for node in graph}
    undirected = graph.to_undirected()
    assert taxonomy.n_levels == 1 + max(longest.values())
    for depth, level in enumerate(taxonomy.levels):
        assert {node for node in graph if longest[node] == depth} == set(level)
    for node in graph:
        assert set(taxonomy.parents(node)) == set(graph.predecessors(node))
        assert set(taxonomy.children(node)) == set(graph.successors(node))
        assert set(taxonomy.ancestors(node)) == above[node]
        assert set(taxonomy.descendants(node)) == networkx.descendants(graph, node)
        below = {leaf for leaf in networkx.descendants(graph, node) | {node} if graph.out_degree(leaf) == 0}
        assert set(taxonomy.leaves_below(node)) == below
        assert taxonomy.is_leaf(node) == (graph.out_degree(node) == 0)
        assert taxonomy.depth(node) == longest[node]
        siblings = {c for p in graph.predecessors(node) for c in graph.successors(p)} - {node}
        assert set(taxonomy.siblings(node)) == siblings
    distances = dict(networkx.all_pairs_shortest_path_length(undirected))
    for a, b in itertools.combinations(list(graph)[:15], 2):
        assert taxonomy.distance(a, b) == distances[a][b]
        common = (above[a] | {a}) & (above[b] | {b})
        lowest = {node for node in common if not any(node in above[other] for other in common)}
        assert set(taxonomy.lowest_common_ancestors(a, b)) == lowest
        assert longest[taxonomy.lca(a, b)] == max(longest[node] for node in lowest)
        assert taxonomy.is_ancestor(a, b) == (a in above[b])
    paths = {tuple(path) for leaf in taxonomy.leaves for path in networkx.all_simple_paths(graph, root, leaf)}
    assert set(taxonomy.to_paths()) == paths and len(taxonomy.to_paths()) == len(paths)
    back = taxonomy.to_networkx()
    assert set(back.edges) == set(graph.edges) and set(back) == set(graph)


def test_parents_have_smaller_numbers_and_names_come_by_number():
    taxonomy = Taxonomy.of(random_graph(2))
    for parent, child in taxonomy.to_edges():
        assert taxonomy.index(parent) < taxonomy.index(child)
    assert [taxonomy.index(name) for name in taxonomy.names] == list(range(len(taxonomy)))
    assert "n3" in taxonomy and "no such" not in taxonomy and [] not in taxonomy
    with pytest.raises(KeyError, match="no class 'no such'; expected a node of the taxonomy"):
        taxonomy.children("no such")


@pytest.mark.parametrize(
    "statement", [EDGES, ["a/b/c", "a/d"], ["one"], random_graph(3)], ids=["DAG", "paths", "one", "random"]
)
def test_copies_and_pickles_have_the_same_numbers(statement):
    taxonomy = Taxonomy.of(statement)
    for other in (pickle.loads(pickle.dumps(taxonomy)), copy.deepcopy(taxonomy), copy.copy(taxonomy)):
        assert other == taxonomy and hash(other) == hash(taxonomy)
        assert other.names == taxonomy.names
        assert other._core.edges().tolist() == taxonomy._core.edges().tolist()
        assert other._core.input_positions().tolist() == taxonomy._core.input_positions().tolist()
        assert other.has_virtual_root == taxonomy.has_virtual_root
    # A model's taxonomy has leaves for samples labelled at inner nodes.
    inner = np.array([taxonomy._core.internal_nodes()[0]], dtype=np.int32)
    with_leaf = taxonomy._core.with_miscellaneous_leaves(inner)
    back = pickle.loads(pickle.dumps(with_leaf))
    assert back == with_leaf and back.is_miscellaneous(len(with_leaf) - 1) and back.fold(len(with_leaf) - 1) == 0


def test_a_pickle_that_was_changed_is_refused():
    names, positions, edges, virtual, first = Taxonomy.of(EDGES)._core.__getstate__()
    same = ["x"] * 5
    for state in ((names, positions, [(1, 0)], virtual, first), (same, positions, edges, virtual, first), (names,)):
        broken = clade._core.Taxonomy.__new__(clade._core.Taxonomy)
        with pytest.raises(InputError):
            broken.__setstate__(state)


def test_equality_and_hash():
    assert Taxonomy.of(EDGES) != Taxonomy.of(EDGES[:-1])
    assert Taxonomy.of(EDGES) != EDGES
    assert len({Taxonomy.of(EDGES), Taxonomy.of(networkx.DiGraph(EDGES)), Taxonomy.flat("ab")}) == 2


@pytest.mark.parametrize("ending", ["csv", "taxonomy", "json", "obo", "csv.gz"])
def test_files_read_back_and_are_what_the_command_line_reads(tmp_path, ending):
    taxonomy = Taxonomy.of(random_graph(4))
    path = tmp_path / f"tree.{ending}"
    taxonomy.write(path)
    assert Taxonomy.read(path) == taxonomy == Taxonomy.of(str(path))
    with pytest.raises(InputError, match="exists"):
        taxonomy.write(path)
    taxonomy.write(path, overwrite=True)
    formats = {"csv.gz": "edges", "csv": "edges", "taxonomy": "child-lists"}
    known = run_json("info", path, "--taxonomy-format", formats.get(ending, ending))
    assert {name: known[name] for name in taxonomy.summary()} == taxonomy.summary()


def test_options_of_reading_and_writing(tmp_path):
    (tmp_path / "a").write_text("x|y\nx|z|w\n")
    assert Taxonomy.read(tmp_path / "a", taxonomy_format="paths", path_separator="|").leaves == ["x|y", "x|z|w"]
    Taxonomy.of(EDGES).write(tmp_path / "b.csv", parent_child=True)
    assert (tmp_path / "b.csv").read_text().startswith("parent,child\ntop,left\n")
    with pytest.raises(InputError, match="cycle"):
        Taxonomy.of([("a", "b"), ("b", "a")])
    with pytest.raises(InputError, match="no-such-file"):
        Taxonomy.of("no-such-file.csv")


@pytest.mark.parametrize(
    "statement", [EDGES, ["a/b/c", "a/d", "e"], random_graph(5, second_parents=0)], ids=["DAG", "paths", "tree"]
)
def test_what_is_given_back_gives_the_same_again(statement):
    taxonomy = Taxonomy.of(statement)
    assert Taxonomy.from_nested(taxonomy.to_nested()) == taxonomy
    assert Taxonomy.of(taxonomy.to_dict()) == taxonomy
    assert Taxonomy.of(taxonomy.to_frame()) == taxonomy
    assert Taxonomy.from_edges(taxonomy.to_edges()) == taxonomy


def test_nested_json_reads_as_nested_dicts_do(tmp_path):
    nested = {"top": {"left": {"both": {}, "deep": {"last": {}}}, "right": {"both": {"last": {}}, "other": {}}}}
    (tmp_path / "n.json").write_text(json.dumps(nested))
    assert Taxonomy.read(tmp_path / "n.json", taxonomy_format="json") == Taxonomy.from_nested(nested)


def test_a_deep_hierarchy_is_no_problem():
    chain = Taxonomy.from_edges([(f"c{k}", f"c{k + 1}") for k in range(3000)])
    assert chain.n_levels == 3001
    assert chain.tree_text(max_depth=1) == "c0\n└── c1 (2999 below)"
    assert len(chain.tree_text(max_nodes=50).splitlines()) == 51
    nested = {}
    for k in range(3000):
        nested = {f"c{k}": nested}
    assert Taxonomy.from_nested(nested).n_levels == 3000
    assert "<details" in chain._repr_html_()
    assert pickle.loads(pickle.dumps(chain)) == chain


def test_subtrees_and_random_trees():
    taxonomy = Taxonomy.of(random_graph(6))
    inner = max(taxonomy.internal_nodes[1:], key=lambda name: len(taxonomy.descendants(name)))
    part = taxonomy.subtree(inner)
    assert part.root == inner
    assert set(part) == {inner, *taxonomy.descendants(inner)}
    assert set(part.to_edges()) == {edge for edge in taxonomy.to_edges() if set(edge) <= set(part)}
    tree = Taxonomy.of(random_graph(6, second_parents=0))
    drawn = tree.random_like(3)
    assert drawn == tree.random_like(3) != tree.random_like(4)
    assert [sorted(level) for level in drawn.levels] == [sorted(level) for level in tree.levels]
    assert set(drawn.leaves) == set(tree.leaves)


def test_the_text_of_a_tree():
    assert str(Taxonomy.of(EDGES + [("both", "x")])).splitlines() == [
        "top",
        "├── left",
        "│   └── both",
        "│       └── x",
        "└── right",
        "    ├── both (see above)",
        "    └── alone",
    ]
    assert "... 2 more nodes" in Taxonomy.flat("abc").tree_text(max_nodes=2)
    assert repr(Taxonomy.of(EDGES)) == "<Taxonomy: a DAG of 5 nodes, 2 of them leaves, on 3 levels>"


class Tags(HTMLParser):
    """Checks that tags close as they open, and collects the texts."""

    def __init__(self, page):
        super().__init__()
        self.open, self.texts, self.names, self.attributes = [], [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.names.append(tag)
        self.attributes.append(dict(attributes))
        if tag not in ("br", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_notebooks_get_a_tree_that_opens_and_is_safe():
    evil = '<script>alert("1")</script>&'
    page = Tags(Taxonomy.from_edges([("top", evil), (evil, "x"), ("top", "caf\udce9")])._repr_html_())
    assert set(page.names) == {"div", "b", "details", "summary", "span"}
    assert evil in page.texts and "caf\ufffd" in page.texts
    wide = Tags(Taxonomy.flat(f"c{k}" for k in range(5000))._repr_html_())
    assert "c24" in wide.texts and "c25" not in wide.texts and "... and 4975 more" in wide.texts


def test_pages_stand_in_frames_unchanged(tmp_path):
    page = '<!doctype html><p class="a">"quoted" & <b>\'bold\'</b></p><script>if (1 < 2 && 3 > 2) x = "</p>"</script>'
    frame = Tags(iframe(page, 300, 'a "title"'))
    assert frame.names == ["iframe"]
    assert frame.attributes[0]["srcdoc"] == page and frame.attributes[0]["title"] == 'a "title"'
    assert "300px" in frame.attributes[0]["style"]
    whole = Page(page, "t")
    whole.write(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text() == page
    with pytest.raises(InputError, match="exists already"):
        whole.write(tmp_path / "p.html")
    assert Tags(whole._repr_html_()).attributes[0]["srcdoc"] == page


def test_nodes_are_the_names():
    tree = Taxonomy.of({"a": ["b", "c"]})
    assert tree.nodes == tree.names == ["a", "b", "c"]
