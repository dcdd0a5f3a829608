"""`clade info` shows the top of the tree and what is odd, compared with counting in Python."""

import csv
import random
from collections import Counter

from clade_tool import run, run_json


def write_rows(path, rows, header=("x", "y", "label")):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def warnings(path):
    return "\n".join(run_json("info", path)["warnings"])


def test_the_top_of_the_tree(tmp_path):
    stream = random.Random(3)
    labels = [f"g{stream.randrange(4)}/c{int(stream.expovariate(0.15))}" for _ in range(600)]
    write_rows(tmp_path / "d.csv", [(k, stream.random(), label) for k, label in enumerate(labels)])
    groups = Counter(label.split("/")[0] for label in labels)
    classes = Counter(labels)
    top = run_json("info", tmp_path / "d.csv")["top"]
    assert top["samples"] == 600 and top["children"] == 4
    assert [(node["name"], node["samples"]) for node in top["largest"]] == groups.most_common()
    text = run("info", tmp_path / "d.csv").stdout
    for node in top["largest"]:
        below = sorted((count for name, count in classes.items() if name.startswith(node["name"] + "/")), reverse=True)
        assert node["children"] == len(below)
        assert [child["samples"] for child in node["largest"]] == below[:12]
        assert all(classes[child["name"]] == child["samples"] for child in node["largest"])
        if len(below) > 12:
            assert f"... and {len(below) - 12} more" in text
    first = top["largest"][0]["largest"][0]
    assert any(line.split() == [str(first["samples"]), first["name"].split("/")[1]] for line in text.splitlines())


def test_samples_of_several_labels_count_once_per_node(tmp_path):
    rows = [(1, 1, "a/b;a/c"), (2, 1, "a/b"), (3, 1, "d")]
    write_rows(tmp_path / "d.csv", rows)
    top = run_json("info", tmp_path / "d.csv")["top"]
    assert [(node["name"], node["samples"]) for node in top["largest"]] == [("a", 2), ("d", 1)]


def test_odd_data(tmp_path):
    rows = [(1, 1, "Sport"), (1, 1, "News"), (1, 1, "Sport"), (2, 2, "sport"), (3, 3, "News"), (4, 4, "Rare")]
    write_rows(tmp_path / "d.csv", rows)
    found = run_json("info", tmp_path / "d.csv")
    said = "\n".join(found["warnings"])
    assert found["repeated_rows"] == 2 and found["contradicting_rows"] == 1
    assert "sample 0 has 'Sport', sample 1 has 'News'" in said
    assert found["similar_names"] == 1 and "'Sport' and 'sport'" in said
    assert found["one_sample_classes"] == 2
    assert found["only_class"] is None


def test_labels_like_ids(tmp_path):
    write_rows(tmp_path / "d.csv", [(k, 1, 100 + k) for k in range(40)])
    assert "40 different labels for 40 samples, such as '100'" in warnings(tmp_path / "d.csv")
    write_rows(tmp_path / "e.csv", [(k, 1, k % 4) for k in range(40)])
    assert "different labels" not in warnings(tmp_path / "e.csv")


def test_one_class(tmp_path):
    write_rows(tmp_path / "d.csv", [(k, 1, "only") for k in range(10)])
    assert run_json("info", tmp_path / "d.csv")["only_class"] == "only"
    assert "all samples are of one class, 'only'" in warnings(tmp_path / "d.csv")
    model = tmp_path / "m.clade"
    said = run("train", tmp_path / "d.csv", "--classifier", "path-svm", "-o", model).stderr
    assert "all samples are of one class" in said
    assert "all samples are of one class" in run("evaluate", model, tmp_path / "d.csv").stderr


def test_a_taxonomy_shows_its_leaves(tmp_path):
    (tmp_path / "t.paths").write_text("a/b\na/c\nd/e\n")
    assert "leaves below the largest nodes" in run("info", tmp_path / "t.paths").stdout
