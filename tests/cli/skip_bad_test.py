"""Rows that cannot be read are left out, counted and listed, if asked for."""

import csv
import json
import random
import subprocess

import pytest
from clade_tool import CLADE, error_line, run, run_json
from products import products, write_csv, write_json_lines


def listed(path):
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["file", "line", "reason"]
    return [(int(line), reason) for _, line, reason in rows]


def converted(path, tmp_path, *options):
    out = tmp_path / f"{random.random()}.csv"
    run("convert", path, "-o", out, "--quiet", *options)
    return out.read_text()


def good_csv(rows):
    return ["a,b,label"] + [f"{k},{k * k % 7},{'xy'[k % 2]}" for k in range(rows)]


BAD_CSV = {
    "1,2,x,9": "4 columns instead of 3",
    "1,x": "2 columns instead of 3",
    "five,2,x": "'five' in column 'a' is not a number",
    "1,1e999,y": "'1e999' in column 'b' is not finite",
    '1,"2,x': "a quoted field is not closed, or text follows it",
    "1,2,caf\udce9": "byte 0xE9 is not UTF-8",
}


def with_bad_lines(good, bad, seed=1):
    """The lines with the bad ones among them (never before the second), and the numbers of the bad ones."""
    lines, rng = list(good), random.Random(seed)
    for line in bad:
        lines.insert(rng.randrange(2, len(lines) + 1), line)
    return lines, {k + 1: line for k, line in enumerate(lines) if line in bad}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_csv_is_read_as_without_its_bad_rows(tmp_path, end):
    good = good_csv(30)
    lines, places = with_bad_lines(good, BAD_CSV)
    bad, clean, found = tmp_path / "bad.csv", tmp_path / "clean.csv", tmp_path / "found.csv"
    bad.write_text(end.join(lines) + end, errors="surrogateescape", newline="")
    clean.write_text("\n".join(good) + "\n")
    assert converted(bad, tmp_path, "--bad-rows", found) == converted(clean, tmp_path)
    assert listed(found) == [(place, BAD_CSV[line]) for place, line in sorted(places.items())]
    report = run_json("info", bad, "--skip-bad")
    note = next(note for note in report["warnings"] if "left out" in note)
    assert note.startswith("6 rows are bad and were left out: ") and note.endswith(", ...") and note.count(str(bad)) == 3
    assert not any("empty line" in note for note in report["warnings"])
    assert "expected" in error_line("info", bad)


def test_every_single_bad_row_is_found_where_it_is(tmp_path):
    rng = random.Random(5)
    for seed in range(25):
        good = good_csv(rng.randrange(1, 12))
        bad = [rng.choice(list(BAD_CSV)) for _ in range(rng.randrange(1, 5))]
        lines, places = with_bad_lines(good, bad, seed)
        path, found = tmp_path / "bad.csv", tmp_path / "found.csv"
        path.write_text("\n".join(lines) + "\n", errors="surrogateescape")
        run("info", path, "--bad-rows", found)
        assert [line for line, _ in listed(found)] == sorted(places)


def test_mixed_tables_leave_out_what_is_no_number(tmp_path):
    rows = products(40)
    clean, bad = write_csv(tmp_path / "clean.csv", rows), tmp_path / "bad.csv"
    odd = [dict(row) for row in rows]
    odd.insert(7, {**rows[0], "price": "cheap", "description": "two\nlines"})
    odd.append({**rows[1], "price": "dear", "title": "the\nlast"})
    write_csv(bad, odd)
    found = tmp_path / "found.csv"
    assert converted(bad, tmp_path, "--bad-rows", found) == converted(clean, tmp_path)
    assert [reason for _, reason in listed(found)] == ["'cheap' in column 'price' is not a number",
                                                       "'dear' in column 'price' is not a number"]


def test_json_lines(tmp_path):
    rows = products(40)
    clean, bad = write_json_lines(tmp_path / "clean.jsonl", rows), tmp_path / "bad.jsonl"
    lines = clean.read_text().splitlines()
    lines.insert(0, "{")
    lines.insert(9, "[1, 2]")
    lines.insert(20, '{"price": 1e999}')
    lines.insert(30, json.dumps({**rows[3], "price": "cheap"}))
    bad.write_text("\n".join(lines))
    found = tmp_path / "found.csv"
    assert converted(bad, tmp_path, "--bad-rows", found) == converted(clean, tmp_path)
    assert listed(found) == [(1, "not well-formed JSON"), (10, "not a JSON object"),
                             (21, "the number 1e999 is too large"), (31, "'cheap' in column 'price' is not a number")]


def test_json_lines_of_text(tmp_path):
    good = [json.dumps({"text": f"some words number{k}", "doc_label": "ab"[k % 2]}) for k in range(10)]
    lines = good[:3] + ['{"doc_label": "a"}', '{"text": 5}', "nonsense"] + good[3:]
    clean, bad, found = tmp_path / "clean.jsonl", tmp_path / "bad.jsonl", tmp_path / "found.csv"
    clean.write_text("\n".join(good))
    bad.write_text("\n".join(lines))
    assert converted(bad, tmp_path, "--bad-rows", found) == converted(clean, tmp_path)
    assert [line for line, _ in listed(found)] == [4, 5, 6]


