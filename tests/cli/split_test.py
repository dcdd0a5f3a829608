"""`clade split`, compared with the same done in Python."""

import csv
import gzip
import json
import random
from collections import Counter

import pytest

from clade_tool import error_line, run, run_json

HEADER = "id,x,y,label,who,when"


@pytest.fixture
def table(tmp_path):
    stream = random.Random(5)
    lines = []
    for k in range(200):
        label = stream.choice(["a/b", "a/c", "a/d", "e/f", "e/g"]) if k >= 6 else "a/rare" if k < 3 else "e/odd"
        if stream.random() < 0.1 and label != "e/f":
            label += ";e/f"
        day = f"2024-{stream.randrange(1, 13):02}-{stream.randrange(1, 29):02}"
        lines.append(f'{k},{stream.randrange(4)}.50,"{stream.randrange(5)}",{label},w{stream.randrange(15)},{day}')
    path = tmp_path / "d.csv"
    path.write_text(HEADER + "\n" + "".join(line + "\n" for line in lines))
    return path


@pytest.fixture
def plain(table, tmp_path):
    """The table without columns that are no numbers."""
    rows = list(csv.reader(table.open()))
    path = tmp_path / "plain.csv"
    path.write_text("".join(",".join(row[:4]) + "\n" for row in rows))
    return path


def lines_of(path):
    return path.read_text().splitlines()


def read(path):
    return list(csv.DictReader(path.open()))


def labels(row):
    return set(row["label"].split(";"))


def check_parts(source, folder, ending=".csv"):
    """Every line of the source is in exactly one part, in its order; returns the rows of the parts."""
    whole = lines_of(source)
    train, test = lines_of(folder / f"train{ending}"), lines_of(folder / f"test{ending}")
    assert train[0] == test[0] == whole[0]
    place = {line: k for k, line in enumerate(whole)}
    for part in (train, test):
        assert [place[line] for line in part] == sorted(place[line] for line in part)
    assert sorted(train[1:] + test[1:]) == sorted(whole[1:])
    return read(folder / f"train{ending}"), read(folder / f"test{ending}")


def test_a_share_of_every_class(plain, tmp_path):
    found = run_json("split", plain, "-o", tmp_path / "p", "--test", "25%")
    train, test = check_parts(plain, tmp_path / "p")
    assert (found["train_samples"], found["test_samples"]) == (len(train), len(test))
    assert found["copied"] and abs(len(test) - 50) <= 4
    of = Counter(label for row in train + test for label in labels(row))
    in_test = Counter(label for row in test for label in labels(row))
    for label, count in of.items():
        assert abs(in_test[label] - count / 4) <= 2
    run("split", plain, "-o", tmp_path / "q", "--test", "0.25")
    assert lines_of(tmp_path / "q/test.csv") == lines_of(tmp_path / "p/test.csv")
    run("split", plain, "-o", tmp_path / "r", "--test", "0.25", "--seed", "2")
    assert lines_of(tmp_path / "r/test.csv") != lines_of(tmp_path / "p/test.csv")


def without(column, table, path):
    rows = list(csv.reader(table.open()))
    at = rows[0].index(column)
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([row[1:at] + row[at + 1:] for row in rows])
    return path


def test_groups_stay_together(table, tmp_path):
    data = without("when", table, tmp_path / "g.csv")
    lines = lines_of(data)
    data.write_text("\n".join([lines[0]] + [f"{line}" for line in dict.fromkeys(lines[1:])]) + "\n")
    run("split", data, "-o", tmp_path / "p", "--test", "30%", "--group-column", "who")
    train, test = check_parts(data, tmp_path / "p")
    assert not {row["who"] for row in train} & {row["who"] for row in test}
    assert abs(len(test) / (len(train) + len(test)) - 0.3) < 0.1


