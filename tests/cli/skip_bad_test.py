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
    lines, _ = with_bad_lines(good_csv(40), BAD_CSV)
    clean, bad, model = tmp_path / "clean.csv", tmp_path / "bad.csv", tmp_path / "m.clade"
    clean.write_text("\n".join(good_csv(40)) + "\n")
    bad.write_text("\n".join(lines) + "\n", errors="surrogateescape")
    run("train", bad, "-o", model, "--skip-bad")
    assert run("predict", model, bad, "--skip-bad").stdout == run("predict", model, clean).stdout
    expected = run_json("evaluate", model, clean)
    assert run_json("evaluate", model, bad, "--skip-bad") == expected


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