def test_libsvm_in_many_pieces(tmp_path):
    rng = random.Random(3)
    good = [f"{'ab'[k % 2]} " + " ".join(f"{f}:{rng.random():.6f}" for f in sorted(rng.sample(range(1, 90), 20)))
            for k in range(3000)]
    bad = {"a 3:x": "value 'x' at index 3", "b 5:1 4:1": "index 4 after 5", "a 0:1": "index 0", "a nonsense": "pair"}
    lines = list(good)
    for k in range(60):
        lines.insert(rng.randrange(len(lines)), list(bad)[k % 4])
    places = [k + 1 for k, line in enumerate(lines) if line in bad]
    clean, broken, found = tmp_path / "clean.svm", tmp_path / "bad.svm", tmp_path / "found.csv"
    clean.write_text("\n".join(good) + "\n")
    broken.write_text("\n".join(lines) + "\n")
    for threads in (1, 3):
        assert converted(broken, tmp_path, "--bad-rows", found, "--threads", threads) == converted(clean, tmp_path)
        assert [line for line, _ in listed(found)] == places
    assert all(bad[lines[line - 1]] in reason for line, reason in listed(found))


def test_text_lines_that_are_not_utf8(tmp_path):
    path, found = tmp_path / "t.txt", tmp_path / "found.csv"
    path.write_bytes(b"one word\ncaf\xe9 au lait\n\nlast words\n")
    assert run_json("info", path, "--bad-rows", found, "--encoding", "utf-8")["samples"] == 3
    assert listed(found) == [(2, "the text is not UTF-8")]
    assert run_json("info", path, "--skip-bad")["samples"] == 4  # read as Latin-1, as without the option


def test_training_and_prediction(tmp_path):
    lines, places = with_bad_lines(good_csv(40), BAD_CSV)
    clean, bad, model = tmp_path / "clean.csv", tmp_path / "bad.csv", tmp_path / "m.clade"
    clean.write_text("\n".join(good_csv(40)) + "\n")
    bad.write_text("\n".join(lines) + "\n", errors="surrogateescape")
    run("train", bad, "-o", model, "--skip-bad")
    kept = iter(place - 2 for place in range(2, len(lines) + 1) if place not in places)
    of_clean = list(csv.reader(run("predict", model, clean).stdout.splitlines()))
    expected = [of_clean[0]] + [[str(next(kept)), *row[1:]] for row in of_clean[1:]]
    assert list(csv.reader(run("predict", model, bad, "--skip-bad").stdout.splitlines())) == expected
    expected = run_json("evaluate", model, clean)
    assert run_json("evaluate", model, bad, "--skip-bad") == expected