def test_groups_from_a_file(plain, tmp_path):
    groups = [k // 10 for k in range(200)]
    (tmp_path / "groups.txt").write_text("".join(f"{group}\n" for group in groups))
    run("split", plain, "-o", tmp_path / "p", "--test", "20%", "--group-file", tmp_path / "groups.txt")
    train, test = check_parts(plain, tmp_path / "p")
    assert len(test) == 40
    assert not {int(row["id"]) // 10 for row in train} & {int(row["id"]) // 10 for row in test}


def test_the_latest_are_the_test(table, tmp_path):
    data = without("who", table, tmp_path / "t.csv")
    lines = lines_of(data)
    data.write_text("\n".join([lines[0], *dict.fromkeys(lines[1:])]) + "\n")
    run("split", data, "-o", tmp_path / "p", "--test", "20%", "--time-column", "when")
    train, test = check_parts(data, tmp_path / "p")
    times = sorted(row["when"] for row in train + test)
    first = times[round(0.8 * len(times))]
    assert {row["when"] for row in test} == {time for time in times if time >= first}
    assert max(row["when"] for row in train) < min(row["when"] for row in test)


def test_some_of_every_class(plain, tmp_path):
    run("split", plain, "-o", tmp_path / "p", "--per-class", "4", "--single-labels")
    train, test = read(tmp_path / "p/train.csv"), read(tmp_path / "p/test.csv")
    single = [row for row in read(plain) if len(labels(row)) == 1]
    assert sorted(row["id"] for row in train + test) == sorted(row["id"] for row in single)
    counts = Counter(row["label"] for row in single)
    assert Counter(row["label"] for row in train) == {label: min(4, count) for label, count in counts.items()}


def test_a_subtree(plain, tmp_path):
    found = run_json("split", plain, "-o", tmp_path / "e.csv", "--subtree", "e", "--single-labels")
    expected = [row for row in read(plain) if any(label.startswith("e/") for label in labels(row))]
    expected = [row for row in expected if sum(label.startswith("e/") for label in labels(row)) == 1]
    assert found["samples"] == len(expected)
    written = read(tmp_path / "e.csv")
    assert [row["label"].split(";")[-1].split("/")[0] for row in written] == ["e"] * len(expected)
    assert [float(row["x"]) for row in written] == [float(row["x"]) for row in expected]


def test_duplicates(plain, tmp_path):
    run("split", plain, "-o", tmp_path / "u.csv", "--without-duplicates")
    kept, seen = [lines_of(plain)[0]], set()
    for line, row in zip(lines_of(plain)[1:], read(plain)):
        if (float(row["x"]), float(row["y"])) not in seen:
            seen.add((float(row["x"]), float(row["y"])))
            kept.append(line)
    assert lines_of(tmp_path / "u.csv") == kept and len(kept) < 22


def test_the_first_label(plain, tmp_path):
    run("split", plain, "-o", tmp_path / "f.csv", "--first-label")
    assert [row["label"] for row in read(tmp_path / "f.csv")] == [row["label"].split(";")[0] for row in read(plain)]


def test_small_classes_are_merged_into_their_parents(plain, tmp_path):
    run("split", plain, "-o", tmp_path / "m.csv", "--merge-below", "5", "--single-labels")
    single = [row["label"] for row in read(plain) if len(labels(row)) == 1]
    counts = Counter(single)
    expected = [label if counts[label] >= 5 else label.split("/")[0] for label in single]
    assert [row["label"] for row in read(tmp_path / "m.csv")] == expected
    assert "a" in expected or "e" in expected


def merged(samples, least):
    """Label sets after merging, node by node from the deepest."""
    def implied(node, others):
        return any(other == node or other.startswith(node + "/") for other in others)
    nodes = {"/".join(label.split("/")[:k]) for labels in samples for label in labels for k in range(1, label.count("/") + 2)}
    samples = [{label for label in labels if not implied(label, labels - {label})} for labels in samples]
    for node in sorted(nodes, key=lambda node: -node.count("/")):
        small = [labels for labels in samples if node in labels]
        if "/" not in node or len(small) >= least:
            continue
        parent = node.rsplit("/", 1)[0]
        for labels in small:
            labels.remove(node)
            if not implied(parent, labels):
                labels.add(parent)
    return samples


@pytest.mark.parametrize("seed", range(8))
def test_merging_several_labels_over_three_levels(tmp_path, seed):
    stream = random.Random(seed)
    def label():
        return "/".join(f"{level}{min(int(stream.expovariate(0.9)), 4)}" for level in "abc"[: stream.choice([2, 3, 3])])
    samples = [{label() for _ in range(stream.choice([1, 1, 2]))} for _ in range(60)]
    (tmp_path / "d.csv").write_text("x,label\n" + "".join(f"{k},{';'.join(sorted(s))}\n" for k, s in enumerate(samples)))
    run("split", tmp_path / "d.csv", "-o", tmp_path / "m.csv", "--merge-below", "4")
    assert [labels(row) for row in read(tmp_path / "m.csv")] == merged(samples, 4)


def test_libsvm_lines_are_copied(tmp_path):
    lines = [f"{k % 3} 1:{k}.0 2:1 # sample {k}" for k in range(30)]
    (tmp_path / "d.svm").write_text("# a comment\n" + "\n".join(lines[:10]) + "\n\n" + "\n".join(lines[10:]))
    run("split", tmp_path / "d.svm", "-o", tmp_path / "p", "--per-class", "2")
    train, test = lines_of(tmp_path / "p/train.svm"), lines_of(tmp_path / "p/test.svm")
    assert sorted(train + test) == sorted(lines) and len(train) == 6


def test_json_lines_are_copied(tmp_path):
    stream = random.Random(2)
    lines = [json.dumps({"text": f"w{stream.randrange(50)} é", "doc_label": ["A > B", "A > C", "D"][k % 3], "by": k % 7,
                         "n": k}, ensure_ascii=k % 2 == 0) for k in range(90)]
    (tmp_path / "d.jsonl").write_text("\n\n".join(lines))
    run("split", tmp_path / "d.jsonl", "-o", tmp_path / "p", "--test", "30%", "--group-column", "by")
    train, test = lines_of(tmp_path / "p/train.jsonl"), lines_of(tmp_path / "p/test.jsonl")
    assert sorted(train + test) == sorted(lines)
    assert not {json.loads(line)["by"] for line in train} & {json.loads(line)["by"] for line in test}


def test_line_ends_quotes_and_compression_stay(tmp_path):
    rows = [f'{k},"{k}","a{k % 3}"\r\n' for k in range(30)]
    with gzip.open(tmp_path / "d.csv.gz", "wt", newline="") as file:
        file.write("x,y,label\r\n" + "".join(rows))
    run("split", tmp_path / "d.csv.gz", "-o", tmp_path / "p", "--test", "20%")
    parts = [gzip.open(tmp_path / f"p/{name}.csv.gz", "rt", newline="").read() for name in ("train", "test")]
    assert all(part.startswith("x,y,label\r\n") for part in parts)
    assert sorted("".join(part[len("x,y,label\r\n"):] for part in parts).splitlines(True)) == sorted(rows)


def test_other_formats_are_written(plain, tmp_path):
    run("convert", plain, "-o", tmp_path / "d.arff")
    found = run_json("split", tmp_path / "d.arff", "-o", tmp_path / "p", "--test", "20%")
    assert not found["copied"]
    total = sum(run_json("info", tmp_path / f"p/{name}.arff")["samples"] for name in ("train", "test"))
    assert total == 200
    run("split", plain, "-o", tmp_path / "q", "--test", "20%", "--to", "npz")
    assert run_json("info", tmp_path / "q/train.npz")["samples"] == found["train_samples"]


def test_wrong_usage(plain, tmp_path):
    assert "nothing to do" in error_line("split", plain, "-o", tmp_path / "p")
    assert "expected a share such as 20%" in error_line("split", plain, "-o", tmp_path / "p", "--test", "2")
    assert "expected one of them" in error_line("split", plain, "-o", tmp_path / "p", "--test", "20%", "--per-class", "3")
    assert "is not in the hierarchy" in error_line("split", plain, "-o", tmp_path / "p.csv", "--subtree", "z", "--quiet")
    assert "no column 'z'" in error_line("split", plain, "-o", tmp_path / "p", "--test", "20%", "--group-column", "z")
    assert "is the input" in error_line("split", plain, "-o", plain, "--single-labels", "--force")
    assert not (tmp_path / "p").exists()
    run("split", plain, "-o", tmp_path / "p", "--test", "20%")
    assert "exists" in error_line("split", plain, "-o", tmp_path / "p", "--test", "20%", "--quiet")
