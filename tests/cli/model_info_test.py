"""`clade info` on model files, and an independent reader of them after docs/formats/model.md."""

import json
import re

import numpy
from clade_tool import SOURCE, error_line, run, run_json

# Written by the first version that had the format, trained on the documents beside it; must stay readable.
MODEL = SOURCE / "tests" / "compat" / "model-1.clade"


def read_by_the_page(data):
    assert data[:8] == b"\x89CLADE\r\n" and data[8:16] == b"\x0d\x0c\x0b\x0a\x01\0\0\0"
    size, length = numpy.frombuffer(data, "<u8", 2, 16)
    assert size == len(data)
    description = json.loads(data[64 : 64 + int(length)])
    begin = (64 + int(length) + 63) // 64 * 64
    arrays = {
        name: numpy.frombuffer(data, "<" + kind[0] + str(int(kind[1:]) // 8), count, begin + offset)
        for name, kind, offset, count in description["arrays"]
    }
    return description, arrays


def strings(arrays, name):
    data, offsets = arrays[name].tobytes(), arrays[name + "_offsets"]
    return [data[a:b] for a, b in zip(offsets, offsets[1:])]


def test_info_and_the_documented_layout_agree():
    description, arrays = read_by_the_page(MODEL.read_bytes())
    shown = run_json("info", MODEL)
    assert shown["classifier"] == description["classifier"] == "top-down-svm"
    assert shown["features"] == description["features"] == len(strings(arrays, "words"))
    assert shown["taxonomy"]["nodes"] == len(strings(arrays, "taxonomy_names"))
    assert shown["taxonomy"]["edges"] == len(arrays["taxonomy_parents"])
    assert shown["taxonomy"]["miscellaneous_leaves"] == description["taxonomy"]["miscellaneous"]
    assert shown["weights"] == arrays["node_weights"].sum()
    assert shown["outputs"] == arrays["node_outputs"].sum()
    assert shown["trained_nodes"] == len(arrays["node"])
    assert shown["file_bytes"] == MODEL.stat().st_size
    names = strings(arrays, "taxonomy_names")
    by_name = {node["node"]: node for node in shown["largest_nodes"]}
    for k, node in enumerate(arrays["node"]):
        entry = by_name[names[node].decode()]
        assert entry["children"] == arrays["node_children"][k]
        assert entry["features"] == arrays["node_features"][k]
        assert entry["samples"] == arrays["node_samples"][k]


def test_text():
    text = run("info", MODEL).stdout
    for part in ["(model)", "classifier  top-down-svm", "2 miscellaneous leaves", "words of 9 documents",
                 "nodes with most weights"]:
        assert part in text


def test_models_without_words_and_without_weights_of_features(tmp_path):
    rows = [f"gene{k:03},{k % 3},{(k * 7) % 5},{'ab'[k % 2]}" for k in range(12)]
    (tmp_path / "t.csv").write_text("\n".join(["gene,x,y,label", *rows]) + "\n")
    plain = run("train", tmp_path / "t.csv", "--classifier", "top-down-svm", "-o", tmp_path / "p.clade").stdout
    assert "columns of a table of 12 rows" in plain and "words of" not in plain
    kernel = run("train", tmp_path / "t.csv", "--classifier", "flat-svm", "--kernel", "rbf", "-o", tmp_path / "k.clade")
    samples = int(re.search(r"weights     \d+ of (\d+) training samples\n", kernel.stdout)[1])
    assert f"support samples    {samples}\n" in kernel.stdout and "nodes with most weights" not in kernel.stdout


def test_it_still_predicts(tmp_path):
    documents = MODEL.with_suffix(".jsonl")
    run("predict", MODEL, documents, "-o", tmp_path / "p.csv")
    labels = [line.split(",")[2] for line in (tmp_path / "p.csv").read_text().splitlines()[1:]]
    assert labels == [json.loads(line)["doc_label"][0] for line in documents.read_text().splitlines()]


def refusal(tmp_path, data):
    path = tmp_path / "model.clade"
    path.write_bytes(data)
    line = error_line("info", path)
    assert line.startswith(f"{path}: ")
    return line


def test_damaged_files_are_refused(tmp_path):
    data = MODEL.read_bytes()
    assert "truncated" in refusal(tmp_path, data[:-1])
    assert "a byte has changed" in refusal(tmp_path, data[:2000] + bytes([data[2000] ^ 1]) + data[2001:])
    assert "newer Clade" in refusal(tmp_path, data[:12] + b"\x03" + data[13:])
    assert "too many" in refusal(tmp_path, data + b"\0")
