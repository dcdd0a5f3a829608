"""Taxonomy files as the tool reads and writes them, against Python's own csv and json modules."""

import csv
import gzip
import json
import random

import pytest
from clade_tool import attempt as clade

NAMES = ["a", "b c", "d,e", 'f "g"', "#h", "  i", "j/k", "\u00e9\u20ac", "l\\m", "n!o", "{p}", "two\nlines", "q\tr"]
FORMATS = {"csv": "edges", "json": "json", "obo": "obo"}


def convert(source, target, *arguments):
    result = clade("convert", source, "-o", target, "--quiet", *arguments)
    assert result.returncode == 0, result.stderr


def random_edges(seed, names=NAMES, nodes=60, parents=3):
    """Edges (child, parent) of a random DAG with hard names, in random order."""
    rng = random.Random(seed)
    names = [f"{rng.choice(names)} {k}" for k in range(nodes)]
    edges = [(names[k], names[p]) for k in range(1, nodes) for p in {rng.randrange(k) for _ in range(parents)}]
    rng.shuffle(edges)
    return edges


def write_csv(path, edges, header=("child", "parent"), opener=open, quoting=csv.QUOTE_ALL, **style):
    with opener(path, "wt", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=quoting, **style).writerows([header, *edges])


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["child", "parent"]
    return {tuple(row) for row in rows[1:] if len(row) == 2}


def read_json(path):
    edges, open_nodes = set(), [json.loads(path.read_text(encoding="utf-8"))]
    while open_nodes:
        node = open_nodes.pop()
        for child in node.get("children", []):
            edges.add((child["name"], node["name"]))
            open_nodes.append(child)
    return edges


def read_obo(path):
    def plain(text):
        for mark, meaning in {r"\W": " ", r"\t": "\t", r"\n": "\n", r"\!": "!", r"\{": "{"}.items():
            text = text.replace("\\\\", "\0").replace(mark, meaning).replace("\0", "\\\\")
        return text.replace("\\\\", "\\")

    edges, term = set(), None
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("id: "):
            term = plain(line[4:])
        if line.startswith("is_a: "):
            edges.add((term, plain(line[6:])))
    return edges


READERS = {"csv": read_csv, "json": read_json, "obo": read_obo}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ending", READERS)
def test_edges_survive_conversion(tmp_path, ending, seed):
    edges = random_edges(seed)
    source, target = tmp_path / "in.csv", tmp_path / f"out.{ending}"
    write_csv(source, edges)
    convert(source, target, "--taxonomy-format", "edges")
    assert READERS[ending](target) == set(edges)

    back = tmp_path / "back.csv"
    convert(target, back, "--taxonomy-format", FORMATS[ending])
    assert read_csv(back) == set(edges)


@pytest.mark.parametrize("style", [{"delimiter": "\t"}, {"quoting": csv.QUOTE_MINIMAL}, {"lineterminator": "\n"}])
def test_dialects_of_csv(tmp_path, style):
    # Where it need not, Python quotes neither blanks at the ends of a name nor #, which is a comment here.
    edges = random_edges(7, [name for name in NAMES if name[0] not in " #"])
    write_csv(tmp_path / "in.csv", [(parent, child) for child, parent in edges], header=("Parent", "Child"), **style)
    convert(tmp_path / "in.csv", tmp_path / "out.csv", "--taxonomy-format", "edges")
    assert read_csv(tmp_path / "out.csv") == set(edges)


def test_comments_are_counted(tmp_path):
    (tmp_path / "a.edges").write_text("# one\nchild,parent\na,r\n#b,r\n")
    result = clade("convert", tmp_path / "a.edges", "-o", tmp_path / "out.csv")
    assert "2 lines that begin with # passed over" in result.stderr
    assert read_csv(tmp_path / "out.csv") == {("a", "r")}


def test_compressed_files_are_read(tmp_path):
    edges = random_edges(8)
    write_csv(tmp_path / "in.csv.gz", edges, opener=gzip.open)
    convert(tmp_path / "in.csv.gz", tmp_path / "out.json", "--taxonomy-format", "edges")
    assert read_json(tmp_path / "out.json") == set(edges)


def test_forms_of_json(tmp_path):
    expected = {("left", "top"), ("right", "top"), ("both", "left"), ("both", "right")}
    forms = [
        {"top": {"left": {"both": {}}, "right": {"both": None}}},
        {"top": [{"left": ["both"]}, {"right": ["both"]}]},
        {"name": "top", "children": [{"name": "left", "children": ["both"]}, {"right": ["both"]}]},
    ]
    for k, form in enumerate(forms):
        for indent in (None, 2):
            (tmp_path / "in.json").write_text(json.dumps(form, indent=indent, sort_keys=True))
            convert(tmp_path / "in.json", tmp_path / f"{k}{indent}.csv", "--taxonomy-format", "json")
            assert read_csv(tmp_path / f"{k}{indent}.csv") == expected


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("a.edges", b"a,r\nb,b\n", "a.edges:2: node 'b' is its own parent"),
        ("a.edges", b"a,b\nb,c\nc,a\n", "cycle: "),
        ("a.edges", b"", "a.edges: "),
        ("a.edges", b"a,r\n\xff,r\n", "a.edges:2:1: a byte that is not UTF-8"),
        ("a.taxonomy", b"r\ta\nr\ta\n", "a.taxonomy:2: edge from 'r' to 'a' is given twice"),
        ("a.paths", b"a/b\na//b\n", "a.paths:2:3: an empty part"),
        ("a.obo", b"[Term]\nid: a\nis_a: b\n", "a.obo:3: parent 'b' is not defined"),
        ("a.obo", b"\x1f\x8b\x08\x00garbage", "corrupt compressed file"),
    ],
)
def test_bad_files_give_one_line_and_no_output(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    result = clade("convert", tmp_path / name, "-o", tmp_path / "out.csv", "--quiet")
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "out.csv").exists()


def test_what_a_format_cannot_hold_leaves_no_file(tmp_path):
    (tmp_path / "a.edges").write_text("child,parent\na,r\n")
    result = clade("convert", tmp_path / "a.edges", "-o", tmp_path / "out.paths", "--quiet")
    assert result.returncode == 2
    assert "label paths cannot hold the root 'r'" in result.stderr
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("edges", ["a,r\nb,r\n", "a,r\nb,s\n", "c,a\na,r\nr\nb,s\nc,s\n"], ids=["a root", "two roots", "a dag"])
@pytest.mark.parametrize("ending", [".json", ".json.gz"])
def test_json_that_clade_wrote_is_a_taxonomy_for_every_command(tmp_path, edges, ending):
    (tmp_path / "a.csv").write_text("child,parent\n" + edges)
    convert(tmp_path / "a.csv", tmp_path / ("b" + ending))
    convert(tmp_path / ("b" + ending), tmp_path / "c.csv")
    of_csv, of_json = (json.loads(clade("info", tmp_path / name, "--json", "--quiet").stdout) for name in ("a.csv", "b" + ending))
    assert of_json.pop("format") == "json" and of_csv.pop("format") == "edges"
    assert of_csv == of_json
    assert set(edges.split()) <= set((tmp_path / "c.csv").read_text().split())


@pytest.mark.parametrize("line", ['{"name": "n", "text": "some words"}', '{"text": "words", "doc_label": ["children"]}'])
def test_documents_in_json_are_no_taxonomy(tmp_path, line):
    (tmp_path / "a.json").write_text(line + "\n" + line + "\n")
    found = json.loads(clade("info", tmp_path / "a.json", "--json", "--quiet").stdout)
    assert found["samples"] == 2
