"""Tables that are odd: missing numbers, gaps in levels, names with odd characters, times that are none."""

import csv
import json
import random
import subprocess
import zipfile

import pytest
from clade_tool import CLADE, error_line, run, run_json
from products import products, write_csv, write_json_lines


def converted(path, tmp_path, *options):
    out = tmp_path / f"{random.random()}.csv"
    run("convert", path, "-o", out, "--quiet", *options)
    with out.open(newline="") as file:
        return list(csv.DictReader(file))


def notes(path, *options):
    return run_json("info", path, *options)["warnings"]


def mixed(path, prices):
    path.write_text("title,price,label\n" + "".join(
        f"some words of item{k},{price},{'ab'[k % 2]}\n" for k, price in enumerate(prices)))
    return path


def test_missing_is_obeyed_beside_texts(tmp_path):
    prices = ["1", "3", "", "8", "", "4"]
    path = mixed(tmp_path / "t.csv", prices)
    full = mixed(tmp_path / "f.csv", [price or "0" for price in prices])
    mean, deviation = 4, ((9 + 1 + 16 + 0) / 4) ** 0.5

    def values(*options):
        return [row["price"] for row in converted(path, tmp_path, "--number-weight", "1", *options)]

    def expected(of_missing):
        return [(float(price or of_missing) - mean) / deviation for price in prices]

    assert list(map(float, values("--missing", "mean"))) == pytest.approx(expected(mean))
    assert list(map(float, values("--missing", "auto"))) == pytest.approx(expected(mean))
    assert list(map(float, values("--missing", "zero"))) == pytest.approx(expected(0))
    assert [value == "" for value in values("--missing", "keep")] == [price == "" for price in prices]
    assert list(map(float, values("--missing", "drop-sample"))) == pytest.approx(
        [value for value, price in zip(expected(0), prices) if price])
    line = error_line("train", path, "-o", tmp_path / "m.clade", "--missing", "error")
    assert line.startswith(f"{path}:4: missing value (2 in the file)")
    assert any("2 missing values in columns of numbers count as the mean of the column, the first in line 4" in note
               for note in notes(path, "--missing", "auto"))
    assert run_json("info", path)["missing_values"] == 2
    assert not any("missing" in note for note in notes(full))


def test_a_model_remembers_what_stands_for_missing_numbers(tmp_path):
    rows = products(60)
    data = write_csv(tmp_path / "p.csv", rows)
    for policy, price in (("zero", "0"), ("mean", None)):
        model = tmp_path / f"{policy}.clade"
        run("train", data, "-o", model, "--missing", policy)
        missing = write_csv(tmp_path / "missing.csv", [{**row, "price": ""} for row in rows[:9]])
        if price is None:
            price = repr(sum(float(row["price"]) for row in rows) / len(rows))
        given = write_csv(tmp_path / "given.csv", [{**row, "price": price} for row in rows[:9]])
        scores = [list(csv.reader(run("predict", model, path).stdout.splitlines()))[1:] for path in (missing, given)]
        for one, other in zip(*scores):
            assert one[:3] == other[:3] and float(one[3]) == pytest.approx(float(other[3]))


def test_cross_validation_with_missing_numbers(tmp_path):
    rows = products(60)
    path = write_csv(tmp_path / "p.csv", [{**row, "price": "" if k % 7 == 0 else row["price"]}
                                          for k, row in enumerate(rows)])
    options = ["--classifier", "top-down-svm", "--folds", "3"]
    assert run_json("evaluate", path, *options)["samples"] == 60
    assert run_json("evaluate", path, *options, "--missing", "mean") == run_json("evaluate", path, *options)
    assert run_json("evaluate", path, *options, "--missing", "drop-sample")["samples"] == 51


def test_a_gap_in_level_columns_is_counted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("title,lvl1,lvl2,lvl3\nwords of one,a,,c\nwords of two,a,b,c\nmore of words,,b,\nlast of words,a,,\n")
    assert any(note.startswith("2 samples with an empty level above a filled one") for note in notes(path))


