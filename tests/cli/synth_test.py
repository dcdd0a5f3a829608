"""clade synth: single-label data of many classes, and text over a hierarchy. Random taxonomies: random_taxonomy_test.py."""

import collections
import gzip
import json

import numpy as np
import pytest
from clade_tool import error_line, run, run_json
from scipy.sparse import load_npz
from sklearn.datasets import load_svmlight_file

SMALL = ["--text", "--documents", 600, "--levels", "3,9,30", "--words", 2000]


def documents(path):
    opened = gzip.open(path, "rt") if path.name.endswith(".gz") else open(path)
    with opened as lines:
        return [json.loads(line) for line in lines]


def edges(path):
    return [tuple(line.split(",")) for line in path.read_text().splitlines()[1:] if "," in line]


@pytest.mark.parametrize("shape", [("2", "20"), ("1", "400"), ("4", "10"), ("1", "30")])
def test_one_label_for_any_number_of_classes(tmp_path, shape):
    depth, fanout = shape
    out = tmp_path / "s.svm"
    shown = run_json("synth", "-o", out, "--depth", depth, "--fanout", fanout, "--samples", 500, "--single-label")
    assert shown["leaves"] == int(fanout) ** int(depth)
    labels = [line.split()[0] for line in out.read_text().splitlines()]
    assert len(labels) == 500 and all("," not in label for label in labels)
    assert len(set(labels)) > 20
    run("synth", "-o", tmp_path / "t.svm", "--depth", depth, "--fanout", fanout, "--samples", 500, "--single-label", "--threads", 1)
    assert (tmp_path / "t.svm").read_bytes() == out.read_bytes()


def test_text_is_json_lines_of_paths_and_words(tmp_path):
    out = tmp_path / "t.jsonl"
    shown = run_json("synth", *SMALL, "-o", out)
    assert shown == {"samples": 600, "features": 2000, "nodes": 43, "leaves": 30, "files": [str(out)]}
    found = documents(out)
    assert len(found) == 600
    for document in found:
        assert set(document) == {"doc_label", "text"}
        (label,) = document["doc_label"]
        assert len(label.split("/")) == 3
        assert len(document["text"].split()) >= 8 and document["text"].islower()
    info = run_json("info", out)
    assert (info["samples"], info["height"], info["kind"]) == (600, 4, "tree")
    for threads in (1, 3):
        run("synth", *SMALL, "-o", tmp_path / "u.jsonl", "--threads", threads, "--force")
        assert (tmp_path / "u.jsonl").read_bytes() == out.read_bytes()
    run("synth", *SMALL, "-o", tmp_path / "v.jsonl", "--seed", 2)
    assert (tmp_path / "v.jsonl").read_bytes() != out.read_bytes()


def test_documents_to_test_on_are_others_of_the_same_seed(tmp_path):
    run("synth", *SMALL, "-o", tmp_path / "all.jsonl", "--taxonomy-out", tmp_path / "tree.csv", "--seed", 5)
    end = ["--text", "--levels", "3,9,30", "--words", 2000, "--first", 400, "--documents", 200, "--seed", 5]
    run("synth", *end, "-o", tmp_path / "end.jsonl", "--taxonomy-out", tmp_path / "same.csv")
    assert documents(tmp_path / "end.jsonl") == documents(tmp_path / "all.jsonl")[400:]
    assert (tmp_path / "tree.csv").read_text() == (tmp_path / "same.csv").read_text()
    run("synth", *SMALL, "-o", tmp_path / "clean.jsonl", "--noise", 0, "--seed", 5)
    changed = [a["doc_label"] != b["doc_label"] for a, b in zip(documents(tmp_path / "all.jsonl"), documents(tmp_path / "clean.jsonl"))]
    assert 0 < sum(changed) < 40
    assert [d["text"] for d in documents(tmp_path / "all.jsonl")] == [d["text"] for d in documents(tmp_path / "clean.jsonl")]


def test_compressed_text_and_other_names(tmp_path):
    run("synth", *SMALL, "-o", tmp_path / "t.jsonl")
    run("synth", *SMALL, "-o", tmp_path / "t.jsonl.gz")
    run("synth", *SMALL, "-o", tmp_path / "t.NDJSON")
    run("synth", *SMALL, "-o", tmp_path / "t.text", "--to", "json-lines")
    expected = (tmp_path / "t.jsonl").read_bytes()
    assert gzip.decompress((tmp_path / "t.jsonl.gz").read_bytes()) == expected
    assert (tmp_path / "t.NDJSON").read_bytes() == (tmp_path / "t.text").read_bytes() == expected
    assert run("synth", *SMALL, "-o", "/dev/stdout", "--to", "json-lines").stdout.encode() == expected