def numbered(kind, rows):
    """Lines of a file and the rows that are good: row k is good unless it is a multiple of 3; its feature says k."""
    good = [k for k in range(rows) if k % 3]
    if kind == "csv":
        bad = ['7,"8,x', "1,2,3,4", "seven,7,x", '"9,9,9']
        return ["a,b,label"] + [f"{k},{k % 2},{'xy'[k % 2]}" if k % 3 else bad[k // 3 % 4] for k in range(rows)], good
    if kind == "jsonl":
        bad = ["{", '{"a": 1e999, "b": 1, "label": "x"}', "[]"]
        return [json.dumps({"a": k, "b": k % 2, "label": "xy"[k % 2]}) if k % 3 else bad[k // 3 % 3]
                for k in range(rows)], good
    return [f"{'xy'[k % 2]} 1:{k} 2:{k % 2}" if k % 3 else "x 1:a" for k in range(rows)], good


@pytest.mark.parametrize("kind", ["csv", "jsonl", "svm"])
def test_samples_have_the_numbers_of_their_rows(tmp_path, kind):
    lines, good = numbered(kind, 40)
    data, model, found = tmp_path / f"d.{kind}", tmp_path / "m.clade", tmp_path / "p.csv"
    data.write_text("\n".join(lines) + "\n")
    run("train", data, "-o", model, "--skip-bad", "--classifier", "top-down-logistic")
    keep = [] if kind == "svm" else ["--keep", "a,label"]
    run("predict", model, data, "--skip-bad", "-o", found, *keep)
    rows = list(csv.DictReader(found.open(newline="")))
    assert [int(row["sample"]) for row in rows] == good
    if keep:
        name = "input_label" if "input_label" in rows[0] else "label"
        assert [(float(row["a"]), row[name]) for row in rows] == [(k, "xy"[k % 2]) for k in good]
    objects = run("predict", model, data, "--skip-bad", "--to", "json-lines").stdout.splitlines()
    assert [int(json.loads(line)["sample"]) for line in objects] == good
    nodes = csv.DictReader(run("predict", model, data, "--skip-bad", "--nodes").stdout.splitlines())
    assert sorted({int(row["sample"]) for row in nodes}) == good
    # Predictions are found again by these numbers, and only together with the rows they were made for.
    of_model = run_json("evaluate", model, data, "--skip-bad", "--node-measures", "no")["accuracy"]
    assert run_json("evaluate", "--predictions", found, data, "--skip-bad")["accuracy"] == of_model
    found.write_text("sample,label\n" + "".join(f"{k},{'xy'[k % 2]}\n" for k in reversed(good)))
    assert run_json("evaluate", "--predictions", found, data, "--skip-bad")["accuracy"] == 1
    found.write_text("sample,label\n" + "".join(f"{k},{'xy'[k % 2]}\n" for k in range(len(good))))
    line = error_line("evaluate", "--predictions", found, data, "--skip-bad", "--quiet")
    assert "sample '0' is not in the data; expected the number of one of its" in line


def test_numbers_go_on_from_block_to_block(tmp_path):
    train, model = tmp_path / "t.svm", tmp_path / "m.clade"
    train.write_text("".join(f"{'ab'[k % 2]} {1 + k % 2}:1 3:{k}\n" for k in range(20)))
    run("train", train, "-o", model)
    row = "a " + " ".join(f"{f}:1" for f in range(1, 4)) + " " * 4000
    lines = [row if k % 5 else "b x" for k in range(6000)]  # 24 MB: three blocks
    process = subprocess.run([CLADE, "predict", model, "-", "--format", "libsvm", "--skip-bad"],
                             input="\n".join(lines) + "\n", capture_output=True, text=True)
    assert process.returncode == 0
    assert [int(line.split(",")[0]) for line in process.stdout.splitlines()[1:]] == [k for k in range(6000) if k % 5]


def test_quoted_lines_count_as_one_row(tmp_path):
    data, model = tmp_path / "d.csv", tmp_path / "m.clade"
    data.write_text('title,price,label\n"a knife\nfor bread",5,k\nbad,row\n"a pan",6,p\n\n"bad ""too",7,p,p\n"one\n\nmore",8,k\n')
    run("train", data, "-o", model, "--skip-bad", "--text-columns", "title", "--numeric-columns", "price")
    rows = list(csv.DictReader(run("predict", model, data, "--skip-bad", "--keep", "price").stdout.splitlines()))
    assert [(row["sample"], row["price"]) for row in rows] == [("0", "5"), ("2", "6"), ("4", "8")]


def test_the_list_is_not_the_data(tmp_path):
    data = tmp_path / "found.csv"
    data.write_text("file,line,reason\n1,2,x\n3,4,y\n5,6\n")
    assert "is the input" in error_line("info", data, "--bad-rows", data)
    assert data.read_text().endswith("5,6\n")


def test_a_stream_with_bad_rows(tmp_path):
    train, model, found = tmp_path / "t.svm", tmp_path / "m.clade", tmp_path / "found.csv"
    train.write_text("".join(f"{'ab'[k % 2]} {1 + k % 2}:1 3:{k}\n" for k in range(20)))
    run("train", train, "-o", model)
    process = subprocess.run([CLADE, "predict", model, "-", "--format", "libsvm", "--bad-rows", found],
                             input="a 1:1\nb x\nb 2:1\n", capture_output=True, text=True)
    assert process.returncode == 0 and len(process.stdout.splitlines()) == 3
    assert "standard input:2: " in process.stderr and [line for line, _ in listed(found)] == [2]
    line = error_line("predict", model, "-", "--format", "libsvm", "--skip-bad", input="b x\n")
    assert "standard input:1:" in line


def test_split_copies_the_good_rows(tmp_path):
    lines, places = with_bad_lines(good_csv(30), BAD_CSV)
    bad = tmp_path / "bad.csv"
    bad.write_text("\n".join(lines) + "\n", errors="surrogateescape")
    run("split", bad, "-o", tmp_path / "parts", "--test", "30%", "--skip-bad")
    parts = [(tmp_path / "parts" / f"{name}.csv").read_text().splitlines()[1:] for name in ("train", "test")]
    assert sorted(parts[0] + parts[1]) == sorted(good_csv(30)[1:])
    run("split", bad, "-o", tmp_path / "clean.csv", "--skip-bad")
    assert (tmp_path / "clean.csv").read_text().splitlines() == good_csv(30)


def test_what_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,label\n1,2\n3,4,5,6\n")
    line = error_line("info", path, "--skip-bad")
    assert ":2: " in line and "all 2 rows bad" in line
    array = tmp_path / "t.json"
    array.write_text('[{"text": "some words", "label": "a"}]')
    assert "JSON array" in error_line("info", array, "--skip-bad")
    arff = tmp_path / "t.arff"
    arff.write_text("@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n1,x\n")
    assert "--skip-bad has no effect on arff" in error_line("info", arff, "--skip-bad")
    precious = tmp_path / "precious.csv"
    precious.write_text("mine\n")
    path.write_text("a,b,label\n1,2,x\n")
    assert "no list of bad rows" in error_line("info", path, "--bad-rows", precious)
    assert precious.read_text() == "mine\n"