def test_an_equals_sign_in_the_name_of_a_column(tmp_path):
    rows = [{"a": "b=c", "a=b": "x", "words": "some text of words", "label": "u"},
            {"a": "z", "a=b": "c", "words": "other text with words", "label": "v"}] * 6
    path = write_csv(tmp_path / "t.csv", rows)
    header = converted(path, tmp_path, "--categorical-columns", "a,a=b", "--text-columns", "words")[0]
    assert {"a=b=c", "a=z", "a\\=b=x", "a\\=b=c"} <= set(header)


def test_long_names_are_shortened_in_notes(tmp_path):
    name = "a question of the form\nthat " + "goes on and on " * 30
    path = write_csv(tmp_path / "t.csv", [{name: f"words of some text {k}", "label": "ab"[k % 2]} for k in range(12)])
    note = next(note for note in notes(path) if note.startswith("columns: "))
    assert len(note) < 200 and "\n" not in note and "..." in note


def test_numbers_that_are_too_large_for_json(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"title": "words of text", "price": 1, "label": "a"}\n{"price": -1e999}\n')
    assert f"{path}:2:" in error_line("info", path) and "the number -1e999 is too large" in error_line("info", path)
    path.write_text('{"text": "words of text", "doc_label": "a"}\n{"text": "a", "price": 1e999}\n')
    assert "the number 1e999 is too large" in error_line("info", path)


def test_json_arrays_have_lines(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[\n  {"title": "words of text", "label": "a"},\n\n  {"title": 1e999, "label": "b"}]\n')
    assert f"{path}:4:" in error_line("info", path)
    for bad, problem in (("[{}", "not closed"), ("[{},]", "comma without a value"), ("[{}] x", "after the end"),
                         ("[1]", "not a JSON object"), ("[{]", "not closed")):
        path.write_text(bad)
        assert problem in error_line("info", path, "--format", "json-lines"), bad


def test_json_objects_are_read_as_documents_are(tmp_path):
    """Nested objects, lists and repeated fields against the json module."""
    rng = random.Random(4)
    lines = []
    for k in range(60):
        row = {"title": f"  words number{k % 7} here ", "flag": k % 3 == 0, "n": rng.choice([1, 2.5, 1e10, -3, 1e-7]),
               "in": {"deep": {"er": rng.choice("pq")}}, "tags": [["a", "b"], "c", None, ["d"]], "label": "ab"[k % 2]}
        lines.append(json.dumps(row))
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(lines))
    repeated = tmp_path / "r.jsonl"
    repeated.write_text("\n".join('{"title": "old words", "n": "x", ' + line[1:] for line in lines))
    array = tmp_path / "t.json"
    array.write_text(json.dumps([json.loads(line) for line in lines], indent=1))
    plain = converted(path, tmp_path)
    assert converted(repeated, tmp_path) == plain and converted(array, tmp_path) == plain
    assert {"flag=true", "flag=false", "in.deep.er=p", "in.deep.er=q", "n"} <= set(plain[0])


def test_utf16_on_standard_input(tmp_path):
    rows = products(40)
    data, model = write_json_lines(tmp_path / "p.jsonl", rows), tmp_path / "m.clade"
    run("train", data, "-o", model)
    expected = run("predict", model, data).stdout
    for codec in ("utf-16-le", "utf-16-be"):
        mark = "\ufeff".encode(codec)
        process = subprocess.run([CLADE, "predict", model, "-", "--format", "json-lines"],
                                 input=mark + data.read_text().encode(codec), capture_output=True)
        assert process.returncode == 0 and process.stdout.decode() == expected
    process = subprocess.run([CLADE, "predict", model, "-", "--format", "json-lines"],
                             input=b"\xff\xfe{\x00}", capture_output=True)
    assert process.returncode == 2 and b"UTF-16" in process.stderr