def test_vectors_are_the_counts_of_the_words(tmp_path):
    run("synth", *SMALL, "-o", tmp_path / "t.jsonl", "--labels", 3)
    run("synth", *SMALL, "-o", tmp_path / "t.svm", "--labels", 3)
    run("synth", *SMALL, "-o", tmp_path / "t.npz", "--labels", 3)
    words = json.loads((tmp_path / "t.svm.meta.json").read_text())["feature_names"]
    number = {word: k for k, word in enumerate(words)}
    expected = np.zeros((600, 2000))
    for d, document in enumerate(documents(tmp_path / "t.jsonl")):
        for word, count in collections.Counter(document["text"].split()).items():
            expected[d, number[word]] = count
    lines = (tmp_path / "t.svm").read_text().splitlines()
    labels = [line.split()[0].split(",") for line in lines]
    assert labels == [d["doc_label"] for d in documents(tmp_path / "t.jsonl")]
    assert max(map(len, labels)) == 3
    (tmp_path / "plain.svm").write_text("".join("0 " + line.split(" ", 1)[1] + "\n" for line in lines))
    found, _ = load_svmlight_file(str(tmp_path / "plain.svm"), n_features=2000, zero_based=False)
    assert (found.toarray() == expected).all()
    assert (load_npz(tmp_path / "t.npz").toarray() == expected).all()


def test_a_dag_goes_into_a_file_of_its_own(tmp_path):
    dag = [*SMALL, "--dag", 0.3]
    assert "JSON lines cannot hold a DAG; use --taxonomy-out" in error_line("synth", *dag, "-o", tmp_path / "d.jsonl")
    assert list(tmp_path.iterdir()) == []
    run("synth", *dag, "-o", tmp_path / "d.jsonl", "--taxonomy-out", tmp_path / "d.csv")
    parents = collections.defaultdict(set)
    for child, parent in edges(tmp_path / "d.csv"):
        parents[child].add(parent)
    two = [child for child, above in parents.items() if len(above) == 2]
    assert 2 <= len(two) <= 25 and all(child.rsplit("/", 1)[0] in parents[child] for child in two)
    assert all(parent.count("/") == child.count("/") - 1 for child in two for parent in parents[child])
    info = run_json("info", tmp_path / "d.csv")
    assert (info["kind"], info["nodes"], info["leaves"]) == ("dag", 43, 30)
    run("train", tmp_path / "d.jsonl", "--taxonomy", tmp_path / "d.csv", "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    # Formats that have a meta file need no other one.
    run("synth", *dag, "-o", tmp_path / "d.svm")
    run("convert", tmp_path / "d.svm", "-o", tmp_path / "e.svm", "--taxonomy-out", tmp_path / "e.csv")
    assert sorted(edges(tmp_path / "e.csv")) == sorted(edges(tmp_path / "d.csv"))


def test_hierarchical_text_is_learnable_and_near_misses_are_common(tmp_path):
    shape = ["--text", "--levels", "5,20,80", "--words", 20000]
    run("synth", *shape, "-o", tmp_path / "train.jsonl", "--documents", 6000)
    run("synth", *shape, "-o", tmp_path / "test.jsonl", "--first", 6000, "--documents", 1000, "--noise", 0)
    run("train", tmp_path / "train.jsonl", "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    found = run_json("evaluate", tmp_path / "m.clade", tmp_path / "test.jsonl")
    assert 0.5 < found["accuracy"] < 0.9
    assert found["hierarchical_f1"] > found["accuracy"] + 0.1
    # Without topics there is nothing to learn.
    run("synth", *shape, "-o", tmp_path / "none.jsonl", "--documents", 3000, "--topic", 0)
    run("train", tmp_path / "none.jsonl", "--classifier", "top-down-svm", "-o", tmp_path / "n.clade")
    run("synth", *shape, "-o", tmp_path / "none2.jsonl", "--first", 3000, "--documents", 1000, "--topic", 0)
    assert run_json("evaluate", tmp_path / "n.clade", tmp_path / "none2.jsonl")["accuracy"] < 0.1


def test_inner_labels(tmp_path):
    run("synth", *SMALL, "-o", tmp_path / "i.jsonl", "--inner", 0.4, "--noise", 0)
    parts = [len(d["doc_label"][0].split("/")) for d in documents(tmp_path / "i.jsonl")]
    assert {1, 2, 3} == set(parts) and 0.3 < sum(p < 3 for p in parts) / 600 < 0.5
    run("train", tmp_path / "i.jsonl", "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")


def test_bad_usage_of_text(tmp_path):
    out = tmp_path / "x.jsonl"
    assert "--samples together with --text" in error_line("synth", "--text", "-o", out, "--samples", 5)
    assert "--documents without --text; expected --text" in error_line("synth", "-o", tmp_path / "x.svm", "--documents", 5)
    for levels in ("10,5", "1", "0,3", "3,x", "3,,4"):
        assert "--levels" in error_line("synth", "--text", "-o", out, "--levels", levels)
    assert "does not write json-lines" in error_line("synth", "-o", out)
    assert "cannot tell the format" in error_line("synth", *SMALL, "-o", tmp_path / "x.bogus")
    assert "cannot tell the taxonomy format" in error_line("synth", *SMALL, "-o", out, "--taxonomy-out", tmp_path / "t.bogus")
    assert "is named for two outputs" in error_line("synth", *SMALL, "-o", tmp_path / "x.json", "--taxonomy-out", tmp_path / "x.json")
    (tmp_path / "tree.csv").write_text("child,parent\nb,a\nc,a\n")
    assert "--text together with --random-taxonomy-like" in error_line(
        "synth", "--text", "--random-taxonomy-like", tmp_path / "tree.csv", "-o", tmp_path / "r.csv")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["tree.csv"]
    out.write_text("precious")
    assert "exists already; use --force" in error_line("synth", *SMALL, "-o", out)
    assert out.read_text() == "precious"