def test_split_by_what_is_no_time(tmp_path):
    path = tmp_path / "t.csv"
    rows = ["1,2024-01-05,a", "2,2023/07/01,b", "3,2024-01-05T10:00:00Z,a", "4,2022-12,b"]
    path.write_text("x,when,label\n" + "\n".join(rows) + "\n")
    run("split", path, "-o", tmp_path / "parts", "--test", "25%", "--time-column", "when")
    assert (tmp_path / "parts" / "test.csv").read_text().splitlines()[1:] == [rows[2]]
    for bad in ("soon", "", "2024-1-5", "nan", "5 May 2024"):
        path.write_text("x,when,label\n" + "\n".join(rows) + f"\n5,{bad},b\n")
        line = error_line("split", path, "-o", tmp_path / "bad", "--test", "25%", "--time-column", "when")
        assert line.startswith(f"{path}:6: '{bad}'") and "is not a time" in line


def test_split_of_a_json_array_is_one(tmp_path):
    rows = products(40)
    path = tmp_path / "p.json"
    path.write_text(json.dumps(rows, indent=2))
    run("split", path, "-o", tmp_path / "parts", "--test", "25%", "--seed", "3")
    parts = [json.loads((tmp_path / "parts" / f"{name}.json").read_text()) for name in ("train", "test")]
    assert sorted(map(json.dumps, parts[0] + parts[1])) == sorted(map(json.dumps, rows))
    lines = write_json_lines(tmp_path / "p.jsonl", rows)
    run("split", lines, "-o", tmp_path / "lines", "--test", "25%", "--seed", "3")
    own = [json.loads(line) for line in (tmp_path / "lines" / "test.jsonl").read_text().splitlines()]
    assert own == parts[1]


def test_labels_are_renamed_by_a_map(tmp_path):
    path, table = tmp_path / "t.csv", tmp_path / "map.txt"
    path.write_text("x,label\n1,old\n2,kept\n3,gone;kept\n4,\"a, b\"\n5,old;new1\n")
    table.write_text('# terms of 2023\nold -> new1,new2\n\ngone ->\n"a, b" -> "c, ""d""", e\nnever -> x\n')
    out = tmp_path / "new.csv"
    process = run("split", path, "-o", out, "--label-map", table)
    with out.open(newline="") as file:
        labels = [set(row["label"].split(";")) for row in csv.DictReader(file)]
    assert labels == [{"new1", "new2"}, {"kept"}, {"kept"}, {'c, "d"', "e"}, {"new1", "new2"}]
    assert "4 samples have labels changed by the label map" in process.stderr
    assert "1 of 4 labels of the label map do not occur" in process.stderr
    for bad, problem in (("old new", "no ->"), ("-> x", "no label before"), ("a -> b\na -> c", "twice"),
                         ("a -> b,,c", "empty name"), ("a -> b,", "empty name"), ("", "no label in this file")):
        table.write_text(bad + "\n")
        assert problem in error_line("split", path, "-o", tmp_path / "x.csv", "--label-map", table), bad


def test_a_sweep_is_checked_before_the_data_are_read(tmp_path):
    missing = tmp_path / "missing.csv"
    for option, text in (("--sweep", "1,x"), ("--sweep", "5,...,9"), ("--top", "many")):
        line = error_line("cluster", missing, "--features", tmp_path / "r.json", option, text)
        assert option in line and "no such file" not in line


@pytest.mark.parametrize("name, member", [("shop.xlsx", "xl/workbook.xml"), ("shop.ods", "content.xml")])
def test_workbooks_are_recognised(tmp_path, name, member):
    with zipfile.ZipFile(tmp_path / name, "w") as book:
        book.writestr("first", "")
        book.writestr(member, "<x/>")
    assert error_line("info", tmp_path / name) == \
        f"{tmp_path / name}: a workbook of a spreadsheet program; expected its sheet saved as CSV"
